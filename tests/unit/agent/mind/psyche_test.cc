// Rows P1-P19 of the acceptance table that need no running agent.
#include "agent/mind/psyche.h"

#include <gtest/gtest.h>

namespace anima::agent {
namespace {

using Input = std::map<std::string, std::string>;

TEST(Psyche, P1_BonusIsDistanceFromHalfTimesFifteenHundredths) {
  const Psyche psyche;
  EXPECT_NEAR(psyche.archetype_bonus("kg_query"), 0.030, 1e-12);
  EXPECT_NEAR(psyche.archetype_bonus("gap_analysis"), 0.0, 1e-12);
  EXPECT_NEAR(psyche.archetype_bonus("memory_recall"), -0.015, 1e-12);
  EXPECT_NEAR(psyche.archetype_bonus("file_io"), 0.0, 1e-12);
  EXPECT_EQ(psyche.archetype_bonus("no_such_tool"), 0.0);
}

TEST(Psyche, P2_MutateCountsAsSage) {
  EXPECT_NEAR(Psyche().archetype_bonus("kg_mutate"), 0.030, 1e-12);
}

TEST(Psyche, P3_VetoIsCaseInsensitiveSubstring) {
  const Psyche psyche;
  const ShadowPattern* veto =
      psyche.check_veto(describe_action("shell_exec", Input{{"command", "sudo RM -RF /"}}));
  ASSERT_NE(veto, nullptr);
  EXPECT_EQ(veto->name, "destructive_action");
  EXPECT_EQ(veto->severity, 1.0);
  EXPECT_EQ(psyche.check_veto(describe_action("shell_exec", Input{{"command", "ls"}})), nullptr);
}

TEST(Psyche, P4_VetoSeesThroughTabsAndQuotes) {
  const Psyche psyche;
  EXPECT_NE(psyche.check_veto(describe_action("shell_exec", Input{{"command", "rm\t-rf x"}})),
            nullptr);
  EXPECT_NE(psyche.check_veto(describe_action("shell_exec", Input{{"command", "rm \n -rf x"}})),
            nullptr);
  const Psyche quoting = *parse_psyche(
      "[[shadow.veto_patterns]]\nname = \"q\"\ntriggers = ['say \"x\"']\n", "psyche.toml");
  EXPECT_NE(quoting.check_veto(describe_action("user_interact", Input{{"question", "say \"x\""}})),
            nullptr);
}

TEST(Psyche, ActionTextIsSortedAndEscaped) {
  const ActionText action = describe_action("kg_mutate", Input{{"b", "2"}, {"a", "x\"y"}});
  EXPECT_EQ(action.description, R"(tool=kg_mutate input={"a": "x\"y", "b": "2"})");
}

TEST(Psyche, P7_ToolNameIsATrigger) {
  const Psyche offline = *parse_psyche(R"(
[[shadow.veto_patterns]]
name = "no_external_network"
triggers = ["http_fetch", "curl", "wget"]
severity = 1.0
explanation = "This agent is configured for offline-only operation."
)",
                                       "psyche.toml");
  EXPECT_NE(offline.check_veto(describe_action("http_fetch", Input{{"url", "https://x.org"}})),
            nullptr);
  for (const char* tool : {"kg_query", "kg_mutate", "reason", "file_io", "shell_exec"}) {
    EXPECT_EQ(offline.check_veto(describe_action(tool, Input{{"symbol", "x"}})), nullptr) << tool;
  }
}

TEST(Psyche, P8_BiasesAddUp) {
  const Psyche psyche = *parse_psyche(R"(
[[shadow.bias_patterns]]
name = "a"
triggers = ["shell_exec"]
severity = 0.3
[[shadow.bias_patterns]]
name = "b"
triggers = ["echo"]
severity = 0.2
)",
                                      "psyche.toml");
  EXPECT_NEAR(psyche.check_bias(describe_action("shell_exec", Input{{"command", "echo 1"}})), 0.5,
              1e-12);
}

TEST(Psyche, P9_PartialFileKeepsTheDefaultVetoes) {
  const Psyche psyche = *parse_psyche(R"(
[persona]
name = "Explorer"
grammar_preference = "terse"
traits = ["adventurous", "bold", "direct"]
tone = ["energetic", "concise"]
)",
                                      "psyche.toml");
  EXPECT_EQ(psyche.persona.name, "Explorer");
  EXPECT_EQ(psyche.persona.grammar_preference, "terse");
  EXPECT_EQ(psyche.shadow, Psyche().shadow);
  EXPECT_EQ(psyche.archetypes, Psyche().archetypes);
}

TEST(Psyche, VetoesAreNeverLostByOmission) {
  const Psyche psyche = *parse_psyche(
      "[[shadow.veto_patterns]]\nname = \"mine\"\ntriggers = [\"x\"]\n", "psyche.toml");
  ASSERT_EQ(psyche.shadow.veto_patterns.size(), 2U);
  EXPECT_EQ(psyche.shadow.veto_patterns[0].name, "destructive_action");
  const Psyche without =
      *parse_psyche("[shadow]\ndrop_vetoes = [\"destructive_action\"]\n", "psyche.toml");
  EXPECT_TRUE(without.shadow.veto_patterns.empty());
}

