// What a tool is as data: read, written, checked, and what it says of arguments and results.
#include "govern/rules/tool_declaration.h"

#include <gtest/gtest.h>

namespace anima::govern::tool_declaration_test {
namespace {

Json json(std::string_view text) { return parse_json(text).value(); }

constexpr std::string_view kMail = R"({
  "name": "mail:list", "description": "The mails.", "effects": ["marks", "reads"],
  "arguments": {"type": "object", "properties": {"folder": {"type": "string"}}},
  "roles": {"folder": "handle"},
  "fields": {
    "mails[].id": "verified",
    "mails[].from": {"trust": "standard", "contact": true},
    "mails[].body": {"readers": ["mails[].from", "mails[].to[]"]},
    "mails[]": {"trust": "untrusted"},
    "folders.*": "verified",
    "folders.{}": "standard"}})";

Place place(std::string_view path) { return FieldPath::parse(path).value().steps(); }

TEST(FieldPathTest, ReadsWhatItWrites) {
  for (const std::string_view text : {"", "a", "a.b", "messages[].sender", "[]", "[][].a",
                                      "rooms.*.price", "rooms.{}", "{}", R"(a\.b.c)", R"(\*)"}) {
    const auto path = FieldPath::parse(text);
    ASSERT_TRUE(path) << text << ": " << path.error().describe();
    EXPECT_EQ(path->text(), text);
  }
  EXPECT_EQ(FieldPath::parse(R"(a\.b)").value().steps()[0].name, "a.b");
}

TEST(FieldPathTest, SaysWhereItIsWrong) {
  for (const std::string_view text :
       {".", "a.", "a..b", "a[", "a[1]", "a{}", "{}.a", "*x", "a]b"}) {
    const auto path = FieldPath::parse(text);
    ASSERT_FALSE(path) << text;
    EXPECT_NE(path.error().where.find("column"), std::string::npos) << text;
  }
  std::string deep = "a";
  for (int i = 0; i < 40; ++i) deep += ".a";
  EXPECT_EQ(FieldPath::parse(deep).error().code, ErrorCode::kLimitExceeded);
}

TEST(FieldPathTest, CoversWhatLiesBeneath) {
  EXPECT_TRUE(FieldPath().covers(place("a.b")));
  EXPECT_TRUE(FieldPath::parse("a[]").value().covers(place("a[].b")));
  EXPECT_FALSE(FieldPath::parse("a[].b").value().covers(place("a[]")));
  EXPECT_TRUE(FieldPath::parse("*.b").value().covers(place("a.b")));
  EXPECT_FALSE(FieldPath::parse("*").value().covers(place("{}")));
  EXPECT_TRUE(FieldPath::parse("a.b").value().closer_than(FieldPath::parse("a.*").value()));
}

TEST(ToolDeclarationTest, TheClosestFieldSaysWhatItSays) {
  const ToolDeclaration tool = ToolDeclaration::from_json(json(kMail)).value();
  EXPECT_EQ(tool.label_of(place("mails[].id")).trust, Trust::kVerified);
  EXPECT_EQ(tool.label_of(place("mails[].from")).trust, Trust::kStandard);
  EXPECT_TRUE(tool.label_of(place("mails[].from")).contact);
  EXPECT_FALSE(tool.label_of(place("mails[].id")).contact);
  // What a field leaves open, a farther one says, and then the whole.
  EXPECT_EQ(tool.label_of(place("mails[].body")).trust, Trust::kUntrusted);
  EXPECT_EQ(tool.label_of(place("mails[].body")).readers.kind, Readers::Kind::kNamed);
  EXPECT_EQ(tool.label_of(place("mails[].body")).readers.fields.size(), 2U);
  EXPECT_EQ(tool.label_of(place("other")).trust, Trust::kUntrusted);
  EXPECT_EQ(tool.label_of(place("folders.spam")).trust, Trust::kVerified);
  EXPECT_EQ(tool.label_of(place("folders.{}")).trust, Trust::kStandard);
  EXPECT_EQ(tool.policy().output_trust, Trust::kUntrusted);
}

