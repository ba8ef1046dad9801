// Rules over a space: base predicates read where they lie, updates from the log, premises.
#include "datalog/space_rules.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "store/symbols.h"
#include "support/links.h"

namespace anima::datalog {
namespace {

using store::AssertOptions;
using store::EntityId;
using store::GraphId;

store::ValueView text_value(store::ValueKind kind, std::string_view text,
                            std::string_view extra = {}) {
  store::ValueView value;
  value.kind = kind;
  value.text = text;
  value.extra = extra;
  return value;
}

std::shared_ptr<store::Space> empty_space() { return *store::Space::in_memory(); }

Status link(store::Transaction& t, EntityId s, EntityId p, store::Term o, GraphId graph) {
  AssertOptions options;
  options.graph = graph;
  const auto done = t.assert_link({s, store::Predicate::link(p), o}, options);
  return done ? Status{} : anima::fail(done.error());
}

std::vector<std::string> ask(const SpaceRules& rules, std::string_view query) {
  const auto facts = rules.state()->ask(query);
  EXPECT_TRUE(facts) << facts.error().describe();
  return facts ? *facts : std::vector<std::string>{};
}

std::unique_ptr<SpaceRules> over(const store::Snapshot& snapshot, const std::string& text,
                                 SpaceRulesOptions options = {}, Names names = Names::kNew) {
  auto rules = SpaceRules::create(snapshot, {{"test.mg", text, names}}, std::move(options));
  EXPECT_TRUE(rules) << rules.error().describe();
  return rules ? std::move(*rules) : nullptr;
}

using Texts = std::vector<std::string>;

TEST(SpaceRules, ReadsTheSpace) {
  const auto space = empty_space();
  ASSERT_TRUE(space->write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId person, t.upsert_type("Person"));
    ANIMA_ASSIGN(const EntityId knows, t.upsert_predicate("knows-of"));
    ANIMA_ASSIGN(const EntityId ann, t.upsert_concept(person, "Ann"));
    ANIMA_ASSIGN(const EntityId bea, t.upsert_concept(person, "Bea"));
    ANIMA_ASSIGN(const store::Term big, t.term([] {
      store::ValueView value;
      value.kind = store::ValueKind::kInteger;
      value.integer = 5'000'000'000;
      return value;
    }()));
    ANIMA_TRY(t.set_attribute(ann, "age", std::vector{store::Term::integer(30)}));
    ANIMA_TRY(t.set_attribute(bea, "age", std::vector{big}));
    ANIMA_ASSIGN(const EntityId proposition,
                 t.assert_link({ann, store::Predicate::link(knows), store::Term::entity(bea)}));
    ANIMA_ASSIGN(const store::Term note, t.term(text_value(store::ValueKind::kString, "Bea")));
    return t.set_metadata(proposition, "note", std::vector{note});
  }));
  const auto rules = over(space->snapshot().value(),
                          "old(X) :- attribute(X, \"age\", A), A > 4000000000.\n"
                          "person(N) :- concept(_, \"Person\", N).\n"
                          "noted(S, M) :- metadata(_, \"note\", M), knows_of(S, M).\n"
                          "graph(G) :- fact(G, \"Ann\", \"knows-of\", _).\n");
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(ask(*rules, "old(X)"), Texts{R"(old("Bea"))"});
  EXPECT_EQ(ask(*rules, "person(X)"), (Texts{R"(person("Ann"))", R"(person("Bea"))"}));
  EXPECT_EQ(ask(*rules, "noted(X, Y)"), Texts{R"(noted("Ann","Bea"))"});
  EXPECT_EQ(ask(*rules, "graph(G)"), Texts{R"(graph(""))"});
  EXPECT_EQ(ask(*rules, "knows_of(\"Ann\", X)"), Texts{R"(knows_of("Ann","Bea"))"});
  EXPECT_EQ(ask(*rules, "attribute(\"Bea\", K, 5000000000)"),
            Texts{R"(attribute("Bea","age",5000000000))"});
}

TEST(SpaceRules, FadedConfidencesFollowTheSpace) {
  const auto space = empty_space();
  EntityId person = EntityId::kNone, knows = EntityId::kNone, bea = EntityId::kNone;
  const auto believe = [&](const char* name, double confidence) {
    ASSERT_TRUE(space->write({}, [&](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(person, t.upsert_type("Person"));
      ANIMA_ASSIGN(knows, t.upsert_predicate("knows"));
      ANIMA_ASSIGN(bea, t.upsert_concept(person, "Bea"));
      ANIMA_ASSIGN(const EntityId who, t.upsert_concept(person, name));
      ANIMA_ASSIGN(const EntityId proposition,
                   t.assert_link({who, store::Predicate::link(knows), store::Term::entity(bea)}));
      store::ValueView number;
      number.kind = store::ValueKind::kDouble;
      number.number = confidence;
      ANIMA_ASSIGN(const store::Term said, t.term(number));
      ANIMA_TRY(t.set_metadata(proposition, "confidence", std::vector{said}));
      ANIMA_ASSIGN(const store::Term by, t.term(text_value(store::ValueKind::kString, "Ann")));
      return t.set_metadata(proposition, "verified_by", std::vector{by});
    }));
  };
  believe("Cyd", 0.5);
  const auto rules =
      over(space->snapshot().value(),
           "Decl faded_confidence(R, S, O, C) descr [external(), mode('+', '+', '+', '-')].\n"
           "left(S, C) :- knows(S, O), faded_confidence(\"knows\", S, O, C).\n");
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(ask(*rules, "left(S, C)"), Texts{R"(left("Cyd",0.5))"});
  believe("Cyd", 0.25);
  believe("Eve", 0.75);
  ASSERT_TRUE(rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "left(S, C)"), (Texts{R"(left("Cyd",0.25))", R"(left("Eve",0.75))"}));
}