TEST(Psyche, P10_MalformedFileIsAnErrorWithItsPlace) {
  const auto severity =
      parse_psyche("[[shadow.veto_patterns]]\nname = \"a\"\nseverity = 2.0\n", "psyche.toml");
  ASSERT_FALSE(severity.has_value());
  EXPECT_EQ(severity.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(severity.error().where.find("psyche.toml:3"), std::string::npos)
      << severity.error().describe();
  EXPECT_FALSE(parse_psyche("[archetypes]\nsage = 1.5\n", "psyche.toml").has_value());
  EXPECT_FALSE(parse_psyche("[persona\n", "psyche.toml").has_value());
  EXPECT_FALSE(parse_psyche("[shadow]\nveto_patterns = 1\n", "psyche.toml").has_value());
  EXPECT_FALSE(parse_psyche("persona = 1\n", "psyche.toml").has_value());
}

TEST(Psyche, UnknownKeysWarn) {
  std::vector<std::string> warnings;
  ASSERT_TRUE(parse_psyche("[archetypes]\nsgae = 0.5\n", "p.toml", {}, &warnings).has_value());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("sage"), std::string::npos) << warnings[0];
}

TEST(Psyche, P11_GoodCategoryRises) {
  Psyche psyche;
  const ToolUse uses[] = {{"kg_query", 4, 3}};
  EXPECT_EQ(psyche.evolve(uses, 0, 5), "reflection: sage +0.02");
  EXPECT_NEAR(psyche.archetypes.sage, 0.72, 1e-12);
  EXPECT_EQ(psyche.self_integration.rebalance_count, 1U);
  EXPECT_EQ(psyche.self_integration.last_evolution_cycle, 5U);
}

TEST(Psyche, P12_BadCategoryFalls) {
  Psyche psyche;
  const ToolUse uses[] = {{"http_fetch", 1, 0}, {"file_io", 1, 0}};
  EXPECT_EQ(psyche.evolve(uses, 0, 5), "reflection: explorer -0.02");
  EXPECT_NEAR(psyche.archetypes.explorer, 0.48, 1e-12);
}

TEST(Psyche, P13_BordersAreStrict) {
  Psyche psyche;
  const ToolUse at_good[] = {{"kg_query", 10, 7}};
  const ToolUse at_bad[] = {{"kg_query", 10, 3}};
  const ToolUse once[] = {{"kg_query", 1, 1}};
  psyche.evolve(at_good, 0, 5);
  psyche.evolve(at_bad, 0, 10);
  psyche.evolve(once, 0, 15);
  EXPECT_EQ(psyche.archetypes, Psyche().archetypes);
  EXPECT_EQ(psyche.self_integration.rebalance_count, 0U);
}

TEST(Psyche, P14_CategoryMovesOnce) {
  Psyche psyche;
  const ToolUse uses[] = {{"kg_query", 3, 3}, {"reason", 3, 3}};
  psyche.evolve(uses, 0, 5);
  EXPECT_NEAR(psyche.archetypes.sage, 0.72, 1e-12);
}

TEST(Psyche, P15_ClampDoesNotCountAsRebalance) {
  Psyche psyche;
  psyche.archetypes.sage = 0.94;
  const ToolUse uses[] = {{"kg_query", 2, 2}};
  psyche.evolve(uses, 0, 5);
  EXPECT_NEAR(psyche.archetypes.sage, 0.95, 1e-12);
  psyche.evolve(uses, 0, 10);
  EXPECT_NEAR(psyche.archetypes.sage, 0.95, 1e-12);
  EXPECT_EQ(psyche.self_integration.rebalance_count, 1U);
}

TEST(Psyche, P16_Individuation) {
  Psyche three;
  three.self_integration.shadow_encounters = 3;
  three.evolve({}, 0, 5);
  EXPECT_NEAR(three.self_integration.individuation_level, 0.13, 1e-12);
  Psyche nine;
  nine.self_integration.shadow_encounters = 9;
  nine.evolve({}, 0, 5);
  EXPECT_NEAR(nine.self_integration.individuation_level, 0.15, 1e-12);
  nine.self_integration.individuation_level = 0.99;
  nine.evolve({}, 0, 10);
  EXPECT_EQ(nine.self_integration.individuation_level, 1.0);
  Psyche since;
  since.self_integration.basis = IndividuationBasis::kSinceLast;
  since.self_integration.shadow_encounters = 2;
  since.evolve({}, 0, 5);
  since.evolve({}, 0, 10);
  EXPECT_NEAR(since.self_integration.individuation_level, 0.12, 1e-12);
}

TEST(Psyche, P17_AbandonSuggestionsAreEncounters) {
  Psyche psyche;
  psyche.evolve({}, 2, 5);
  EXPECT_EQ(psyche.self_integration.shadow_encounters, 2U);
}

TEST(Psyche, P18_DominantTies) {
  Psyche psyche;
  psyche.archetypes = {0.5, 0.5, 0.5, 0.5};
  EXPECT_EQ(psyche.dominant_archetype(), Archetype::kSage);
  psyche.archetypes.sage = 0.4;
  EXPECT_EQ(psyche.dominant_archetype(), Archetype::kHealer);
  psyche.archetypes.healer = 0.4;
  EXPECT_EQ(psyche.dominant_archetype(), Archetype::kGuardian);
}

TEST(Psyche, WrittenAndReadBack) {
  Psyche psyche;
  psyche.persona.name = "Mentor \"the\" 2nd";
  psyche.archetypes = {0.8, 0.6, 0.1, 0.95};
  psyche.shadow.veto_patterns.clear();
  psyche.shadow.bias_patterns[0].triggers.push_back("tab\there");
  psyche.self_integration.individuation_level = 0.37;
  psyche.self_integration.shadow_encounters = 12;
  const auto read = parse_psyche(to_toml(psyche), "psyche.toml");
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_EQ(*read, psyche);
  const auto stored = psyche_from_json(to_json(psyche));
  ASSERT_TRUE(stored.has_value()) << stored.error().describe();
  EXPECT_EQ(*stored, psyche);
}

}  // namespace
}  // namespace anima::agent
