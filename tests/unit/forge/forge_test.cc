// Rows O3, O4, O7, O9 to O20, O23 to O26, R1 to R9 of learning_and_psyche: the state machine with
// the real checker, the real compiler and the real sandbox.
#include "forge/forge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "base/crypto.h"
#include "forge/detail/rule_world.h"
#include "support/forge_cache.h"
#include "support/needs_sandbox.h"
#include "tools/mcp/tool_book.h"
#include "tools/sandbox/sandbox.h"

namespace anima::forge::forge_test {
namespace {

using ::testing::HasSubstr;

std::string tool_source(const std::string& output) {
  return "```cpp\n#include \"tool_api.hpp\"\ntool::Result run(const tool::Input&, tool::Cancel) {\n"
         "  return {\"" +
         output + "\", {}};\n}\n```\n```json\n[{\"input\": \"\", \"output\": \"" + output +
         "\"}]\n```\n";
}
const std::string kUnsafe =
    "#include \"tool_api.hpp\"\n#include <dlfcn.h>\ntool::Result run(const tool::Input&, "
    "tool::Cancel) { return {}; }\n";

std::string unsafe(int number) { return kUnsafe + "// " + std::to_string(number) + "\n"; }

// What it was told, and what it proposes.
class Watched final : public Generator {
 public:
  explicit Watched(std::vector<std::string> sources)
      : inner_(make_scripted_generator(std::move(sources))) {}
  Result<ToolSource> propose(const Need& need, const std::optional<Feedback>& feedback) override {
    ++calls;
    told.push_back(feedback);
    if (throws) throw std::runtime_error("it broke");
    return inner_->propose(need, feedback);
  }
  int calls = 0;
  bool throws = false;
  std::vector<std::optional<Feedback>> told;

 private:
  std::unique_ptr<Generator> inner_;
};

class ForgeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
    auto space = store::Space::open(folder_.file("space"), {.create = true});
    ASSERT_TRUE(space.has_value()) << space.error().describe();
    space_ = *std::move(space);
    ledger_ = std::make_unique<govern::Ledger>(*space_, clock_, random_);
    options_.folder = folder_.file("space/tools");
    options_.origin.author = "tester";
    options_.compile.cache_folder = test::forge_cache();
    options_.sleep = [this](std::int64_t milliseconds) { slept_.push_back(milliseconds); };
    options_.replace = true;
  }

  std::unique_ptr<Forge> open() {
    auto forge = Forge::open(*space_, *ledger_, clock_, random_, options_);
    EXPECT_TRUE(forge.has_value()) << forge.error().describe();
    return forge ? *std::move(forge) : nullptr;
  }

  static Need need(double confidence = 0.8) {
    Need need;
    need.name = "greeter";
    need.purpose = "says something";
    need.confidence = confidence;
    need.triggers = {"a", "b"};
    return need;
  }

  std::vector<Json> audit(std::string_view action) {
    std::vector<Json> found;
    const auto read = ledger_->read(store::RecordKind::kAudit, store::Sequence::kNone,
                                    [&](const govern::LedgerEntry& entry) -> Status {
                                      const Json* name = entry.content.find("action");
                                      if (name != nullptr && name->as_string() == action)
                                        found.push_back(*entry.content.find("details"));
                                      return {};
                                    });
    EXPECT_TRUE(read.has_value());
    return found;
  }

