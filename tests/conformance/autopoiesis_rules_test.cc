// Every rule block of the autopoiesis source loads as printed but for one unsafe rule, and the
// repaired rules that ship as packs/datalog/autopoiesis.mg draw the conclusions that the source
// describes.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "base/packs.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"

namespace anima::datalog::autopoiesis_rules_test {
namespace {

std::vector<std::string> printed_blocks() {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/datalog/autopoiesis_blocks.txt");
  std::vector<std::string> blocks;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("####")) {
      blocks.emplace_back();
    } else if (!blocks.empty()) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

// The predicates that a block uses and does not define: their facts come from the host.
std::vector<BasePredicate> host_predicates(const Unit& unit) {
  std::set<std::string> defined;
  for (const ast::Clause& clause : unit.clauses) defined.insert(clause.head.predicate);
  for (const ast::Declaration& one : unit.declarations) defined.insert(one.atom.predicate);
  std::map<std::string, std::uint32_t> used;
  for (const ast::Clause& clause : unit.clauses) {
    for (const ast::Literal& literal : clause.body) {
      if (literal.kind == ast::LiteralKind::kComparison ||
          defined.count(literal.atom.predicate) != 0)
        continue;
      used[literal.atom.predicate] = static_cast<std::uint32_t>(literal.atom.arguments.size());
    }
  }
  std::vector<BasePredicate> result;
  for (const auto& [name, arity] : used) result.push_back({name, arity});
  return result;
}

std::vector<Diagnostic> load(const std::string& text) {
  auto unit = parse_program(text, "block");
  if (!unit) return {Diagnostic{}};
  AnalysisOptions options;
  options.base = host_predicates(*unit);
  ValueTable values;
  std::vector<Unit> units;
  units.push_back(std::move(*unit));
  return analyze(std::move(units), values, options).diagnostics;
}

TEST(AutopoiesisBlocks, LoadAsPrinted) {
  const auto blocks = printed_blocks();
  ASSERT_EQ(blocks.size(), 14U);
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    const auto diagnostics = load(blocks[i]);
    if (blocks[i].find("should_halt") == std::string::npos) {
      EXPECT_FALSE(has_errors(diagnostics))
          << "block " << i + 1 << ": " << diagnostics.front().error().describe();
      continue;
    }
    // The one rule that no engine can load: its head variable is not bound.
    ASSERT_EQ(diagnostics.size(), 1U);
    EXPECT_EQ(diagnostics[0].problem, Problem::kSafety);
    EXPECT_EQ(diagnostics[0].clause, "should_halt(StepID) :- stagnation_detected().");
    std::string repaired = blocks[i];
    const std::string unsafe = ":- stagnation_detected().";
    repaired.replace(repaired.find(unsafe), unsafe.size(),
                     ":- step(StepID), stagnation_detected().");
    EXPECT_FALSE(has_errors(load(repaired)));
  }
}

class AutopoiesisPack : public testing::Test {
 protected:
  void SetUp() override {
    const auto text = pack_file("packs/datalog/autopoiesis.mg");
    ASSERT_TRUE(text.has_value());
    auto program = compile(std::string(*text), *values_, "autopoiesis.mg");
    ASSERT_TRUE(program.has_value()) << program.error().describe();
    auto engine = Engine::create(std::make_shared<const Program>(std::move(*program)), values_);
    ASSERT_TRUE(engine.has_value()) << engine.error().describe();
    engine_ = std::move(*engine);
  }

  void tell(const std::vector<std::string>& facts) {
    Transaction transaction;
    for (const std::string& text : facts) {
      auto fact = compile_fact(engine_->program(), text, *values_);
      ASSERT_TRUE(fact.has_value()) << fact.error().describe();
      transaction.insert(fact->predicate, fact->codes);
    }
    ASSERT_TRUE(engine_->transact(transaction).has_value());
  }

