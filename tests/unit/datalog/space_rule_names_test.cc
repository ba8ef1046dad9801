// Names in rules over a space: which concept one means, and when it is ambiguous.
#include <gtest/gtest.h>

#include <string>

#include "support/links.h"
#include "support/space_rules.h"

namespace anima::datalog::space_rule_names_test {
namespace {

using rules_test::ask;
using rules_test::empty_space;
using rules_test::EntityId;
using rules_test::GraphId;
using rules_test::link;
using rules_test::over;
using rules_test::Texts;

// A concept of the type, new or known, with a link of that name to another one.
EntityId typed(store::Space& space, const std::string& type, const std::string& name,
               const std::string& relation, const std::string& other) {
  EntityId out = EntityId::kNone;
  EXPECT_TRUE(space.write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId kind,
                 type == "Entity" ? Result<EntityId>(store::kEntityType) : t.upsert_type(type));
    ANIMA_ASSIGN(out, t.upsert_concept(kind, name));
    ANIMA_ASSIGN(const EntityId p, t.upsert_predicate(relation));
    ANIMA_ASSIGN(const EntityId o, t.upsert_concept(store::kEntityType, other));
    return link(t, out, p, store::Term::entity(o), GraphId::kDefault);
  }));
  return out;
}

TEST(SpaceRuleNames, WhatIsImportedBesideATypedConceptRedirectsNoRule) {
  for (const std::string type : {"Entity", "Person"}) {
    const auto space = empty_space();
    typed(*space, "Package", "curl", "requires", "libc");
    const std::string text = "blocked(X) :- requires(\"curl\", X).";
    const auto rules = over(space->snapshot().value(), text);
    EXPECT_EQ(ask(*rules, "blocked(X)"), Texts{R"(blocked("libc"))"});
    typed(*space, type, "curl", "requires", "evil");
    ASSERT_TRUE(*rules->refresh(*space));
    EXPECT_EQ(ask(*rules, "blocked(X)"), Texts{R"(blocked("libc"))"}) << type;
    // Nor after a new start, when the rule has been loaded before.
    const auto again =
        SpaceRules::create(space->snapshot().value(), {{"test.mg", text, Names::kAsLoaded}});
    ASSERT_TRUE(again) << again.error().describe();
    EXPECT_EQ(ask(**again, "blocked(X)"), Texts{R"(blocked("libc"))"}) << type;
  }
}

TEST(SpaceRuleNames, AnAmbiguousNameIsAnErrorThatListsTheCandidates) {
  const auto space = empty_space();
  const EntityId package = typed(*space, "Package", "curl", "requires", "libc");
  typed(*space, "Entity", "curl", "requires", "evil");
  const std::vector<std::string> ambiguous = {
      "p(X) :- requires(\"curl\", X).",
      "p(X) :- requires(Y, X), Y = \"curl\".",
      "p(X) :- Y = \"curl\", requires(Y, X).",
      "vip(\"curl\").\np(X) :- vip(Y), requires(Y, X).",
      "q(Y, X) :- requires(Y, X).\np(X) :- q(\"curl\", X).",
      "p(X) :- fact(_, \"curl\", _, X).",
      "p(T) :- concept(\"curl\", T, _).",
  };
  for (const std::string& text : ambiguous) {
    const auto rules = SpaceRules::create(space->snapshot().value(), {{"test.mg", text}});
    ASSERT_FALSE(rules) << text;
    EXPECT_NE(rules.error().message.find("\"Package:curl\", \"Entity:curl\""), std::string::npos)
        << rules.error().describe();
    EXPECT_TRUE(rules.error().where.starts_with("test.mg:")) << rules.error().where;
  }
  // No names of concepts: a key, a type, a name, a text to compare with.
  const std::vector<std::string> plain = {
      "p(X) :- concept(X, _, \"curl\").",
      "p(X) :- attribute(X, \"curl\", \"curl\").",
      "vip(\"curl\").\np(X) :- vip(X).",
      "p(X) :- concept(X, _, N), N = \"curl\".",
  };
  for (const std::string& text : plain) {
    EXPECT_TRUE(SpaceRules::create(space->snapshot().value(), {{"test.mg", text}})) << text;
  }
  const auto rules = over(space->snapshot().value(),
                          "a(X) :- requires(\"Package:curl\", X).\n"
                          "b(X) :- requires(\"Entity:curl\", X).\n"
                          "c(Y, X) :- requires(Y, X).\n");
  EXPECT_EQ(ask(*rules, "a(X)"), Texts{R"(a("libc"))"});
  EXPECT_EQ(ask(*rules, "b(X)"), Texts{R"(b("evil"))"});
  const auto state = rules->state();
  for (const char* question : {"c(\"curl\", X)", "requires(\"curl\", X)"}) {
    const auto answer = state->ask(question);
    ASSERT_FALSE(answer) << question;
    EXPECT_NE(answer.error().message.find("\"Entity:curl\""), std::string::npos);
  }
  EXPECT_FALSE(rules->why_not("c(\"curl\", \"nothing\")"));
  EXPECT_EQ(ask(*rules, "c(\"Package:curl\", X)"), Texts{R"(c("curl","libc"))"});
  EXPECT_EQ(ask(*rules, "c(\"Entity:curl\", X)"), Texts{R"(c("Entity:curl","evil"))"});
  // A fact as it was printed, and as it would be written.
  EXPECT_TRUE(rules->why(R"(c("curl","libc"))"));
  EXPECT_TRUE(rules->why(R"(c("Package:curl","libc"))"));
  // Only one is left: a question means that one, a rule would change its meaning.
  ASSERT_TRUE(space->write({}, [&](store::Transaction& t) {
    return t.retract_concept(package, GraphId::kDefault, true);
  }));
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "c(\"curl\", X)"), Texts{R"(c("Entity:curl","evil"))"});
  EXPECT_FALSE(SpaceRules::create(space->snapshot().value(), {{"test.mg", ambiguous[0]}}));
}

