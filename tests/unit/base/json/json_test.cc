#include "base/json/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace anima {
namespace {

Json parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << (value ? "" : value.error().describe());
  return value ? *std::move(value) : Json();
}

Error refused(std::string_view text, const JsonLimits& limits = {}) {
  auto value = parse_json(text, limits);
  EXPECT_FALSE(value) << text;
  return value ? Error{} : value.error();
}

TEST(Json, ReadsEveryKind) {
  const Json value = parsed(R"( {"n":null,"t":true,"i":-7,"d":2.5,"s":"x","a":[1,[]],"o":{}} )");
  EXPECT_TRUE(value.find("n")->is_null());
  EXPECT_TRUE(value.find("t")->as_bool());
  EXPECT_EQ(value.find("i")->as_integer(), -7);
  EXPECT_EQ(value.find("d")->as_number(), 2.5);
  EXPECT_EQ(value.find("s")->as_string(), "x");
  EXPECT_EQ(value.find("a")->as_array().size(), 2U);
  EXPECT_TRUE(value.find("o")->as_object().empty());
  EXPECT_EQ(value.find("missing"), nullptr);
}

TEST(Json, KeepsTheOrderOfMembers) {
  EXPECT_EQ(parsed(R"({"b":1,"a":2,"c":{"z":1,"y":2}})").dump(),
            R"({"b":1,"a":2,"c":{"z":1,"y":2}})");
}

TEST(Json, KeepsIntegersAsIntegers) {
  EXPECT_EQ(parsed("9223372036854775807").as_integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parsed("-9223372036854775808").as_integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(parsed("1.0").is_double());
  EXPECT_TRUE(parsed("9223372036854775808").is_double());
  EXPECT_EQ(parsed("9223372036854775808").as_number(), 0x1p63);
}

TEST(Json, KeepsTheDigitsOfLongIntegers) {
  const std::string longest(Json::kLongestInteger, '9');
  for (const std::string& text :
       {std::string("9223372036854775808"), std::string("-9223372036854775809"),
        std::string("12345678901234567890"), std::string("123456789012345678901234567890"), longest,
        "-" + longest}) {
    const Json value = parsed(text);
    EXPECT_TRUE(value.is_long_integer() && value.is_number() && !value.is_integer()) << text;
    EXPECT_EQ(value.dump(), text);
    EXPECT_EQ(value, parsed(text));
    EXPECT_TRUE(std::isfinite(value.as_number())) << text;
  }
  EXPECT_FALSE(parse_json(longest + "0"));
  EXPECT_FALSE(parsed("9223372036854775807").is_long_integer());
  EXPECT_FALSE(parsed("1e30").is_long_integer());
  EXPECT_EQ(Json::integer("12"), Json(12));
  EXPECT_EQ(Json(std::uint64_t{18446744073709551615U}).dump(), "18446744073709551615");
  EXPECT_TRUE(Json(std::uint64_t{9223372036854775807}).is_integer());
}

TEST(Json, ComparesLongIntegersExactly) {
  EXPECT_NE(parsed("12345678901234567890"), parsed("12345678901234567891"));
  EXPECT_EQ(parsed("9223372036854775808"), Json(0x1p63));
  EXPECT_EQ(Json(0x1p63), parsed("9223372036854775808"));
  EXPECT_NE(parsed("9223372036854775809"), Json(0x1p63));
  EXPECT_NE(parsed("9223372036854775808"), Json(std::numeric_limits<std::int64_t>::max()));
  EXPECT_NE(Json(std::numeric_limits<std::int64_t>::min()), parsed("-9223372036854775809"));
}

TEST(Json, DoublesReadBackExactly) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 100.0, 1e22,
                             123456789.125, 2.2250738585072014e-308}) {
    const Json again = parsed(Json(value).dump());
    ASSERT_TRUE(again.is_double()) << Json(value).dump();
    EXPECT_EQ(again.as_number(), value);
    EXPECT_EQ(std::signbit(again.as_number()), std::signbit(value));
  }
  EXPECT_EQ(parsed("8.41e21").as_number(), 8.41e21);
  EXPECT_EQ(parsed("9007199254740993.0").as_number(), 9007199254740992.0);
  EXPECT_EQ(parsed("1e-400").as_number(), 0.0);
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, RefusesARepeatedKey) {
  const Error small = refused("{\"a\":1,\n \"a\":2}");
  EXPECT_EQ(small.code, ErrorCode::kSyntax);
  EXPECT_NE(small.message.find("\"a\""), std::string::npos);
  EXPECT_EQ(small.where.substr(0, 2), "2:");
  std::string many = "{";
  for (int i = 0; i < 1000; ++i)
    many += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  EXPECT_EQ(parsed(many + "\"k1000\":0}").as_object().size(), 1001U);
  EXPECT_EQ(refused(many + "\"k777\":0}").code, ErrorCode::kSyntax);
  EXPECT_EQ(parsed(R"({"a":{"a":{"a":1}},"b":{"a":1}})").as_object().size(), 2U);
}

