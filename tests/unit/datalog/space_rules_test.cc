// Rules over a space: base predicates read where they lie, updates from the log, premises.
#include "datalog/space_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "store/symbols.h"
#include "support/links.h"
#include "support/space_rules.h"

namespace anima::datalog::space_rules_test {
namespace {

using rules_test::ask;
using rules_test::AssertOptions;
using rules_test::empty_space;
using rules_test::EntityId;
using rules_test::GraphId;
using rules_test::link;
using rules_test::over;
using rules_test::text_value;
using rules_test::Texts;

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
}  // namespace anima::datalog::space_rules_test
