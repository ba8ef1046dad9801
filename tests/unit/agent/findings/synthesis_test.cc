// Rows Y1-Y8. The three documents are those of the specification, byte for byte.
#include "agent/findings/synthesis.h"

#include <gtest/gtest.h>

#include "agent/findings/grammar_shelf.h"

namespace anima::agent {
namespace {

using tools::Finding;
using tools::FindingKind;

Finding triple(std::string s, std::string p, std::string o, double confidence = 1.0) {
  return {FindingKind::kTriple, std::move(s), std::move(p), std::move(o), "", confidence, 0, 0};
}

std::vector<Finding> sample() {
  return {triple("Earth", "is-a", "planet", 0.95),
          triple("Earth", "orbits", "Sun", 1.0),
          triple("Mars", "orbits", "Sun", 0.6),
          {FindingKind::kSimilar, "Earth", "", "Mars", "", 0.71, 0, 0},
          {FindingKind::kGap, "Mars", "", "", "no triples about moons", 0.9, 0, 0},
          {FindingKind::kInference, "", "", "", "", 1.0, 2, 1}};
}

std::string written(const std::vector<Finding>& findings, std::string_view grammar) {
  return linearize(synthesize("inner planets", 4, findings), *builtin_grammar(grammar));
}

TEST(Synthesis, Y1_Narrative) {
  EXPECT_EQ(written(sample(), "narrative"),
            R"(Explored "inner planets" over 4 cycles, found 6 facts about 4 topics.

## Earth
Earth comes up in 2 findings. Earth is a planet. Also, Earth orbits Sun.

## Mars
Mars comes up in 1 finding. Mars orbits Sun (possibly).

## Related concepts
Earth resembles Mars (0.71).

## Reasoning results
Applying rules produced 2 new facts in 1 pass.

## Open questions
What is still missing for Mars: no triples about moons.
)");
}

TEST(Synthesis, Y1_Formal) {
  EXPECT_EQ(written(sample(), "formal"),
            R"(Explored "inner planets" over 4 cycles, found 6 facts about 4 topics.

## Earth
- Earth is a planet (confidence 0.95)
- Earth orbits Sun (confidence 1.00)

## Mars
- Mars orbits Sun (confidence 0.60)

## Related concepts
- Earth, Mars (similarity 0.71)

## Reasoning results
- Rule application: 2 new facts, 1 iteration

## Knowledge gaps
- Mars: no triples about moons
)");
}

TEST(Synthesis, Y1_Y2_TerseIsFactsOnly) {
  EXPECT_EQ(written(sample(), "terse"),
            R"(Earth is-a planet [0.95]
Earth orbits Sun [1.00]
Mars orbits Sun [0.60]
Earth ~ Mars [0.71]
+2 facts / 1 iter
? Mars: no triples about moons
)");
}

TEST(Synthesis, NothingFound) {
  EXPECT_EQ(written({}, "narrative"),
            "Explored \"inner planets\" but found no concrete facts yet.\n");
  EXPECT_EQ(written({}, "terse"), "");
}

TEST(Synthesis, Y3_BookkeepingNeverAppears) {
  const std::vector<Finding> findings = {triple("goal:x", "agent:has_status", "active"),
                                         triple("Sun", "agent:learned", "Earth"),
                                         triple("Sun", "is-a", "episode:1:2")};
  for (const char* grammar : {"narrative", "formal", "terse"}) {
    const std::string text = written(findings, grammar);
    EXPECT_EQ(text.find("goal:"), std::string::npos);
    EXPECT_EQ(text.find("agent:"), std::string::npos);
    EXPECT_EQ(text.find("episode:"), std::string::npos);
  }
}

TEST(Synthesis, Y4_SameFactOnce) {
  auto findings = sample();
  findings.push_back(triple("Earth", "orbits", "Sun", 0.4));
  EXPECT_EQ(written(findings, "terse"), written(sample(), "terse"));
}

constexpr char kLedger[] = R"TOML(
[grammar]
name = "ledger"
description = "one line"
[linearization]
triple     = "{subject} / {predicate} / {object}"
similarity = "{entity} ≈ {similar_to} ({score})"
gap        = "TODO {entity}: {description}"
inference  = "{expression} => {simplified}"
section    = "[{heading}]"
)TOML";

TEST(Synthesis, Y5_CustomGrammar) {
  const auto grammar = parse_grammar(kLedger, "ledger.toml");
  ASSERT_TRUE(grammar.has_value()) << grammar.error().describe();
  EXPECT_EQ(linearize(synthesize("inner planets", 4, sample()), *grammar),
            R"(Explored "inner planets" over 4 cycles, found 6 facts about 4 topics.

[Earth]
Earth / is-a / planet
Earth / orbits / Sun

[Mars]
Mars / orbits / Sun

[Related concepts]
Earth ≈ Mars (0.71)

[Reasoning results]
rules => 2 new facts in 1 pass

[Open questions]
TODO Mars: no triples about moons
)");
  const auto bare = parse_grammar("[grammar]\nname = \"bare\"\n", "bare.toml");
  const std::string text =
      linearize(synthesize("x", 1, {{triple("Mars", "orbits", "Sun", 0.6)}}), *bare);
  EXPECT_NE(text.find("Mars orbits Sun (possibly)."), std::string::npos) << text;
}

TEST(Synthesis, Y6_BadGrammarFallsBackWithItsReason) {
  TemporaryDirectory folder;
  const auto write = [&](const std::string& text) {
    ASSERT_TRUE(replace_file(system_files(), folder.file("g.toml"), text).has_value());
  };
  write("[grammar]\nname = \"x\"\n[linearization]\ntriple = \"{subjekt}\"\n");
  const GrammarShelf shelf = grammar_shelf(system_files(), folder.file("space"), nullptr);
  GrammarChoice choice = choose_grammar("g.toml", shelf, system_files(), folder.path());
  EXPECT_EQ(choice.grammar.name, "narrative");
  EXPECT_NE(choice.warning.find("subjekt"), std::string::npos) << choice.warning;
  EXPECT_NE(choice.warning.find("InvalidCustomGrammar"), std::string::npos);
  write("[grammar]\ndescription = \"no name\"\n");
  EXPECT_NE(choose_grammar("./g.toml", shelf, system_files(), folder.path()).warning, "");
  write("[grammar]\nname = \"x\"\n[linearization]\ntripel = \"{subject}\"\n");
  EXPECT_NE(choose_grammar("g.toml", shelf, system_files(), folder.path()).warning.find("tripel"),
            std::string::npos);
  EXPECT_NE(choose_grammar("missing.toml", shelf, system_files(), folder.path()).warning, "");
  EXPECT_EQ(choose_grammar("nonsense", shelf, system_files(), folder.path()).grammar.name,
            "narrative");
  write(kLedger);
  choice = choose_grammar("g.toml", shelf, system_files(), folder.path());
  EXPECT_EQ(choice.grammar.name, "ledger");
  EXPECT_EQ(choice.warning, "");
}

TEST(Synthesis, KeptGrammarsAreKnownByName) {
  TemporaryDirectory folder;
  const std::string space = folder.file("space");
  ASSERT_TRUE(replace_file(system_files(), folder.file("any.toml"), kLedger).has_value());
  const auto kept = keep_grammar(system_files(), space, folder.file("any.toml"));
  ASSERT_TRUE(kept.has_value()) << kept.error().describe();
  EXPECT_EQ(kept->from, space + "/grammars/ledger.toml");
  ASSERT_TRUE(
      replace_file(system_files(), space + "/grammars/broken.toml", "[grammar]\n").has_value());
  const GrammarShelf shelf = grammar_shelf(system_files(), space, nullptr);
  EXPECT_EQ(shelf.warnings.size(), 1U);
  EXPECT_EQ(shelf.grammars.size(), 4U);
  const GrammarChoice choice = choose_grammar("ledger", shelf, system_files(), folder.path());
  EXPECT_EQ(choice.grammar.name, "ledger");
  EXPECT_EQ(choice.warning, "");
  const auto near = find_grammar(shelf, system_files(), "legder");
  ASSERT_FALSE(near.has_value());
  EXPECT_NE(near.error().describe().find("did you mean \"ledger\"?"), std::string::npos);
}

TEST(Synthesis, Y7_SubstitutionIsOnePass) {
  const auto grammar = parse_grammar(
      "[grammar]\nname = \"x\"\n[linearization]\ntriple = \"{{{subject}}} {object}\"\n", "x.toml");
  ASSERT_TRUE(grammar.has_value()) << grammar.error().describe();
  const std::string text =
      linearize(synthesize("x", 1, {{triple("{object}", "p", "}}b")}}), *grammar);
  EXPECT_NE(text.find("\n{{object}} }}b\n"), std::string::npos) << text;
}

TEST(Synthesis, Y8_Articles) {
  EXPECT_EQ(predicate_words("is-a", "owl"), "is an");
  EXPECT_EQ(predicate_words("is-a", "hour"), "is an");
  EXPECT_EQ(predicate_words("is-a", "user"), "is a");
  EXPECT_EQ(predicate_words("is-a", "planet"), "is a");
  EXPECT_EQ(predicate_words("code:defined-in", "x"), "is defined in");
  EXPECT_EQ(predicate_words("moves_around", "x"), "moves around");
}

}  // namespace
}  // namespace anima::agent