  TemporaryDirectory folder_{"anima-forge"};
  ManualClock clock_{Timestamp{1'000'000'000'000'000}, 1'000'000};
  SystemRandom random_;
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<govern::Ledger> ledger_;
  ForgeOptions options_;
  std::vector<std::int64_t> slept_;
};

TEST_F(ForgeTest, R1R2R5RegistersVersionsAndRestores) {
  auto forge = open();
  auto first = make_scripted_generator({tool_source("one")});
  const ForgeReport report = forge->generate(need(), *first);
  ASSERT_TRUE(report.success) << report.error->describe() << report.safety.feedback();
  EXPECT_EQ(report.stage, "complete");
  for (const char* query : {"tool_registered(\"greeter\", T)", "tool_hash(\"greeter\", H)",
                            "tool_capability(\"greeter\", C)", "tool_description(\"greeter\", D)",
                            "tool_binary_path(\"greeter\", P)", "tool_hot_loaded(\"greeter\", T)"})
    EXPECT_EQ(forge->ask(query)->size(), 1U) << query;
  auto second = make_scripted_generator({tool_source("two")});
  ASSERT_TRUE(forge->generate(need(), *second).success);  // O19: equal stability
  const auto versions = forge->ask("tool_version(\"greeter\", V)");
  ASSERT_EQ(versions->size(), 1U);
  EXPECT_EQ((*versions)[0][1], "2");
  const auto again = open();
  const auto tools = again->tools().list();
  ASSERT_EQ(tools->size(), 1U);
  EXPECT_EQ((*tools)[0].description, "says something");
  EXPECT_EQ(again->ask("tool_version(\"greeter\", V)")->size(), 1U);
}

TEST_F(ForgeTest, O3ProductionMakesNothing) {
  options_.mode = "/production";
  Watched generator({tool_source("one")});
  const ForgeReport refused = open()->generate(need(), generator);
  EXPECT_FALSE(refused.success);
  EXPECT_THAT(refused.error->message, HasSubstr("production_mode"));
  EXPECT_EQ(generator.calls, 0);
  options_.override_production = true;
  EXPECT_TRUE(open()->generate(need(), generator).success);
}

TEST_F(ForgeTest, O4DangerousCapabilitiesAreNeverMade) {
  Watched generator({tool_source("one")});
  for (const char* capability :
       {"/exec_arbitrary", "/network_unconstrained", "/system_admin", "/credential_access"}) {
    Need dangerous = need();
    dangerous.capabilities = {capability};
    const ForgeReport report = open()->generate(dangerous, generator);
    EXPECT_FALSE(report.success);
    EXPECT_EQ(report.error->code, ErrorCode::kDenied) << capability;
  }
  EXPECT_EQ(generator.calls, 0);
}

TEST_F(ForgeTest, O7NoNameFailsAtDetection) {
  Watched generator({tool_source("one")});
  const ForgeReport report = open()->generate(Need(), generator);
  EXPECT_FALSE(report.success);
  EXPECT_EQ(report.stage, "detection");
  EXPECT_THAT(report.error->message, HasSubstr("a need has a name"));
  EXPECT_EQ(generator.calls, 0);
}

TEST_F(ForgeTest, WhatTheMachineLacksIsToldAtOnce) {
  Watched generator({tool_source("one")});
  options_.safety.inspector = folder_.file("anima-inspect");
  const ForgeReport unread = open()->generate(need(), generator);
  EXPECT_EQ(unread.error->code, ErrorCode::kNotFound);
  EXPECT_THAT(unread.error->message, HasSubstr("anima-inspect"));
  EXPECT_THAT(unread.error->hint, HasSubstr("--target anima-inspect"));
  options_.safety.inspector.clear();
  options_.compile.compiler = folder_.file("clang++");
  const ForgeReport uncompiled = open()->generate(need(), generator);
  EXPECT_EQ(uncompiled.error->code, ErrorCode::kNotFound);
  EXPECT_THAT(uncompiled.error->hint, HasSubstr("install clang"));
  EXPECT_EQ(uncompiled.stage, "detection");
  EXPECT_EQ(generator.calls, 0);
  EXPECT_TRUE(slept_.empty());
}

TEST_F(ForgeTest, O9O10O11R9ThreeProposalsWithFeedback) {
  auto forge = open();
  Watched generator({unsafe(1), unsafe(2), unsafe(3)});
  const ForgeReport report = forge->generate(need(), generator);
  EXPECT_FALSE(report.success);
  EXPECT_EQ(generator.calls, 3);
  EXPECT_THAT(report.error->message, HasSubstr("after 3 attempts"));
  EXPECT_EQ(forge->stats().tools_rejected, 1);
  EXPECT_FALSE(generator.told[0].has_value());
  ASSERT_TRUE(generator.told[1].has_value());
  EXPECT_EQ(generator.told[1]->source, unsafe(1));
  EXPECT_THAT(generator.told[1]->violations, HasSubstr("[forbidden_import]"));
  EXPECT_THAT(generator.told[1]->violations, HasSubstr("line 2"));
  EXPECT_THAT(generator.told[1]->violations, HasSubstr("[blocking]"));
  EXPECT_EQ(slept_, (std::vector<std::int64_t>{100, 100}));
  const auto proposals = audit(kToolProposed);
  ASSERT_EQ(proposals.size(), 3U);
  for (const Json& each : proposals) {
    EXPECT_EQ(each.find("source_sha256")->as_string().size(), 64U);
    EXPECT_FALSE(each.find("report")->find("violations")->as_array().empty());
  }
}

TEST_F(ForgeTest, O12O25StagnationInRetries) {
  Watched generator({kUnsafe});
  const ForgeReport report = open()->generate(need(), generator);
  EXPECT_FALSE(report.success);
  EXPECT_EQ(generator.calls, 2);
  EXPECT_THAT(report.error->message, HasSubstr("stagnation"));
}

TEST_F(ForgeTest, O13O24StagnationAgainstWhatIsRegistered) {
  auto forge = open();
  auto generator = make_scripted_generator({tool_source("one")});
  const ForgeReport made = forge->generate(need(), *generator);
  ASSERT_TRUE(made.success) << made.error->describe();
  const ForgeReport again = forge->generate(need(), *generator);
  EXPECT_FALSE(again.success);
  EXPECT_THAT(again.error->message, HasSubstr("stagnation"));
  const auto tool = forge->tools().find("greeter");
  EXPECT_EQ((*tool)->version, 1);
  EXPECT_EQ((*tool)->binary_sha256, made.tool->binary_sha256);
  EXPECT_TRUE(forge->ask("proposed(S)")->empty());
  EXPECT_TRUE(forge->ask("history(S, H)")->empty());
}

TEST_F(ForgeTest, O15O18RetriesLowerTheStability) {
  auto forge = open();
  auto third = make_scripted_generator({unsafe(1), unsafe(2), tool_source("three")});
  const ForgeReport report = forge->generate(need(), *third);
  ASSERT_TRUE(report.success) << report.error->describe();
  EXPECT_EQ(report.tool->stability, 90);  // each run held, less the retries
  auto better = make_scripted_generator({tool_source("better")});
  ASSERT_TRUE(forge->generate(need(), *better).success);  // 100 over 90
  auto worse = make_scripted_generator({unsafe(4), unsafe(5), tool_source("worse")});
  const ForgeReport rejected = forge->generate(need(), *worse);
  EXPECT_FALSE(rejected.success);
  EXPECT_THAT(rejected.error->message, HasSubstr("transition rejected"));
  EXPECT_EQ((*forge->tools().find("greeter"))->version, 2);
}

// An answer with a tool that says "one" and these examples.
std::string answer(const std::string& examples) {
  const std::string whole = tool_source("one");
  return whole.substr(0, whole.find("```json")) + "```json\n" + examples + "\n```\n";
}

TEST_F(ForgeTest, AToolThatFailsAnExampleIsRefused) {
  auto forge = open();
  Watched generator({answer(R"([{"input": "", "output": "one"}, {"input": "x", "output": "two"}])"),
                     answer(R"([{"input": "", "fails": true}])"), answer("[]")});
  const ForgeReport report = forge->generate(need(), generator);
  EXPECT_FALSE(report.success);
  EXPECT_EQ(report.stage, "examples");
  EXPECT_EQ(report.error->code, ErrorCode::kDenied);
  EXPECT_THAT(report.error->message, HasSubstr("its examples failed after 3 attempts"));
  ASSERT_EQ(report.failures.size(), 3U);
  EXPECT_THAT(report.failures[0], HasSubstr("Example 2"));
  EXPECT_THAT(report.failures[0], HasSubstr(R"(it gave "one" and had to give "two")"));
  EXPECT_THAT(report.failures[1], HasSubstr("had to give an error"));
  EXPECT_THAT(report.failures[2], HasSubstr("no examples"));
  ASSERT_TRUE(generator.told[1].has_value());
  EXPECT_THAT(generator.told[1]->violations, HasSubstr("Example 2"));
  EXPECT_EQ(report.example_runs, 6);
  EXPECT_EQ(report.examples_held, 2);
  EXPECT_TRUE(forge->tools().list()->empty());
  EXPECT_EQ(audit(kToolExamined).size(), 3U);
  EXPECT_EQ(audit(kToolExamined)[0].find("held")->as_integer(), 2);
}

TEST_F(ForgeTest, TheStabilityIsWhatTheRunsGave) {
  auto forge = open();
  auto second = make_scripted_generator(
      {answer(R"([{"input": "", "output": "one"}, {"input": "x", "output": "two"}])"),
       tool_source("two")});
  const ForgeReport report = forge->generate(need(0.9), *second);
  ASSERT_TRUE(report.success) << report.error->describe();
  // Of three examples two held, twice each.
  EXPECT_EQ(report.example_runs, 6);
  EXPECT_EQ(report.examples_held, 4);
  EXPECT_EQ(report.tool->stability, 67);
  EXPECT_EQ((*forge->tools().find("greeter"))->examples,
            (std::vector<Example>{{"", {}, "two", false}}));
}

TEST_F(ForgeTest, TheExamplesOfTheNeedBind) {
  auto forge = open();
  Need wanted = need();
  wanted.examples = {{"", {}, "two", false}};
  auto generator = make_scripted_generator(
      {tool_source("one"), answer(R"([{"input": "", "output": "two"}])"), tool_source("two")});
  const ForgeReport report = forge->generate(wanted, *generator);
  ASSERT_TRUE(report.success) << report.error->describe();
  EXPECT_EQ(report.proposals, 3);
  EXPECT_EQ(report.failures.size(), 2U);
}

TEST_F(ForgeTest, ExamplesThatCannotBeReadGoBack) {
  auto forge = open();
  Watched generator({answer(R"([{"output": 1}])"), tool_source("one")});
  const ForgeReport report = forge->generate(need(), generator);
  ASSERT_TRUE(report.success) << report.error->describe();
  ASSERT_TRUE(generator.told[1].has_value());
  EXPECT_THAT(generator.told[1]->violations, HasSubstr("examples[0]"));
}

TEST_F(ForgeTest, O16O17O23APanicIsHeldAndCounts) {
  auto forge = open();
  Watched generator({tool_source("one"), tool_source("two")});
  generator.throws = true;
  const ForgeReport panic = forge->generate(need(), generator);
  EXPECT_EQ(panic.stage, "panic");
  EXPECT_FALSE(panic.success);
  EXPECT_EQ(forge->stats().panics, 1);
  generator.throws = false;
  const ForgeReport next = forge->generate(need(), generator);
  ASSERT_TRUE(next.success) << next.error->describe();
  EXPECT_EQ(next.tool->stability, 80);
  const ForgeReport third = forge->generate(need(), generator);
  ASSERT_TRUE(third.success) << third.error->describe();
  EXPECT_EQ(third.tool->stability, 100);
}

TEST_F(ForgeTest, O20IterationLimit) {
  options_.refine = true;
  options_.max_iterations = 2;
  Watched generator({tool_source("1"), tool_source("2"), tool_source("3")});
  EXPECT_TRUE(open()->generate(need(), generator).success);
  EXPECT_EQ(generator.calls, 2);
}

TEST_F(ForgeTest, O21Convergence) {
  options_.refine = true;
  Watched generator({tool_source("1"), tool_source("2"), tool_source("3"), tool_source("4")});
  EXPECT_TRUE(open()->generate(need(), generator).success);
  EXPECT_EQ(generator.calls, 3);
}

TEST_F(ForgeTest, R3WhatDoesNotCompileChangesNothing) {
  auto forge = open();
  auto good = make_scripted_generator({tool_source("one")});
  ASSERT_TRUE(forge->generate(need(), *good).success);
  // It is the same name as one of the interface, which only the linker sees.
  auto bad =
      make_scripted_generator({"#include \"tool_api.hpp\"\nnamespace tool { std::string "
                               "trim(std::string_view text) { return "
                               "std::string(text); } }\ntool::Result run(const tool::Input&, "
                               "tool::Cancel) { return {}; }\n"});
  const ForgeReport report = forge->generate(need(), *bad);
  EXPECT_FALSE(report.success);
  EXPECT_EQ(report.stage, "compilation");
  EXPECT_FALSE(report.compile_errors.empty());
  EXPECT_THAT(report.error->message, HasSubstr("it does not compile"));
  EXPECT_THAT(report.compile_errors, HasSubstr("trim"));
  EXPECT_EQ(forge->stats().tools_compiled, 1);
  EXPECT_EQ((*forge->tools().find("greeter"))->version, 1);
  EXPECT_EQ((*forge->ask("tool_version(\"greeter\", V)"))[0][1], "1");
}

TEST_F(ForgeTest, R4AFailureAtAnyStepLeavesTheVersionBefore) {
  auto good = make_scripted_generator({tool_source("one")});
  ASSERT_TRUE(open()->generate(need(), *good).success);
  for (const char* at : {"compile", "stage", "keep", "binary", "source", "manifest", "register"}) {
    options_.at_step = [at](std::string_view step) -> Status {
      if (step != at) return {};
      return fail(ErrorCode::kIo, "it stops here");
    };
    auto next = make_scripted_generator({tool_source(at)});
    auto forge = open();
    EXPECT_FALSE(forge->generate(need(), *next).success) << at;
    const auto tool = forge->tools().find("greeter");
    ASSERT_TRUE(tool->has_value()) << at;
    EXPECT_EQ((*tool)->version, 1) << at;
    EXPECT_THAT(*forge->tools().source("greeter"), HasSubstr("one")) << at;
    EXPECT_TRUE(system_files().list(options_.folder + "/.staging")->empty()) << at;
  }
}

TEST_F(ForgeTest, R6ATamperedBinaryIsPutInQuarantine) {
  auto generator = make_scripted_generator({tool_source("one")});
  ASSERT_TRUE(open()->generate(need(), *generator).success);
  const std::string binary = options_.folder + "/.compiled/greeter";
  auto bytes = read_file(system_files(), binary);
  (*bytes)[1000] = static_cast<char>((*bytes)[1000] ^ 1);
  ASSERT_TRUE(replace_file(system_files(), binary, *bytes, 0755).has_value());
  auto forge = open();
  EXPECT_TRUE(forge->tools().list()->empty());
  EXPECT_FALSE(audit(kToolRecovered).empty());
  const auto snapshot = space_->snapshot();
  EXPECT_TRUE(tools::read_tool_book(*snapshot)->manifests.empty());
}

TEST_F(ForgeTest, RemovedToolsAreGoneAndTheirStoryStays) {
  auto forge = open();
  auto generator = make_scripted_generator({tool_source("one")});
  ASSERT_TRUE(forge->generate(need(), *generator).success);
  ASSERT_TRUE(forge->remove("greeter").has_value());
  EXPECT_FALSE(forge->remove("greeter").has_value());
  EXPECT_TRUE(forge->tools().list()->empty());
  EXPECT_TRUE(forge->ask("tool_hash(T, H)")->empty());
  EXPECT_EQ(audit(kToolWithdrawn).size(), 1U);
  EXPECT_TRUE(forge->generate(need(), *generator).success);  // from the same source
}

TEST_F(ForgeTest, R7TwoCommitsOfOneToolDoNotMix) {
  ToolStore store(system_files(), options_.folder);
  const auto commit = [&](const std::string& text) {
    MadeTool tool;
    tool.name = "greeter";
    tool.source_sha256 = hash_hex(HashAlgorithm::kSha256, "source " + text);
    tool.binary_sha256 = hash_hex(HashAlgorithm::kSha256, "binary " + text);
    for (int i = 0; i < 5; ++i) {
      const auto lock = store.lock("greeter", true);
      ASSERT_TRUE(lock.has_value());
      ASSERT_TRUE(store.commit(tool, text, "source " + text, "binary " + text).has_value());
      ASSERT_TRUE(store.find("greeter")->has_value());
    }
  };
  std::thread other([&] { commit("a"); });
  commit("b");
  other.join();
  EXPECT_EQ((*store.find("greeter"))->version, 10);
}

// The rules alone.
class LoopRules : public ::testing::Test {
 protected:
  void SetUp() override {
    auto world = detail::RuleWorld::open("packs/forge/loop.mg");
    ASSERT_TRUE(world.has_value()) << world.error().describe();
    world_ = *std::move(world);
  }
  void tell(const std::string& predicate, detail::RuleRow row) {
    ASSERT_TRUE(world_->tell(predicate, std::move(row)).has_value()) << predicate;
  }
  std::unique_ptr<detail::RuleWorld> world_;
};

TEST_F(LoopRules, O1O2MissingTools) {
  tell("user_intent", {"/a", "/c", "/v", "/t", "/x"});
  tell("user_intent", {"/b", "/c", "/v", "/t", "/x"});
  tell("goal_requires", {"/a", "/sum"});
  EXPECT_TRUE(*world_->holds("missing_tool_for(/a, /sum)"));
  EXPECT_FALSE(*world_->holds("missing_tool_for(/b, C)"));
  EXPECT_TRUE(*world_->holds("next_action(/generate_tool)"));
  tell("tool_capability", {"csv_sum", "/sum"});
  EXPECT_FALSE(*world_->holds("missing_tool_for(I, C)"));
  EXPECT_TRUE(world_->take_back("tool_capability", {"csv_sum", "/sum"}).has_value());
  tell("tool_capabilities", {"csv_sum", "/sum"});
  EXPECT_FALSE(*world_->holds("missing_tool_for(I, C)"));
}

TEST_F(LoopRules, O17O26ExactlyOnePenalty) {
  tell("step_tool", {"/s", "greeter"});
  tell("base_stability", {"/s", 80});
  EXPECT_EQ((*world_->ask("cumulative_penalty(/s, P)")), (detail::RuleAnswers{{"/s", "0"}}));
  tell("error_history", {"greeter", "/panic", 1});
  EXPECT_EQ((*world_->ask("cumulative_penalty(/s, P)")), (detail::RuleAnswers{{"/s", "20"}}));
  tell("retry_attempt", {"/r", 2, "unsafe"});
  EXPECT_EQ((*world_->ask("cumulative_penalty(/s, P)")), (detail::RuleAnswers{{"/s", "30"}}));
  EXPECT_EQ((*world_->ask("effective_stability(/s, P)")), (detail::RuleAnswers{{"/s", "50"}}));
}

TEST_F(LoopRules, O22DegradingStops) {
  tell("state_at_iteration", {"/a", 0, 80});
  tell("state_at_iteration", {"/b", 1, 79});
  EXPECT_FALSE(*world_->holds("should_halt(R)"));
  tell("state_at_iteration", {"/c", 2, 78});
  EXPECT_TRUE(*world_->holds("should_halt(\"degrading\")"));
}

TEST_F(LoopRules, O24O25ASimulationSeesTheHistoryAndLeavesNothing) {
  tell("history", {"/old", "h1"});
  auto what_if = world_->simulate();
  ASSERT_TRUE(what_if.tell({{"history", {"/new", "h1"}, true}}).has_value());
  EXPECT_TRUE(*what_if.holds("stagnation_detected()"));
  EXPECT_FALSE(*world_->holds("stagnation_detected()"));
}

}  // namespace
}  // namespace anima::forge::forge_test
