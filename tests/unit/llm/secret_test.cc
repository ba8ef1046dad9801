#include "llm/secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

namespace anima::llm::secret_test {
namespace {

TEST(Secret, ComesFromAVariable) {
  const Environment environment{{"A_KEY", " sk-1234 \n"}, {"EMPTY", "  "}, {"BAD", "a b"}};
  const auto read = [&](std::string name) {
    return read_key({KeySource::Kind::kEnvironment, std::move(name)}, environment, system_files());
  };
  EXPECT_EQ(read("A_KEY")->reveal(), "sk-1234");
  EXPECT_EQ(read("NONE").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read("EMPTY").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read("BAD").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read("BAD").error().describe().find("a b"), std::string::npos);
  EXPECT_TRUE(read_key({}, environment, system_files())->empty());
}

TEST(Secret, ComesFromAFileThatNobodyElseReads) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("key");
  ASSERT_TRUE(replace_file(system_files(), path, "sk-file\n", 0600));
  const KeySource source{KeySource::Kind::kFile, path};
  EXPECT_EQ(read_key(source, {}, system_files())->reveal(), "sk-file");
  for (const mode_t mode : {0640U, 0604U, 0644U}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    const auto key = read_key(source, {}, system_files());
    ASSERT_FALSE(key) << mode;
    EXPECT_EQ(key.error().code, ErrorCode::kDenied);
    EXPECT_EQ(key.error().hint, "chmod 600 " + path);
    EXPECT_EQ(key.error().describe().find("sk-file"), std::string::npos);
  }
  EXPECT_EQ(
      read_key({KeySource::Kind::kFile, folder.file("none")}, {}, system_files()).error().code,
      ErrorCode::kNotFound);
  EXPECT_FALSE(read_key({KeySource::Kind::kFile, folder.path()}, {}, system_files()));
}

TEST(KeyScrubber, FindsAKeyHoweverItIsCut) {
  const Secret secret("abcabd");
  const std::string text = "xabcabcabdy abcab abcabd";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    KeyScrubber scrubber(&secret);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += piece)
      out += scrubber.feed(std::string_view(text).substr(at, piece));
    out += scrubber.finish();
    EXPECT_EQ(out, "xabc[key removed]y abcab [key removed]") << piece;
  }
  EXPECT_EQ(scrub("abc", nullptr), "abc");
}

TEST(KeyScrubber, FindsAKeyThatJsonSpells) {
  const Secret secret("sk/1");
  const std::string text = R"({"a":"\u0073k\/1","b":"s\u006B/\u0031","c":"\u0073k\/2 \n\u00"})";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    KeyScrubber scrubber(&secret);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += piece)
      out += scrubber.feed(std::string_view(text).substr(at, piece));
    out += scrubber.finish();
    EXPECT_EQ(out, R"({"a":"[key removed]","b":"[key removed]","c":"\u0073k\/2 \n\u00"})") << piece;
  }
}

TEST(KeyScrubber, KnowsShapesOfKeys) {
  EXPECT_EQ(scrub_key_shapes("bad key: sk-proj-abcdefghij1234567890."), "bad key: [key removed]");
  EXPECT_EQ(scrub_key_shapes("(sk-ab****************cd)"), "([key removed])");
  EXPECT_EQ(scrub_key_shapes("AIzaSyA1234567890abcdef, sk-short"), "[key removed], sk-short");
  EXPECT_EQ(scrub_key_shapes("a task-based approach"), "a task-based approach");
}

}  // namespace
}  // namespace anima::llm::secret_test