TEST(SpaceRules, ConfidencesFadeByTheClockThatIsHandedIn) {
  const auto space = empty_space();
  ASSERT_TRUE(space->write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId person, t.upsert_type("Person"));
    ANIMA_ASSIGN(const EntityId knows, t.upsert_predicate("knows"));
    ANIMA_ASSIGN(const EntityId bea, t.upsert_concept(person, "Bea"));
    ANIMA_ASSIGN(const EntityId cyd, t.upsert_concept(person, "Cyd"));
    ANIMA_ASSIGN(const EntityId proposition,
                 t.assert_link({cyd, store::Predicate::link(knows), store::Term::entity(bea)}));
    ANIMA_ASSIGN(const store::Term seen,
                 t.term(text_value(store::ValueKind::kString, "2030-01-01T00:00:00Z")));
    return t.set_metadata(proposition, "observed_at", std::vector{seen});
  }));
  SpaceRulesOptions options;
  const auto clock = std::make_shared<ManualClock>(parse_timestamp("2030-01-15T00:00:00Z").value());
  options.clock = clock;
  const auto rules = SpaceRules::create(
      space->snapshot().value(),
      {{"rules",
        "Decl faded_confidence(R, S, O, C) descr [external(), mode('+', '+', '+', '-')].\n"
        "left(S, C) :- knows(S, O), faded_confidence(\"knows\", S, O, C).\n"}},
      options);
  ASSERT_TRUE(rules) << rules.error().describe();
  // Two weeks of five percent each: 0.95 * 0.95.
  const Texts left = ask(**rules, "left(S, C)");
  ASSERT_EQ(left.size(), 1U);
  EXPECT_TRUE(left[0].starts_with("left(\"Cyd\",0.902")) << left[0];
}

TEST(SpaceRules, NamesThatTwoConceptsBear) {
  const auto space = empty_space();
  EntityId person = EntityId::kNone, company = EntityId::kNone, owns = EntityId::kNone,
           smith = EntityId::kNone, car = EntityId::kNone;
  ASSERT_TRUE(space->write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(person, t.upsert_type("Person"));
    ANIMA_ASSIGN(company, t.upsert_type("Company"));
    ANIMA_ASSIGN(owns, t.upsert_predicate("owns"));
    ANIMA_ASSIGN(smith, t.upsert_concept(person, "Smith"));
    ANIMA_ASSIGN(car, t.upsert_concept(store::kEntityType, "car"));
    return link(t, smith, owns, store::Term::entity(car), GraphId::kDefault);
  }));
  const auto rules = over(space->snapshot().value(), "rich(X) :- owns(X, _).");
  EXPECT_EQ(ask(*rules, "rich(X)"), Texts{R"(rich("Smith"))"});
  std::vector<SpaceChange> changes;
  rules->subscribe("rich", [&](const SpaceChange& change) { changes.push_back(change); });
  ASSERT_TRUE(space->write({}, [&](store::Transaction& t) -> Status {
    AssertOptions options;
    options.graph = t.graph("urn:side");
    ANIMA_ASSIGN(const EntityId firm, t.upsert_concept(company, "Smith", options));
    return link(t, firm, owns, store::Term::entity(car), options.graph);
  }));
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "rich(X)"), (Texts{R"(rich("Company:Smith"))", R"(rich("Smith"))"}));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].inserted, Texts{R"(rich("Company:Smith"))"});
  EXPECT_TRUE(changes[0].deleted.empty());
  EXPECT_EQ(changes[0].after, space->snapshot().value().sequence());
  // The older one goes: the other is called as before.
  ASSERT_TRUE(space->write({}, [&](store::Transaction& t) {
    return t.retract_concept(smith, GraphId::kDefault, true);
  }));
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "rich(X)"), Texts{R"(rich("Company:Smith"))"});
  EXPECT_EQ(ask(*over(space->snapshot().value(), "rich(X) :- owns(X, _)."), "rich(X)"),
            Texts{R"(rich("Company:Smith"))"});
}

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

