// The id of a message that is too long to be read.
#include "serve/message_id.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::serve::message_id_test {
namespace {

std::string id_of(std::string_view text, std::size_t piece = 3) {
  MessageId id;
  for (std::size_t at = 0; at < text.size(); at += piece) id.feed(text.substr(at, piece));
  return id.id() ? id.id()->dump() : "none";
}

TEST(MessageId, IsFoundWhereverItStands) {
  const std::string params = R"("params":{"id":7,"x":["id",{"id":"}\\"}]},"y":"\"id\":8,")";
  EXPECT_EQ(id_of(R"({"id":5,)" + params + "}"), "5");
  EXPECT_EQ(id_of("{" + params + R"(, "id" : "a\u0062" })"), "\"ab\"");
  EXPECT_EQ(id_of("{" + params + R"(,"id":-12,"z":1})"), "-12");
  EXPECT_EQ(id_of("{" + params + "}"), "none");
  for (const std::string_view none :
       {"", "[]", R"(["id",5])", R"({"id":null})", R"({"id":{"id":5}})", R"({"id":[5]})",
        R"({"x":"id","5":5})", R"({"idx":5})", R"("id":5)", R"({"id":5)", "}}}}]]]]"})
    EXPECT_EQ(id_of(none), "none") << none;
  EXPECT_EQ(id_of(R"({"id":12345678901234567890})"), "12345678901234567890");
  EXPECT_EQ(id_of(R"({"id":")" + std::string(100'000, 'x') + R"("})"), "none");
  EXPECT_EQ(id_of(R"({"x":")" + std::string(100'000, 'x') + R"(","id":1})", 4096), "1");
}

}  // namespace
}  // namespace anima::serve::message_id_test
