// The graph tools on a real space: parameters, defaults and limits of the tool table.
#include <gtest/gtest.h>

#include "store/space.h"
#include "store/symbols.h"
#include "support/bench.h"
#include "support/links.h"
#include "tools/tool.h"
#include "tools/workbench.h"

namespace anima::tools {
namespace {

class GraphToolsTest : public ::testing::Test {
 protected:
  GraphToolsTest() { add_graph_tools(table_); }

  void add(const std::vector<test::Labels>& links, double confidence = 1.0) {
    test::link(*space_, links, confidence);
  }
  ToolOutput run(std::string_view tool, const ToolInput& input) {
    test::Bench bench(space_->snapshot().value());
    auto output = table_.run(tool, input, bench);
    EXPECT_TRUE(output.has_value());
    proposals_ = std::move(bench.proposals);
    return output ? *output : ToolOutput{};
  }

  ToolTable table_;
  std::shared_ptr<store::Space> space_ = *store::Space::in_memory();
  std::vector<Proposal> proposals_;
};

TEST_F(GraphToolsTest, SevenToolsWithTheirDanger) {
  std::vector<std::string> names;
  for (const Tool* tool : table_.all()) names.push_back(tool->info().name);
  EXPECT_EQ(names, (std::vector<std::string>{"gap_analysis", "infer_rules", "kg_mutate", "kg_query",
                                             "memory_recall", "reason", "similarity_search"}));
  EXPECT_EQ(table_.find("kg_mutate")->info().danger, Danger::kCautious);
  EXPECT_EQ(table_.find("kg_query")->info().danger, Danger::kSafe);
}

TEST_F(GraphToolsTest, UnknownToolAndMissingParameter) {
  test::Bench bench(space_->snapshot().value());
  const auto unknown = table_.run("kg_qery", {}, bench);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_NE(unknown.error().hint.find("kg_query"), std::string::npos);
  const ToolOutput missing = run("kg_query", {});
  EXPECT_FALSE(missing.success);
  EXPECT_NE(missing.result.find("symbol"), std::string::npos);
}

TEST_F(GraphToolsTest, QueryListsBothDirections) {
  add({{"Earth", "orbits", "Sun"}}, 0.95);
  add({{"Moon", "orbits", "Earth"}});
  EXPECT_EQ(run("kg_query", {{"symbol", "earth"}}).result,
            "2 facts about \"Earth\":\n\"Earth\" -> orbits -> \"Sun\"  [0.95]\n"
            "\"Moon\" -> orbits -> \"Earth\"  [1.00]");
  EXPECT_EQ(run("kg_query", {{"symbol", "Earth"}, {"direction", "to"}}).result,
            "1 fact about \"Earth\":\n\"Moon\" -> orbits -> \"Earth\"  [1.00]");
  EXPECT_FALSE(run("kg_query", {{"symbol", "Earth"}, {"direction", "up"}}).success);
  EXPECT_FALSE(run("kg_query", {{"symbol", "Pluto"}}).success);
}

TEST_F(GraphToolsTest, NumbersNameSymbolsAndLabelsMayBeNumbers) {
  add({{"2024", "is-a", "year"}});
  EXPECT_TRUE(run("kg_query", {{"symbol", "2024"}}).success);
  const auto year = store::find_symbol(space_->snapshot().value(), "year");
  const std::string number = std::to_string(static_cast<std::uint32_t>(*year));
  EXPECT_NE(run("kg_query", {{"symbol", "sym:" + number}}).result.find("\"year\""),
            std::string::npos);
}

TEST_F(GraphToolsTest, MutateProposesAndNeverWrites) {
  add({{"Earth", "orbits", "Sun"}});
  const ToolOutput output =
      run("kg_mutate",
          {{"subject", "EARTH"}, {"predicate", "has"}, {"object", "Moon"}, {"confidence", "0.5"}});
  EXPECT_TRUE(output.success);
  ASSERT_EQ(proposals_.size(), 1U);
  EXPECT_EQ(proposals_[0].subject, "Earth");
  EXPECT_EQ(proposals_[0].confidence, 0.5);
  EXPECT_FALSE(store::find_symbol(space_->snapshot().value(), "Moon").has_value());
  EXPECT_FALSE(run("kg_mutate",
                   {{"subject", "a"}, {"predicate", "b"}, {"object", "c"}, {"confidence", "1.5"}})
                   .success);
}

TEST_F(GraphToolsTest, ReasonRewritesToTheSmallestForm) {
  const auto simplest = [&](const char* expression) {
    const ToolOutput output = run("reason", {{"expression", expression}});
    return output.success ? output.result.substr(output.result.find("Simplest: ") + 10) : "error";
  };
  EXPECT_EQ(simplest("bind a (bind a b)"), "b");
  EXPECT_EQ(simplest("bind(bind(b, a), a)"), "b");
  EXPECT_EQ(simplest("not not a"), "a");
  EXPECT_EQ(simplest("and(or b a, or(a, b))"), "or(a, b)");
  EXPECT_EQ(simplest("similar z y"), "similar(y, z)");
  EXPECT_EQ(simplest("bind(\"a b\", c)"), "bind(\"a b\", c)");
  EXPECT_EQ(simplest("bind a"), "error");
  EXPECT_EQ(simplest("bind(a, b, c)"), "error");
  EXPECT_EQ(simplest("a b"), "error");
  EXPECT_EQ(simplest("((((a"), "error");
}

TEST_F(GraphToolsTest, BuiltInRules) {
  add({{"a", "is-a", "b"},
       {"b", "is-a", "c"},
       {"x", "contains", "y"},
       {"p", "parent-of", "q"},
       {"m", "similar-to", "n"}});
  const ToolOutput output = run("infer_rules", {});
  EXPECT_TRUE(output.success);
  std::vector<std::string> found;
  for (const Proposal& proposal : proposals_) {
    found.push_back(proposal.subject + " " + proposal.predicate + " " + proposal.object);
    EXPECT_NEAR(proposal.confidence, proposal.rule == "is-a-transitive" ? 0.95 : 1.0, 1e-12);
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::string>{"a is-a c", "n similar-to m", "q child-of p",
                                             "y part-of x"}));
}

TEST_F(GraphToolsTest, BuiltInRulesKeepTheirLimits) {
  std::vector<test::Labels> chain;
  for (int i = 0; i < 80; ++i) {
    chain.push_back({"n" + std::to_string(i), "is-a", "n" + std::to_string(i + 1)});
  }
  add(chain);
  run("infer_rules", {{"max_iterations", "50"}, {"min_confidence", "0.0"}});
  EXPECT_EQ(proposals_.size(), 1000U);
  run("infer_rules", {{"min_confidence", "0.96"}});
  EXPECT_TRUE(proposals_.empty());
}

TEST_F(GraphToolsTest, SimilarityRanksWhatSharesFacts) {
  add({{"Earth", "orbits", "Sun"},
       {"Mars", "orbits", "Sun"},
       {"Earth", "is-a", "planet"},
       {"Mars", "is-a", "planet"},
       {"Halley", "orbits", "Sun"},
       {"cat", "is-a", "animal"}});
  const ToolOutput output = run("similarity_search", {{"symbol", "Earth"}, {"top_k", "2"}});
  ASSERT_EQ(output.findings.size(), 2U);
  EXPECT_EQ(output.findings[0].object, "Mars");
  EXPECT_EQ(output.findings[1].object, "Halley");
  EXPECT_GT(output.findings[0].score, output.findings[1].score);
  EXPECT_LE(output.findings[0].score, 1.0);
}

TEST_F(GraphToolsTest, GapsAroundAGoal) {
  add({{"Sun", "is-a", "star"}, {"Sun", "shines-on", "Earth"}, {"Earth", "has", "Moon"}});
  const ToolOutput output = run("gap_analysis", {{"goal", "Sun"}});
  ASSERT_FALSE(output.findings.empty());
  EXPECT_EQ(output.findings[0].subject, "star");
  EXPECT_NEAR(output.findings[0].score, 0.9, 1e-12);
  bool moon = false;
  for (const Finding& finding : output.findings) {
    if (finding.subject == "Moon") moon = std::abs(finding.score - 0.35) < 1e-12;
  }
  EXPECT_TRUE(moon) << output.result;
  EXPECT_EQ(run("gap_analysis", {{"goal", "Sun"}, {"max_gaps", "1"}}).findings.size(), 1U);
}

TEST_F(GraphToolsTest, RecallOfNothingIsSuccess) {
  EXPECT_TRUE(run("memory_recall", {{"query_symbols", "a,b"}}).success);
}

}  // namespace
}  // namespace anima::tools