TEST(SpaceRuleUpdates, ARelationThatNoRuleMentionsCostsNoEvaluation) {
  const auto space = empty_space();
  test::link(*space, {{"a", "leads-to", "b"}});
  const auto rules = over(space->snapshot().value(),
                          "reach(X, Y) :- leads_to(X, Y).\n"
                          "reach(X, Z) :- leads_to(X, Y), reach(Y, Z).\n"
                          "odd(X, Y) :- reach(X, Y), X != Y.\n");
  for (int i = 0; i < 50; ++i) {
    test::link(*space, {{"a", "new" + std::to_string(i), "b"}});
    ASSERT_TRUE(*rules->refresh(*space));
  }
  EXPECT_EQ(rules->evaluations(), 1U);
  // It can be asked for and explained all the same.
  EXPECT_EQ(ask(*rules, "new7(\"a\", X)"), Texts{R"(new7("a","b"))"});
  const auto why = rules->why(R"(new7("a", "b"))");
  ASSERT_TRUE(why) << why.error().describe();
  EXPECT_EQ(why->grounds.premises.size(), 1U);
  EXPECT_TRUE(rules->why_not(R"(new7("a", "c"))"));
  EXPECT_FALSE(rules->state()->ask("new50(X, Y)"));
  EXPECT_EQ(rules->evaluations(), 1U);
  // A rule has it as its head: now it matters.
  test::link(*space, {{"c", "odd", "d"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(rules->evaluations(), 2U);
  EXPECT_EQ(ask(*rules, "odd(X, Y)"), (Texts{R"(odd("a","b"))", R"(odd("c","d"))"}));
}

// Sets an attribute of an entity.
void set(store::Space& space, const std::string& name, const std::string& key, std::int32_t value) {
  ASSERT_TRUE(space.write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId e, t.upsert_concept(store::kEntityType, name));
    return t.set_attribute(e, key, std::vector{store::Term::integer(value)});
  }));
}

constexpr const char* kFragile =
    "share(X, N) :- attribute(X, \"parts\", P), N = fn:div(100, P).\n"
    "big(X) :- share(X, N), N > 10.\n"
    "small(X) :- concept(X, _, _), !share(X, _).\n"
    "reach(X, Y) :- leads_to(X, Y).\n"
    "reach(X, Z) :- leads_to(X, Y), reach(Y, Z).\n";

TEST(SpaceRuleUpdates, ARuleThatFailsOnNewDataLeavesTheOthersCurrent) {
  const auto space = empty_space();
  test::link(*space, {{"n0", "leads-to", "n1"}});
  set(*space, "a", "parts", 4);
  const auto rules = over(space->snapshot().value(), kFragile);
  EXPECT_EQ(ask(*rules, "share(X, N)"), Texts{R"(share("a",25))"});
  set(*space, "b", "parts", 0);
  // It is said once, with the place of the rule.
  const auto told = rules->refresh(*space);
  ASSERT_FALSE(told);
  EXPECT_TRUE(told.error().where.starts_with("test.mg:1:")) << told.error().where;
  EXPECT_NE(told.error().message.find("zero"), std::string::npos) << told.error().message;
  EXPECT_FALSE(*rules->refresh(*space));
  EXPECT_EQ(rules->state()->sequence, space->snapshot().value().sequence());
  const std::uint64_t before = rules->evaluations();
  for (int i = 1; i <= 100; ++i) {
    const std::string next = "n" + std::to_string(i + 1);
    test::link(*space, {{"n" + std::to_string(i), "leads-to", next}});
    const auto done = rules->refresh(*space);
    ASSERT_TRUE(done && *done) << i << " " << done.error().describe();
    ASSERT_EQ(rules->state()->sequence, space->snapshot().value().sequence());
    ASSERT_EQ(ask(*rules, "reach(\"n0\", X)").size(), static_cast<std::size_t>(i) + 1);
  }
  // Each try is two evaluations, and they get fewer.
  EXPECT_LE(rules->evaluations() - before, 2U * 8U);
  // What needs the rule is not answered as if it derived nothing.
  for (const char* question : {"share(X, N)", "big(X)", "small(X)"}) {
    const auto answer = rules->state()->ask(question);
    ASSERT_FALSE(answer) << question;
    EXPECT_TRUE(answer.error().where.starts_with("test.mg:1:"));
  }
  EXPECT_FALSE(rules->why(R"(small("n1"))"));
  // The others start with bad data too, and the rule is back when the data are good.
  const auto fresh = over(space->snapshot().value(), kFragile);
  ASSERT_NE(fresh, nullptr);
  EXPECT_EQ(ask(*fresh, "reach(\"n0\", X)").size(), 101U);
  EXPECT_FALSE(fresh->state()->ask("share(X, N)"));
  set(*space, "b", "parts", 50);
  ASSERT_TRUE(*fresh->refresh(*space));
  EXPECT_EQ(ask(*fresh, "share(X, N)"), (Texts{R"(share("a",25))", R"(share("b",2))"}));
  EXPECT_EQ(ask(*fresh, "big(X)"), Texts{R"(big("a"))"});
}