TEST(ToolDeclarationTest, WhatItDoesMakesItsTier) {
  const auto tier = [](std::string_view effects, std::string_view roles) {
    const std::string text = R"({"name": "t", "effects": )" + std::string(effects) +
                             R"(, "roles": )" + std::string(roles) + "}";
    return ToolDeclaration::from_json(json(text)).value().tier_of();
  };
  EXPECT_EQ(tier(R"(["reads", "marks"])", "{}"), Tier::kReadOnly);
  EXPECT_EQ(tier(R"(["sends"])", "{}"), Tier::kWriteSafe);
  EXPECT_EQ(tier(R"(["pays"])", R"({"sum": "amount"})"), Tier::kWriteDestructive);
  EXPECT_EQ(tier(R"(["pays"])", R"({"sum": {"role": "amount", "most": 50}})"), Tier::kWriteSafe);
  EXPECT_EQ(tier(R"(["reads", "deletes"])", "{}"), Tier::kWriteDestructive);
}

TEST(ToolDeclarationTest, IsWrittenAsItIsRead) {
  const ToolDeclaration tool = ToolDeclaration::from_json(json(kMail)).value();
  const ToolDeclaration again = ToolDeclaration::from_json(tool.to_json()).value();
  EXPECT_EQ(again.to_json().dump(), tool.to_json().dump());
  EXPECT_EQ(again.effects, (std::vector{ToolEffect::kReads, ToolEffect::kMarks}));
}

TEST(ToolDeclarationTest, MistakesAreNamedWithTheirMember) {
  const auto where = [](std::string_view text) {
    const auto tool = ToolDeclaration::from_json(json(text));
    EXPECT_FALSE(tool.has_value()) << text;
    return tool ? std::string() : tool.error().where;
  };
  EXPECT_EQ(where(R"({"name": "a b", "effects": ["reads"]})"), "name");
  EXPECT_EQ(where(R"({"name": "t"})"), "effects");
  EXPECT_EQ(where(R"({"name": "t", "effects": ["red"]})"), "effects");
  EXPECT_EQ(where(R"({"name": "t", "effects": ["reads"], "role": {}})"), "role");
  EXPECT_EQ(where(R"({"name": "t", "effects": ["reads"], "roles": {"to": "who"}})"), "roles.to");
  EXPECT_EQ(where(R"({"name": "t", "effects": ["reads"], "fields": {"a": "good"}})"), "fields.a");
  EXPECT_EQ(where(R"({"name": "t", "effects": ["reads"], "fields": {"a": {"reader": 1}}})"),
            "fields.a.reader");
  EXPECT_EQ(where(R"({"name": "t", "effects": ["reads"], "trust": "high"})"), "trust");
  EXPECT_EQ(
      where(R"({"name": "t", "effects": ["reads"], "arguments": {"type": "thing"}})").substr(0, 9),
      "arguments");
  EXPECT_EQ(where(R"({"name": "t", "effects": ["reads"], "roles": {"tos": "recipient"},
                      "arguments": {"type": "object", "properties": {"to": {}}}})"),
            "roles.tos");
}

TEST(ToolDeclarationTest, ArgumentsAreChecked) {
  const ToolDeclaration tool = ToolDeclaration::from_json(json(kMail)).value();
  EXPECT_TRUE(tool.check_arguments(json(R"({"folder": "in"})")));
  EXPECT_FALSE(tool.check_arguments(json(R"({"folder": 1})")));
  EXPECT_FALSE(tool.check_arguments(json("[]")));
}

TEST(ToolDeclarationTest, ARowAloneIsTakenForTheWorst) {
  const ToolDeclaration tool = declared_by_row(
      "", {.tool = "sms:send", .tier = Tier::kWriteSafe, .agents = {"*"}, .carried = {"text"}},
      {"to", "text", "x.y"});
  EXPECT_TRUE(tool.check()) << tool.check().error().describe();
  EXPECT_TRUE(tool.acts());
  EXPECT_EQ(tool.use_of(place("to")).role, ArgumentRole::kRecipient);
  EXPECT_EQ(tool.use_of(place("text")).role, ArgumentRole::kCarried);
  EXPECT_EQ(tool.use_of(place(R"(x\.y)")).role, ArgumentRole::kPlain);
  EXPECT_EQ(tool.label_of({}).trust, Trust::kUntrusted);
}

}  // namespace
}  // namespace anima::govern::tool_declaration_test
