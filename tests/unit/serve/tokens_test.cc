// The tokens of `anima serve`: a file that keeps no secret and that nobody else reads.
#include "serve/tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace anima::serve::tokens_test {
namespace {

class Tokens : public testing::Test {
 protected:
  AccessToken named(std::string name) {
    return {std::move(name), store::Trust::kVerified, true, clock_.now(), {}};
  }

  TemporaryDirectory folder_;
  SystemClock clock_;
  SeededRandom random_{7};
  TokenBook book_{system_files(), folder_.path()};
  std::string file_ = folder_.path() + "/serve_tokens.json";
};

TEST_F(Tokens, AreFoundByTheirTextAndKeptWithoutIt) {
  const auto ada = book_.add(named("ada"), random_), bob = book_.add(named("bob"), random_);
  ASSERT_TRUE(ada && bob);
  EXPECT_EQ(ada->size(), 70u);
  EXPECT_NE(*ada, *bob);
  EXPECT_EQ((*book_.find(*ada))->name, "ada");
  EXPECT_EQ((*book_.find(*bob))->name, "bob");
  for (const std::string_view wrong : {"", "anima_", "ada"}) EXPECT_FALSE(*book_.find(wrong));
  EXPECT_EQ(system_files().info(file_)->permissions, 0600u);
  const std::string kept = *read_file(system_files(), file_);
  EXPECT_EQ(kept.find(ada->substr(6)), std::string::npos);
  EXPECT_EQ(book_.list()->size(), 2u);
  ASSERT_TRUE(TokenBook(system_files(), folder_.path()).remove("ada"));
  EXPECT_FALSE(*book_.find(*ada));
  EXPECT_TRUE(*book_.find(*bob));
}

TEST_F(Tokens, RefuseWhatIsNoName) {
  for (const std::string name : {"", "a b", "a/b", "a\n", "\xc3\xa4"})
    EXPECT_EQ(book_.add(named(name), random_).error().code, ErrorCode::kInvalidArgument) << name;
  ASSERT_TRUE(book_.add(named("ada"), random_));
  EXPECT_EQ(book_.add(named("ada"), random_).error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(book_.remove("bob").error().code, ErrorCode::kNotFound);
}

TEST_F(Tokens, AFileThatIsNotAsItWasLetsNobodyIn) {
  const std::string ada = *book_.add(named("ada"), random_);
  const std::string kept = *read_file(system_files(), file_);
  ASSERT_TRUE(replace_file(system_files(), file_, kept, 0640));
  EXPECT_EQ(book_.find(ada).error().code, ErrorCode::kDenied);
  // Without the newline at its end it is whole.
  for (std::size_t cut = 0; cut + 1 < kept.size(); cut += 7) {
    ASSERT_TRUE(replace_file(system_files(), file_, kept.substr(0, cut), 0600));
    EXPECT_EQ(book_.find(ada).error().code, ErrorCode::kCorrupt) << cut;
    EXPECT_FALSE(book_.add(named("bob"), random_)) << cut;
  }
  std::string more = kept;
  more.replace(more.find("verified"), 8, "operator");
  ASSERT_TRUE(replace_file(system_files(), file_, more, 0600));
  EXPECT_EQ(book_.find(ada).error().code, ErrorCode::kCorrupt);
  ASSERT_TRUE(replace_file(system_files(), file_, kept, 0600));
  EXPECT_TRUE(*book_.find(ada));
}

}  // namespace
}  // namespace anima::serve::tokens_test