TEST(SpaceRuleUpdates, AFailureOfTheWholeIsTriedLessAndLess) {
  const auto space = empty_space();
  test::link(*space, {{"n0", "next", "n1"}});
  SpaceRulesOptions options;
  options.limits.max_derived_rows = 3;
  const auto rules = over(space->snapshot().value(), "p(X, Y) :- next(X, Y).\n", options);
  for (int i = 1; i < 100; ++i) {
    test::link(*space, {{"n" + std::to_string(i), "next", "n" + std::to_string(i + 1)}});
    if (i < 10) continue;
    EXPECT_EQ(rules->refresh(*space).error().code, ErrorCode::kLimitExceeded);
  }
  EXPECT_LE(rules->evaluations(), 8U);
}

TEST(SpaceRuleUpdates, WhatFailedIsTriedAgainByTheClockThatIsGiven) {
  const auto space = empty_space();
  test::link(*space, {{"n", "leads-to", "m"}});
  set(*space, "a", "parts", 0);
  const auto clock = std::make_shared<ManualClock>(Timestamp{1'000'000'000});
  SpaceRulesOptions options;
  options.clock = clock;
  const auto rules = over(space->snapshot().value(), kFragile, options);
  // The first try again is due at once; then nothing is until the clock moves.
  for (int i = 0; i < 3; ++i) {
    test::link(*space, {{"n" + std::to_string(i), "leads-to", "m"}});
    ASSERT_TRUE(*rules->refresh(*space));
  }
  const std::uint64_t before = rules->evaluations();
  test::link(*space, {{"x", "leads-to", "m"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(rules->evaluations(), before);
  clock->advance(3'600'000'000);
  test::link(*space, {{"y", "leads-to", "m"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_GT(rules->evaluations(), before);
}

std::uint64_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// What one entry makes is of no use after the next, and is given back.
TEST(SpaceRuleMemory, ALongFollowGivesItsValuesBack) {
  const auto space = empty_space();
  constexpr int kThings = 500;
  const auto say = [&](int i) { set(*space, "e" + std::to_string(i % kThings), "n", i); };
  for (int i = 0; i < kThings; ++i) say(i);
  SpaceRulesOptions options;
  options.spare_value_bytes = 256 << 10;
  const char* const text =
      "told(X, T) :- attribute(X, \"n\", N), "
      "T = fn:string:concat(\"what nobody said before: \", N).\n"
      "pair(X, P) :- told(X, T), P = fn:pair(T, T).\n";
  auto rules = over(space->snapshot().value(), text, options);
  const int entries = std::getenv("ANIMA_TEST_FULL") != nullptr ? 1'000'000 : 50'000;
  std::size_t first_most = 0, last_most = 0;
  for (int i = 1; i <= entries; ++i) {
    say(i + kThings);
    ASSERT_TRUE(*rules->refresh(*space));
    const std::size_t now = rules->state()->values->bytes();
    if (i <= entries / 5) first_most = std::max(first_most, now);
    if (i > entries - entries / 5) last_most = std::max(last_most, now);
  }
  EXPECT_EQ(ask(*rules, "told(X, T)").size(), static_cast<std::size_t>(kThings));
  EXPECT_EQ(
      ask(*rules, "told(X, \"what nobody said before: " + std::to_string(entries + kThings) + "\")")
          .size(),
      1U);
  EXPECT_GT(rules->evaluations(), 5U);
  EXPECT_LE(last_most, first_most + first_most / 20);
  // Nothing else of the engine grows either: it holds little more than one that has just begun.
  const std::uint64_t all = heap_bytes();
  rules.reset();
  const std::uint64_t old_one = all - heap_bytes();
  rules = over(space->snapshot().value(), text, options);
  const std::uint64_t with_new = heap_bytes();
  rules.reset();
  const std::uint64_t new_one = with_new - heap_bytes();
  EXPECT_LE(old_one, new_one + new_one / 20 + last_most);
}

TEST(SpaceRules, GroundsGoDownToEntriesAndTrust) {
  const auto space = empty_space();
  store::Origin page;
  page.author = "crawler";
  page.source = "a page";
  page.trust = store::Trust::kUntrusted;
  store::Origin owner;
  owner.trust = store::Trust::kOperator;
  test::link(*space, {{"a", "leads-to", "b"}}, 1.0, owner);
  test::link(*space, {{"b", "leads-to", "c"}}, 1.0, page);
  const auto rules = over(space->snapshot().value(),
                          "reach(X, Y) :- leads_to(X, Y).\n"
                          "reach(X, Z) :- leads_to(X, Y), reach(Y, Z).\n");
  const auto near = rules->why(R"(reach("a", "b"))");
  ASSERT_TRUE(near) << near.error().describe();
  EXPECT_EQ(near->grounds.trust, store::Trust::kOperator);
  const auto far = rules->why(R"(reach("a", "c"))");
  ASSERT_TRUE(far) << far.error().describe();
  EXPECT_EQ(far->grounds.trust, store::Trust::kUntrusted);
  EXPECT_TRUE(far->grounds.complete);
  ASSERT_EQ(far->grounds.premises.size(), 2U);
  const auto from_page =
      std::ranges::find(far->grounds.premises, R"(leads_to("b","c"))", &Premise::fact);
  ASSERT_NE(from_page, far->grounds.premises.end());
  ASSERT_EQ(from_page->assertions.size(), 1U);
  EXPECT_EQ(from_page->assertions[0].author, "crawler");
  EXPECT_EQ(from_page->assertions[0].source, "a page");
  EXPECT_EQ(from_page->assertions[0].entry, space->snapshot().value().sequence());
  // Said again by somebody who is trusted more: the better word counts.
  ASSERT_TRUE(space->write(owner, [&](store::Transaction& t) {
    return link(t, from_page->statement.subject, from_page->statement.predicate.as_link(),
                from_page->statement.object, t.graph("urn:checked"));
  }));
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(rules->why(R"(reach("a", "c"))")->grounds.trust, store::Trust::kOperator);
  EXPECT_EQ(rules->why(R"(reach("c", "a"))").error().code, ErrorCode::kNotFound);
}

TEST(SpaceRules, AForkKeepsItsWorld) {
  const auto space = empty_space();
  test::link(*space, {{"a", "leads-to", "b"}});
  const auto rules = over(space->snapshot().value(),
                          "reach(X, Y) :- leads_to(X, Y).\n"
                          "reach(X, Z) :- leads_to(X, Y), reach(Y, Z).\n");
  const auto state = rules->state();
  const auto fork = rules->fork();
  const auto fact = compile_fact(*state->program, R"(leads_to("b", "c"))", *state->values);
  ASSERT_TRUE(fact);
  Transaction what_if;
  what_if.insert(fact->predicate, fact->codes);
  ASSERT_TRUE(fork->transact(what_if));
  const auto reached = compile_query(*state->program, "reach(X, Y)", *state->values);
  ASSERT_TRUE(reached);
  EXPECT_EQ(fork->query(*reached)->count, 3U);
  // The space comes to say a string that the fork made for itself.
  test::link(*space, {{"c", "leads-to", "d"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "reach(X, Y)"), (Texts{R"(reach("a","b"))", R"(reach("c","d"))"}));
  EXPECT_EQ(fork->query(*reached)->count, 3U);
  test::link(*space, {{"b", "leads-to", "c"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, R"(reach("a", X))").size(), 3U);
}

TEST(SpaceRules, RefreshesUpToASnapshotAndNoFurther) {
  const auto space = empty_space();
  test::link(*space, {{"a", "leads-to", "b"}});
  const auto rules = over(space->snapshot().value(),
                          "reach(X, Y) :- leads_to(X, Y).\n"
                          "reach(X, Z) :- leads_to(X, Y), reach(Y, Z).\n");
  const store::Snapshot first = space->snapshot().value();
  test::link(*space, {{"b", "leads-to", "c"}});
  const store::Snapshot second = space->snapshot().value();
  test::link(*space, {{"c", "leads-to", "d"}});
  ASSERT_TRUE(*rules->refresh(*space, second));
  EXPECT_EQ(rules->state()->sequence, second.sequence());
  EXPECT_EQ(ask(*rules, "reach(\"a\", X)"), (Texts{R"(reach("a","b"))", R"(reach("a","c"))"}));
  EXPECT_FALSE(*rules->refresh(*space, second));
  EXPECT_EQ(rules->evaluations(), 1U);
  ASSERT_TRUE(*rules->refresh(*space, first));
  EXPECT_EQ(ask(*rules, "reach(X, Y)"), Texts{R"(reach("a","b"))"});
  EXPECT_EQ(rules->evaluations(), 2U);
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "reach(\"a\", X)").size(), 3U);
}

TEST(SpaceRules, KnowsWhichRulesAskForTheTime) {
  const auto space = empty_space();
  test::link(*space, {{"a", "leads-to", "b"}});
  EXPECT_FALSE(over(space->snapshot().value(), "p(X) :- leads_to(X, _).\n")->reads_clock());
  EXPECT_TRUE(over(space->snapshot().value(), "p(X, T) :- leads_to(X, _), T = fn:time:now().\n")
                  ->reads_clock());
  EXPECT_TRUE(over(space->snapshot().value(),
                   "p(X) :- leads_to(X, _), "
                   "fn:time:year(fn:time:now()) > 2000.\n")
                  ->reads_clock());
}

TEST(SpaceRules, FollowsFromAThreadOfItsOwn) {
  const auto space = empty_space();
  test::link(*space, {{"n0", "next", "n1"}});
  const auto rules = over(space->snapshot().value(),
                          "reach(X, Y) :- next(X, Y).\n"
                          "reach(X, Z) :- next(X, Y), reach(Y, Z).\n");
  std::atomic<std::size_t> seen{0};
  rules->subscribe("reach", [&](const SpaceChange& change) { seen += change.inserted.size(); });
  rules->follow(space);
  std::jthread reader([&](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      const auto state = rules->state();
      const auto reach = state->ask("reach(X, Y)");
      const auto next = state->ask("next(X, Y)");
      ASSERT_TRUE(reach && next);
      ASSERT_EQ(reach->size(), next->size() * (next->size() + 1) / 2);
    }
  });
  for (int i = 1; i < 8; ++i) {
    test::link(*space, {{"n" + std::to_string(i), "next", "n" + std::to_string(i + 1)}});
  }
  const store::Sequence last = space->snapshot().value().sequence();
  for (int wait = 0; wait < 2000 && rules->state()->sequence < last; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  reader.request_stop();
  reader.join();
  rules->unfollow();
  EXPECT_TRUE(rules->following());
  EXPECT_EQ(rules->state()->sequence, last);
  EXPECT_EQ(seen.load(), 36U - 1U);
}

TEST(SpaceRules, StrataThatCannotChangeAreNotVisited) {
  const auto space = empty_space();
  test::link(*space, {{"a", "left", "b"}});
  test::link(*space, {{"a", "right", "b"}});
  const auto rules = over(space->snapshot().value(),
                          "l(X, Y) :- left(X, Y).\nl(X, Z) :- left(X, Y), l(Y, Z).\n"
                          "r(X, Y) :- right(X, Y).\nr(X, Z) :- right(X, Y), r(Y, Z).\n");
  test::link(*space, {{"b", "left", "c"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(rules->evaluations(), 1U);
  EXPECT_EQ(rules->stats().strata_visited, 1U);
  EXPECT_FALSE(*rules->refresh(*space));
}

TEST(SpaceRules, AFailedUpdateLeavesTheStateBeforeIt) {
  const auto space = empty_space();
  test::link(*space, {{"n0", "next", "n1"}});
  SpaceRulesOptions options;
  options.limits.max_derived_rows = 20;
  const auto rules = over(space->snapshot().value(),
                          "reach(X, Y) :- next(X, Y).\n"
                          "reach(X, Z) :- next(X, Y), reach(Y, Z).\n",
                          options);
  const store::Sequence before = rules->state()->sequence;
  for (int i = 1; i < 12; ++i) {
    test::link(*space, {{"n" + std::to_string(i), "next", "n" + std::to_string(i + 1)}});
  }
  EXPECT_EQ(rules->refresh(*space).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(rules->state()->sequence, before);
  EXPECT_EQ(ask(*rules, "reach(X, Y)").size(), 1U);
  const auto retracted = space->write({}, [&](store::Transaction& t) -> Status {
    const auto snapshot = t.view();
    store::Pattern pattern;
    store::Cursor cursor = snapshot.scan(pattern);
    std::vector<store::Triple> rows(64);
    const std::size_t count = cursor.next(rows);
    for (std::size_t i = 3; i < count; ++i) {
      ANIMA_TRY(t.retract_link(rows[i], GraphId::kDefault));
    }
    return {};
  });
  ASSERT_TRUE(retracted);
  ASSERT_TRUE(rules->refresh(*space));
  EXPECT_EQ(rules->state()->sequence, space->snapshot().value().sequence());
  EXPECT_EQ(ask(*rules, "next(X, Y)").size(), 3U);
}

TEST(SpaceRules, ADeclaredRelationComesToLife) {
  const auto space = empty_space();
  test::link(*space, {{"a", "left", "b"}});
  const auto rules =
      over(space->snapshot().value(), "Decl right(X, Y).\nboth(X) :- left(X, _), right(X, _).");
  EXPECT_TRUE(ask(*rules, "both(X)").empty());
  test::link(*space, {{"a", "right", "c"}});
  test::link(*space, {{"a", "up", "c"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(ask(*rules, "both(X)"), Texts{R"(both("a"))"});
  EXPECT_EQ(ask(*rules, "up(X, Y)"), Texts{R"(up("a","c"))"});
}

// --- Anything that a space may say

constexpr const char* kProgram =
    "reach(X, Y) :- r0(X, Y).\n"
    "reach(X, Z) :- r0(X, Y), reach(Y, Z).\n"
    "unreached(X) :- concept(X, _, _), !reach(\"a\", X).\n"
    "fan(X, N) :- r1(X, _) |> do fn:group_by(X), let N = fn:count().\n"
    "keys(K, N) :- attribute(_, K, _) |> do fn:group_by(K), let N = fn:count().\n"
    "values(X, V) :- attribute(X, \"k0\", V), !metadata(X, \"k0\", V).\n"
    "joined(X, Y) :- attribute(X, _, V), r1(V, Y).\n"
    "in_graph(G, N) :- fact(G, _, _, _) |> do fn:group_by(G), let N = fn:count().\n"
    "said(S, P) :- fact(\"urn:g1\", S, P, _), !r0(S, \"b\").\n"
    "pairs(A, B, C) :- r0(A, B), r1(B, C), r0(C, A).\n"
    "about(L, V) :- metadata(L, _, V), !concept(L, _, _).\n"
    "named(T, N) :- concept(_, T, N).\n";

// Writes at random into a small world in which names, texts and labels meet.
class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  Status write(store::Transaction& t) {
    ANIMA_ASSIGN(types_[0], t.upsert_type("T"));
    ANIMA_ASSIGN(types_[1], t.upsert_type("U"));
    types_[2] = store::kEntityType;
    for (int i = pick(1, 6); i > 0; --i) ANIMA_TRY(step(t));
    return {};
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::string name() { return std::string(1, static_cast<char>('a' + pick(0, 4))); }
  GraphId graph(store::Transaction& t) {
    const int n = pick(0, 2);
    return n == 0 ? GraphId::kDefault : t.graph("urn:g" + std::to_string(n));
  }
  std::optional<EntityId> known(store::Transaction& t) {
    const auto view = t.view();
    const auto id = static_cast<EntityId>(pick(4, static_cast<int>(view.entity_bound()) - 1));
    if (view.kind(id) == store::EntityKind::kNone) return std::nullopt;
    return id;
  }
  Result<EntityId> some(store::Transaction& t, GraphId graph) {
    if (pick(0, 3) == 0) {
      if (const auto id = known(t)) return *id;
    }
    AssertOptions options;
    options.graph = graph;
    const std::string label = pick(0, 9) == 0 ? "T:" + name() : name();
    return t.upsert_concept(types_[static_cast<std::size_t>(pick(0, 2))], label, options);
  }
  Result<store::Term> literal(store::Transaction& t) {
    switch (pick(0, 6)) {
      case 0:
        return store::Term::integer(pick(0, 3));
      case 1:
        return t.term(
            text_value(store::ValueKind::kLanguageString, name(), pick(0, 1) ? "en" : "de"));
      case 2:
        return t.term(text_value(store::ValueKind::kDecimal, "1.50"));
      case 3: {
        store::ValueView value;
        value.kind = store::ValueKind::kBoolean;
        value.integer = pick(0, 1);
        return t.term(value);
      }
      case 4: {
        store::ValueView value;
        value.kind = store::ValueKind::kDouble;
        value.number = pick(0, 2) * 0.5;
        return t.term(value);
      }
      default:
        return t.term(text_value(store::ValueKind::kString, name()));
    }
  }
  Result<EntityId> relation(store::Transaction& t) {
    const int n = pick(0, 9);
    return t.upsert_predicate(n == 0 ? "r-0" : n == 1 ? "R0" : n < 6 ? "r0" : "r1");
  }
  Status step(store::Transaction& t) {
    const GraphId where = graph(t);
    AssertOptions options;
    options.graph = where;
    switch (pick(0, 11)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        ANIMA_ASSIGN(const EntityId s, some(t, where));
        ANIMA_ASSIGN(const EntityId p, relation(t));
        store::Term o;
        if (pick(0, 2) != 0) {
          ANIMA_ASSIGN(const EntityId e, some(t, where));
          o = store::Term::entity(e);
        } else {
          ANIMA_ASSIGN(o, literal(t));
        }
        return link(t, s, p, o, where);
      }
      case 4:
      case 5:
        return retract(t);
      case 6:
      case 7: {
        ANIMA_ASSIGN(const EntityId e, some(t, where));
        std::vector<store::Term> values;
        for (int i = pick(0, 2); i > 0; --i) {
          ANIMA_ASSIGN(const store::Term value, literal(t));
          values.push_back(value);
        }
        const std::string key = "k" + std::to_string(pick(0, 1));
        return pick(0, 1) != 0 ? t.set_attribute(e, key, values, options)
                               : t.set_metadata(e, key, values, options);
      }
      case 8: {
        const auto e = known(t);
        if (!e || t.view().kind(*e) != store::EntityKind::kConcept) return {};
        const EntityId type = t.view().type_of(*e);
        if (type == store::kConceptType || type == store::kPropositionType) return {};
        (void)t.retract_concept(*e, where, pick(0, 1) != 0);
        return {};
      }
      case 9:
        if (where != GraphId::kDefault) return t.drop_graph(where);
        return {};
      default: {
        ANIMA_ASSIGN(const EntityId e, some(t, where));
        (void)e;
        return {};
      }
    }
  }
  Status retract(store::Transaction& t) {
    const auto view = t.view();
    std::vector<store::Triple> rows(200);
    store::Pattern pattern;
    store::Cursor cursor = view.scan(pattern);
    const std::size_t count = cursor.next(rows);
    if (count == 0) return {};
    const store::Triple& row = rows[static_cast<std::size_t>(pick(0, static_cast<int>(count) - 1))];
    return t.retract_link(row, view.assertions(row).front().graph);
  }

  std::mt19937 random_;
  std::array<EntityId, 3> types_{};
};

Texts all_facts(const RulesState& state, const std::string& name) {
  const PredicateId id = state.program->find(name);
  if (id == kNone) return {};
  const Rows rows = *state.rows->all(id);
  EXPECT_EQ(rows.count, state.rows->count(id)) << name;
  Texts out;
  for (std::size_t i = 0; i < rows.count; ++i) {
    out.push_back(print_fact(state.program->predicates[id], rows.row(i), *state.values));
  }
  std::ranges::sort(out);
  return out;
}

// After each of random transactions, what is maintained equals what a new evaluation says, and the
// changes that subscribers saw add up to it.
TEST(SpaceRules, FollowsAnySequenceOfTransactions) {
  const std::uint32_t seeds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 600 : 60;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    const auto space = empty_space();
    Writer writer(seed);
    ASSERT_TRUE(space->write({}, [&](store::Transaction& t) -> Status {
      ANIMA_TRY(t.upsert_predicate("r0").map([](EntityId) {}));
      return t.upsert_predicate("r1").map([](EntityId) {});
    }));
    const std::string text = std::string("Decl r0(X, Y).\nDecl r1(X, Y).\n") + kProgram;
    const auto rules = over(space->snapshot().value(), text, {}, Names::kAsLoaded);
    ASSERT_NE(rules, nullptr);
    std::map<std::string, std::set<std::string>> told;
    rules->subscribe("", [&](const SpaceChange& change) {
      for (const std::string& fact : change.deleted) {
        ASSERT_EQ(told[change.predicate].erase(fact), 1U) << fact;
      }
      for (const std::string& fact : change.inserted) {
        ASSERT_TRUE(told[change.predicate].insert(fact).second) << fact;
      }
    });
    for (const Predicate& p : rules->state()->program->predicates) {
      const Texts facts = all_facts(*rules->state(), p.name);
      told[p.name].insert(facts.begin(), facts.end());
    }
    for (int round = 0; round < 12; ++round) {
      const auto written = space->write({}, [&](store::Transaction& t) { return writer.write(t); });
      ASSERT_TRUE(written) << written.error().describe();
      const auto moved = rules->refresh(*space);
      ASSERT_TRUE(moved) << moved.error().describe();
      const auto fresh = over(space->snapshot().value(), text, {}, Names::kAsLoaded);
      ASSERT_NE(fresh, nullptr);
      for (const Predicate& p : fresh->state()->program->predicates) {
        if (p.internal) continue;
        const Texts expected = all_facts(*fresh->state(), p.name);
        ASSERT_EQ(all_facts(*rules->state(), p.name), expected)
            << p.name << ", seed " << seed << ", round " << round;
        ASSERT_EQ(Texts(told[p.name].begin(), told[p.name].end()), expected) << p.name;
      }
    }
    EXPECT_LE(rules->evaluations(), 4U);
  }
}

// Links stated on a branch, as an agent proposes them: what a supposition says equals what a new
// evaluation of the branch says.
TEST(SpaceRules, ASuppositionIsWhatTheBranchWouldBe) {
  const std::string text = std::string("Decl r0(X, Y).\nDecl r1(X, Y).\n") + kProgram;
  std::uint32_t told = 0, silent = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const auto space = empty_space();
    Writer writer(seed);
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(space->write({}, [&](store::Transaction& t) { return writer.write(t); }));
    }
    const auto rules = over(space->snapshot().value(), text, {}, Names::kAsLoaded);
    ASSERT_NE(rules, nullptr);
    const auto branch = space->what_if(space->snapshot().value());
    std::mt19937 random(seed);
    const auto pick = [&](int below) {
      return std::uniform_int_distribution<int>(0, below - 1)(random);
    };
    std::vector<store::Triple> links;
    store::SymbolWriter symbols(branch->transaction(), {});
    for (int i = 0; i <= pick(3); ++i) {
      const auto subject = symbols.entity(std::string(1, static_cast<char>('a' + pick(8))));
      const auto relation = symbols.relation(pick(4) == 0 ? "r1" : "r0");
      const auto object = symbols.entity(std::string(1, static_cast<char>('a' + pick(8))));
      ASSERT_TRUE(subject && relation && object);
      links.push_back({*subject, store::Predicate::link(*relation), store::Term::entity(*object)});
      ASSERT_TRUE(branch->transaction().assert_link(links.back(), {}));
    }
    const auto world = rules->suppose(branch->view(), links);
    ASSERT_TRUE(world) << world.error().describe();
    if (*world == nullptr) {
      ++silent;
      continue;
    }
    ++told;
    const auto fresh = over(branch->view(), text, {}, Names::kAsLoaded);
    const auto before = rules->state();
    std::map<std::string, std::pair<Texts, Texts>> changed;
    for (const Change& change : (*world)->changes()) {
      const Predicate& predicate = before->program->predicates[change.predicate];
      auto& [gained, lost] = changed[predicate.name];
      for (std::size_t i = 0; i < change.inserted.count; ++i) {
        gained.push_back(print_fact(predicate, change.inserted.row(i), *before->values));
      }
      for (std::size_t i = 0; i < change.deleted.count; ++i) {
        lost.push_back(print_fact(predicate, change.deleted.row(i), *before->values));
      }
      std::ranges::sort(gained);
      std::ranges::sort(lost);
    }
    for (const Predicate& predicate : before->program->predicates) {
      if (predicate.internal) continue;
      const Texts old = all_facts(*before, predicate.name);
      const Texts now = all_facts(*fresh->state(), predicate.name);
      Texts gained, lost;
      std::ranges::set_difference(now, old, std::back_inserter(gained));
      std::ranges::set_difference(old, now, std::back_inserter(lost));
      EXPECT_EQ(changed[predicate.name].first, gained) << seed << " " << predicate.name;
      EXPECT_EQ(changed[predicate.name].second, lost) << seed << " " << predicate.name;
    }
  }
  EXPECT_GT(told, 50U);
  EXPECT_GT(silent, 0U);
}

}  // namespace
}  // namespace anima::datalog