TEST(Json, NamesThePlaceOfAnError) {
  EXPECT_EQ(refused("[1,\n  2,\n  x]").where, "3:3");
  EXPECT_EQ(refused("[1] 2").where, "1:5");
  EXPECT_EQ(refused("").code, ErrorCode::kSyntax);
  EXPECT_EQ(refused("[1,]").code, ErrorCode::kSyntax);
  EXPECT_EQ(refused("\"\\ud800\"").code, ErrorCode::kSyntax);
  EXPECT_EQ(refused("\"\xff\"").code, ErrorCode::kSyntax);
  EXPECT_EQ(refused("01").code, ErrorCode::kSyntax);
  EXPECT_EQ(refused("1e999").code, ErrorCode::kSyntax);
  EXPECT_EQ(refused("nul").code, ErrorCode::kSyntax);
}

TEST(Json, HoldsItsLimits) {
  EXPECT_EQ(refused(std::string(65, '[') + std::string(65, ']')).code, ErrorCode::kLimitExceeded);
  parsed(std::string(64, '[') + std::string(64, ']'));
  EXPECT_EQ(refused("[[1]]", {.max_depth = 1}).code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(refused("[1,2,3]", {.max_bytes = 4}).code, ErrorCode::kLimitExceeded);
}

TEST(Json, QuotesWhatNeedsQuoting) {
  EXPECT_EQ(quote_json("plain text, longer than eight bytes"),
            "\"plain text, longer than eight bytes\"");
  EXPECT_EQ(quote_json("a\"b\\c\n\t\x01 and \xc3\xa9\x7f"),
            "\"a\\\"b\\\\c\\n\\t\\u0001 and \xc3\xa9\x7f\"");
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  EXPECT_EQ(parsed(quote_json(all)).as_string(), all);
  EXPECT_EQ(parsed("\"\\u00e9\\ud83d\\ude00\\/\"").as_string(), "\xc3\xa9\xf0\x9f\x98\x80/");
}

TEST(Json, ComparesDeeply) {
  EXPECT_EQ(parsed(R"({"a":1,"b":[1.0]})"), parsed(R"({"b":[1],"a":1.0})"));
  EXPECT_FALSE(parsed(R"({"a":1})") == parsed(R"({"a":1,"b":2})"));
  EXPECT_FALSE(parsed(R"({"a":1})") == parsed(R"({"b":1})"));
  EXPECT_FALSE(Json(std::int64_t{9007199254740993}) == Json(9007199254740992.0));
  EXPECT_FALSE(Json("1") == Json(1));
  EXPECT_EQ(Json(), Json(nullptr));
}

TEST(Json, SetsAndAppends) {
  Json value;
  value.set("a", 1);
  value.set("b", Json::array({1, 2}));
  value.set("a", 3);
  value.find("b")->push_back("x");
  EXPECT_EQ(value.dump(), R"({"a":3,"b":[1,2,"x"]})");
  EXPECT_EQ(Json::object({{"a", Json::array({1})}, {"b", Json::object()}}).dump(2),
            "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}");
}

// Answers of tools and of memory are whatever they are: who reads one with the wrong getter learns
// nothing and lives.
TEST(Json, NoGetterAbortsOrThrowsOnAnotherKind) {
  const std::vector<Json> values = {Json(),
                                    Json(true),
                                    Json(7),
                                    Json(0.5),
                                    Json("seven"),
                                    Json::array({1, 2}),
                                    Json::object({{"a", 1}})};
  for (const Json& value : values) {
    EXPECT_EQ(value.as_bool(), value.is_bool());
    EXPECT_EQ(value.as_integer(), value.is_integer() ? 7 : 0);
    EXPECT_EQ(value.as_number(), value.is_integer() ? 7.0 : value.is_double() ? 0.5 : 0.0);
    EXPECT_EQ(value.as_string(), value.is_string() ? "seven" : "");
    EXPECT_EQ(value.as_array().size(), value.is_array() ? 2U : 0U);
    EXPECT_EQ(value.as_object().size(), value.is_object() ? 1U : 0U);
    EXPECT_EQ(value.find("a") != nullptr, value.is_object());
    Json list = value, object = value;
    list.push_back(3);
    EXPECT_EQ(list.as_array().size(), value.is_array() ? 3U : 1U);
    object.set("b", 2);
    EXPECT_EQ(object.as_object().size(), value.is_object() ? 2U : 1U);
  }
}

}  // namespace
}  // namespace anima
