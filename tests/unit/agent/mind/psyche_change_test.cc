// A psyche over another: no veto goes without being named, and what changed is told.
#include "agent/mind/psyche_change.h"

#include <gtest/gtest.h>

namespace anima::agent {
namespace {

Psyche with_veto() {
  Psyche psyche;
  psyche.shadow.veto_patterns.push_back({"offline", {"http:fetch", "curl"}, 1.0, "stay offline"});
  return psyche;
}

TEST(PsycheChange, AFileIsLaidOverWhatIsInForce) {
  Psyche in_force = with_veto();
  in_force.archetypes.sage = 0.9;
  const auto laid = lay_over(in_force, "[persona]\nname = \"Mentor\"\n", "p.toml");
  ASSERT_TRUE(laid) << laid.error().describe();
  EXPECT_EQ(laid->persona.name, "Mentor");
  EXPECT_EQ(laid->archetypes.sage, 0.9);
  EXPECT_EQ(laid->shadow, in_force.shadow);
}

TEST(PsycheChange, AGrammarLiesBesideTheFileThatNamesIt) {
  const auto grammar = [](std::string_view named) {
    return lay_over(Psyche(), "[persona]\ngrammar_preference = \"" + std::string(named) + "\"\n",
                    "/packs/me/psyche.toml")
        ->persona.grammar_preference;
  };
  EXPECT_EQ(grammar("terse.toml"), "/packs/me/terse.toml");
  EXPECT_EQ(grammar("grammars/terse.toml"), "/packs/me/grammars/terse.toml");
  EXPECT_EQ(grammar("/g/terse.toml"), "/g/terse.toml");
  EXPECT_EQ(grammar("terse"), "terse");
}

TEST(PsycheChange, AVetoMayGrowAndNeverShrinks) {
  const auto lay = [](std::string_view triggers) {
    return lay_over(with_veto(),
                    "[[shadow.veto_patterns]]\nname = \"offline\"\ntriggers = " +
                        std::string(triggers) + "\nseverity = 1.0\nexplanation = \"\"\n",
                    "p.toml");
  };
  EXPECT_TRUE(lay("[\"http:fetch\", \"curl\", \"wget\"]"));
  for (const char* fewer : {"[\"http:fetch\"]", "[]"}) {
    const auto refused = lay(fewer);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
  }
  EXPECT_FALSE(lay_over(with_veto(), "[shadow]\ndrop_vetoes = [\"offline\"]\n", "p.toml"));
  EXPECT_EQ(lost_vetoes(with_veto(), Psyche()), std::vector<std::string>{"offline"});
}

TEST(PsycheChange, TheDefaultsKeepTheVetoesInForce) {
  Psyche in_force = with_veto();
  in_force.persona.name = "Mentor";
  const Psyche reset = default_with_vetoes(in_force);
  EXPECT_EQ(reset.persona, Psyche().persona);
  EXPECT_TRUE(lost_vetoes(in_force, reset).empty());
}

TEST(PsycheChange, VetoesGoByTheirNames) {
  const auto gone = without_vetoes(with_veto(), {"offline"});
  ASSERT_TRUE(gone);
  EXPECT_EQ(*gone, Psyche());
  const auto unknown = without_vetoes(with_veto(), {"ofline"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_NE(unknown.error().hint.find("offline"), std::string::npos);
}

TEST(PsycheChange, WhatDiffersIsTold) {
  EXPECT_TRUE(differences(Psyche(), Psyche()).empty());
  const std::vector<std::string> added = differences(Psyche(), with_veto());
  EXPECT_EQ(added, std::vector<std::string>{"veto offline added: http:fetch, curl"});
  Psyche named;
  named.persona.name = "Mentor";
  EXPECT_EQ(differences(Psyche(), named),
            std::vector<std::string>{"persona.name: Mentor, was Scholar"});
}

}  // namespace
}  // namespace anima::agent