  std::vector<std::string> ask(const std::string& text) {
    const auto query = compile_query(engine_->program(), text, *values_);
    EXPECT_TRUE(query.has_value()) << query.error().describe();
    const Rows rows = *engine_->query(*query);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < rows.count; ++i) {
      lines.push_back(
          print_fact(engine_->program().predicates[query->predicate], rows.row(i), *values_));
    }
    return lines;
  }

  using Lines = std::vector<std::string>;
  std::shared_ptr<ValueTable> values_ = std::make_shared<ValueTable>();
  std::unique_ptr<Engine> engine_;
};

TEST_F(AutopoiesisPack, PrintedQueriesAreUnderstood) {
  std::istringstream lines(printed_blocks().back());
  std::string line;
  std::size_t queries = 0;
  while (std::getline(lines, line)) {
    if (!line.starts_with("?-")) continue;
    ++queries;
    EXPECT_TRUE(compile_query(engine_->program(), line, *values_).has_value()) << line;
  }
  EXPECT_EQ(queries, 4U);
}

TEST_F(AutopoiesisPack, ThreeRejectionsAreAPreference) {
  tell({"rejection_count(\"unwrap\", 3)", "rejection_count(\"panic\", 2)",
        "derived_rule(\"unwrap\", /avoid_pattern, \"unwrap\")"});
  EXPECT_EQ(ask("preference_signal(P)"), Lines{"preference_signal(\"unwrap\")"});
  EXPECT_EQ(ask("promote_to_long_term(T, V)"),
            Lines{"promote_to_long_term(/avoid_pattern,\"unwrap\")"});
}

TEST_F(AutopoiesisPack, AMissingCapabilityAsksForATool) {
  tell({"user_intent(/i1, /query, /read, \"x\", \"\")", "goal_requires(/g, /read)",
        "goal_requires(/g, /draw)", "tool_capabilities(/reader, /read)"});
  EXPECT_EQ(ask("missing_tool_for(I, C)"), Lines{"missing_tool_for(/i1,/draw)"});
  EXPECT_EQ(ask("next_action(A)"), Lines{"next_action(/generate_tool)"});
  tell({"tool_capabilities(/painter, /draw)"});
  EXPECT_EQ(ask("next_action(A)"), Lines{});
}

TEST_F(AutopoiesisPack, EveryStepHasAStability) {
  tell({"base_stability(/calm, 1.0)", "base_stability(/both, 1.0)", "base_stability(/retried, 1.0)",
        "error_history(/both, /panic, \"x\")", "retry_attempt(/both, 2, \"y\")",
        "retry_attempt(/retried, 3, \"z\")"});
  EXPECT_EQ(ask("effective_stability(S, E)"),
            (Lines{"effective_stability(/both,0.7)", "effective_stability(/calm,1.0)",
                   "effective_stability(/retried,0.9)"}));
}

TEST_F(AutopoiesisPack, ATransitionMustNotDegrade) {
  tell({"state(/s1, 0.8, 10)", "base_stability(/s1, 0.8)", "proposed(/better)",
        "base_stability(/better, 0.9)", "proposed(/worse)", "base_stability(/worse, 0.9)",
        "error_history(/worse, /panic, \"x\")"});
  EXPECT_EQ(ask("valid_transition(X)"), Lines{"valid_transition(/better)"});
  EXPECT_EQ(ask("should_halt(X)"), Lines{"should_halt(/worse)"});
}

TEST_F(AutopoiesisPack, StagnationHaltsTheStepsOfTheHistory) {
  tell({"history(/s1, \"h1\")", "history(/s2, \"h2\")"});
  EXPECT_EQ(ask("should_halt(X)"), Lines{});
  tell({"history(/s3, \"h1\")"});
  EXPECT_EQ(ask("should_halt(X)"),
            (Lines{"should_halt(/s1)", "should_halt(/s2)", "should_halt(/s3)"}));
}

}  // namespace
}  // namespace anima::datalog::autopoiesis_rules_test
