// Rows O5 to O7 of learning_and_psyche: the gate of a need; and what a template is chosen by.
#include "forge/need.h"

#include <gtest/gtest.h>

#include "forge/forge.h"
#include "forge/generator.h"

namespace anima::forge::need_test {
namespace {

Need need(double confidence, std::size_t triggers) {
  Need need;
  need.name = "csv_sum";
  need.purpose = "the sum of a column";
  need.confidence = confidence;
  need.triggers.assign(triggers, "no tool to add");
  return need;
}

TEST(NeedGate, O5ConfidenceAndEvidence) {
  EXPECT_FALSE(pass_gate(need(0.7, 1), {}).has_value());
  EXPECT_TRUE(pass_gate(need(0.7, 2), {}).has_value());
  EXPECT_FALSE(pass_gate(need(0.59, 2), {}).has_value());
  EXPECT_TRUE(pass_gate(need(0.75, 0), {}).has_value());
  Need failed = need(0.6, 0);
  failed.triggers = {"failed: missing_capability"};
  EXPECT_TRUE(pass_gate(failed, {}).has_value());
}

TEST(NeedGate, O6SessionCap) {
  GateState state;
  state.made_in_session = 2;
  EXPECT_TRUE(pass_gate(need(0.8, 0), state).has_value());
  state.made_in_session = 3;
  EXPECT_FALSE(pass_gate(need(0.8, 0), state).has_value());
  GateLimits any;
  any.most_tools_a_session = 0;
  EXPECT_TRUE(pass_gate(need(0.8, 0), state, any).has_value());
}

TEST(NeedGate, O7NamesAndMembers) {
  for (const char* text :
       {"{}", "null", "[]", R"({"name":""})", R"({"name":"A"})", R"({"name":"../x"})",
        R"({"name":"csv_sum","colour":1})", R"({"name":"csv_sum","confidence":2})"}) {
    EXPECT_FALSE(Need::from_json(*parse_json(text)).has_value()) << text;
  }
  const auto bare = Need::from_json(*parse_json(R"({"name":"csv_sum"})"));
  ASSERT_TRUE(bare.has_value());
  EXPECT_EQ(bare->purpose, "A tool for csv sum.");
}

TEST(NeedGate, VetoedPurposesAreNeverBuilt) {
  GateState state;
  state.vetoes = {"rm -rf"};
  Need vetoed = need(0.9, 0);
  vetoed.purpose = "do RM -RF on a folder";
  EXPECT_FALSE(pass_gate(vetoed, state).has_value());
}

std::string chosen(const std::string& name, const std::string& purpose) {
  Need wanted;
  wanted.name = name;
  wanted.purpose = purpose;
  const auto source = make_template_generator()->propose(wanted, std::nullopt);
  return source ? source->made_by : source.error().message;
}

TEST(Templates, TheWordsOfTheNeedChoose) {
  EXPECT_EQ(chosen("csv_sum", "Add up a column of a CSV table"), "template csv_aggregate (sum)");
  EXPECT_EQ(chosen("csv_mean", "the average of a column of a CSV table"),
            "template csv_aggregate (mean)");
  EXPECT_EQ(chosen("csv_filter", "the rows of a CSV table that match"), "template csv_filter");
  EXPECT_EQ(chosen("join_tables", "join two CSV tables"), "template csv_join");
  EXPECT_EQ(chosen("to_json", "turn csv into json"), "template csv_to_json");
  EXPECT_EQ(chosen("to_csv", "turn json into csv"), "template json_to_csv");
  EXPECT_EQ(chosen("find_emails", "find the emails in a text"), "template text_extract (emails)");
  EXPECT_EQ(chosen("calculator", "evaluate an arithmetic expression"), "template calculate");
  EXPECT_EQ(chosen("sort_lines", "sort the lines of a text"), "template lines_sort (sorted)");
  EXPECT_EQ(chosen("make_coffee", "brew a cup"), "no template fits this need");
}

TEST(Templates, AnAnswerOfAModelMayBeFenced) {
  EXPECT_EQ(proposal_in_answer("Here:\n```cpp\nint a;\n```\nDone.")->source, "int a;\n");
  EXPECT_EQ(proposal_in_answer("int a;")->source, "int a;");
  EXPECT_TRUE(proposal_in_answer("int a;")->examples.empty());
  const auto both = proposal_in_answer(
      "```cpp\nint a;\n```\nand\n```json\n[{\"input\": \"x\", \"args\": [\"y\"], \"output\": "
      "\"z\"}, {\"fails\": true}]\n```\n");
  ASSERT_TRUE(both.has_value()) << both.error().describe();
  EXPECT_EQ(both->source, "int a;\n");
  ASSERT_EQ(both->examples.size(), 2U);
  EXPECT_EQ(both->examples[0], (Example{"x", {"y"}, "z", false}));
  EXPECT_TRUE(both->examples[1].fails);
  EXPECT_FALSE(proposal_in_answer("```\nint a;\n```\n```\nno JSON\n```").has_value());
}

TEST(Examples, OfANeedAreReadAndWritten) {
  const auto need = Need::from_json(*parse_json(
      R"({"name":"csv_sum","examples":[{"input":"a\n1\n","args":["a"],"output":"1"}]})"));
  ASSERT_TRUE(need.has_value()) << need.error().describe();
  ASSERT_EQ(need->examples.size(), 1U);
  EXPECT_EQ(need->examples[0].output, "1");
  EXPECT_EQ(Need::from_json(need->to_json())->examples, need->examples);
  for (const char* wrong :
       {R"([{"input":"a"}])", R"([{"input":"a","output":"b","fails":true}])", R"({})",
        R"([{"input":1,"output":"b"}])", R"([{"input":"a","outputs":"b"}])", R"(["a"])"}) {
    const auto read = examples_from_json(*parse_json(wrong));
    ASSERT_FALSE(read.has_value()) << wrong;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument) << wrong;
  }
}

TEST(Sources, O14LineEndsAndBlanksCountAsTheSame) {
  EXPECT_EQ(normalised_source("int a;  \r\nint b;\r\n\r\n"), normalised_source("int a;\nint b;"));
  EXPECT_NE(normalised_source("int a;"), normalised_source("int b;"));
}

}  // namespace
}  // namespace anima::forge::need_test