// Names that look like a type and a name: no concept takes over what another one is called.
TEST(SpaceRuleNames, ANameThatLooksLikeATypeAndANameTakesNothing) {
  const auto space = empty_space();
  typed(*space, "Package", "curl", "requires", "libc");
  const std::string text = "p(X) :- requires(\"Package:curl\", X).";
  const auto rules = over(space->snapshot().value(), text);
  typed(*space, "Entity", "Package:curl", "requires", "evil");
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "p(X)"), Texts{R"(p("libc"))"});
  const auto again =
      SpaceRules::create(space->snapshot().value(), {{"test.mg", text, Names::kAsLoaded}});
  ASSERT_TRUE(again);
  EXPECT_EQ(ask(**again, "p(X)"), Texts{R"(p("libc"))"});
  EXPECT_FALSE(SpaceRules::create(space->snapshot().value(), {{"test.mg", text}}));
  // Every concept is called something of its own.
  const auto other = empty_space();
  typed(*other, "Entity", "curl", "requires", "a");
  typed(*other, "Entity", "Package:curl", "requires", "b");
  typed(*other, "Package", "curl", "requires", "c");
  typed(*other, "Package", "wget", "requires", "d");
  const auto all = over(other->snapshot().value(), "c(Y, X) :- requires(Y, X).");
  const Texts first = ask(*all, "c(Y, X)");
  std::set<std::string> names;
  for (const std::string& fact : first) names.insert(fact.substr(0, fact.find(',')));
  EXPECT_EQ(names.size(), 4U);
  typed(*other, "Entity", "wget", "requires", "e");
  ASSERT_TRUE(*all->refresh(*other));
  const Texts then = ask(*all, "c(Y, X)");
  EXPECT_EQ(then.size(), 5U);
  EXPECT_TRUE(std::ranges::includes(then, first));
  EXPECT_EQ(ask(*over(other->snapshot().value(), "c(Y, X) :- requires(Y, X)."), "c(Y, X)"), then);
}

TEST(SpaceRuleNames, ATypedNameWaitsForItsConcept) {
  const auto space = empty_space();
  typed(*space, "Package", "wget", "requires", "libc");
  const auto rules = over(space->snapshot().value(), "p(X) :- requires(\"Package:curl\", X).");
  EXPECT_TRUE(ask(*rules, "p(X)").empty());
  typed(*space, "Package", "curl", "requires", "libssl");
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "p(X)"), Texts{R"(p("libssl"))"});
}

}  // namespace
}  // namespace anima::datalog::space_rule_names_test
