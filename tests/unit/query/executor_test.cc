// Plans of the algebra on a small space whose answers are worked out by hand.
#include "query/executor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "store/space.h"

namespace anima::query {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;

// a -> b -> c -> a (knows), a -> c (knows), a likes x, b likes x, b likes y; age: a 30, b 20, c 30.
class Algebra : public testing::Test {
 protected:
  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    space_ = *space;
    const auto receipt = space_->write({}, [this](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(thing_, t.upsert_type("Thing"));
      ANIMA_ASSIGN(knows_, t.upsert_predicate("knows"));
      ANIMA_ASSIGN(likes_, t.upsert_predicate("likes"));
      for (const char* name : {"a", "b", "c", "x", "y"}) {
        ANIMA_ASSIGN(const EntityId id, t.upsert_concept(thing_, name));
        ids_.push_back(id);
      }
      const auto link = [&](EntityId predicate, int s, int o) -> Status {
        ANIMA_TRY(t.assert_link({ids_[static_cast<std::size_t>(s)], Predicate::link(predicate),
                                 Term::entity(ids_[static_cast<std::size_t>(o)])}));
        return {};
      };
      for (const auto& [s, o] : {std::pair{0, 1}, {1, 2}, {2, 0}, {0, 2}})
        ANIMA_TRY(link(knows_, s, o));
      for (const auto& [s, o] : {std::pair{0, 3}, {1, 3}, {1, 4}}) ANIMA_TRY(link(likes_, s, o));
      for (const auto& [s, age] : {std::pair{0, 30}, {1, 20}, {2, 30}}) {
        ANIMA_TRY(t.add_attribute(ids_[static_cast<std::size_t>(s)], "age", Term::integer(age)));
      }
      return {};
    });
    ASSERT_TRUE(receipt) << receipt.error().message;
  }

  std::uint32_t code(char name) const {
    static constexpr std::string_view kNames = "abcxy";
    return static_cast<std::uint32_t>(ids_[kNames.find(name)]);
  }
  StatementPattern link(EntityId predicate, Ref s, Ref o) const {
    StatementPattern pattern;
    pattern.subject = s;
    pattern.predicate = Ref::constant(static_cast<std::uint32_t>(predicate));
    pattern.object = o;
    return pattern;
  }
  StatementPattern age(Slot s, Slot value) const {
    const auto key = space_->snapshot().value().find_string("age");
    StatementPattern pattern;
    pattern.subject = Ref::slot(s);
    pattern.predicate = Ref::constant(Predicate::attribute(*key).code);
    pattern.object = Ref::slot(value);
    return pattern;
  }

  // Rows as text, sorted: entities by name, numbers by value, unbound as "-".
  std::vector<std::string> rows(NodePtr root, Slot slots, std::vector<Slot> results,
                                RunOptions options = {}, bool unbound_matches_all = false) {
    Plan plan;
    plan.root = std::move(root);
    plan.slot_count = slots;
    plan.results = std::move(results);
    plan.scopes.push_back(space_->snapshot().value());
    plan.unbound_matches_all = unbound_matches_all;
    const auto answer = run(plan, options);
    if (!answer) return {std::string(to_string(answer.error().code))};
    std::vector<std::string> out;
    for (std::size_t row = 0; row < answer->table.rows; ++row) {
      std::string text;
      for (const auto& column : answer->table.columns) text += cell(*answer->values, column[row]);
      out.push_back(text);
    }
    return out;
  }
  std::vector<std::string> sorted(std::vector<std::string> list) {
    std::sort(list.begin(), list.end());
    return list;
  }
  std::string cell(const Values& values, std::uint32_t code) const {
    if (code == 0) return "-";
    if (Term{code}.is_entity()) return std::string(space_->snapshot().value().name(EntityId{code}));
    double number = 0;
    return values.number_of(code, &number) ? std::to_string(static_cast<int>(number)) : "?";
  }
  static Ref s(Slot slot) { return Ref::slot(slot); }
  using Names = std::vector<std::string>;

  std::shared_ptr<store::Space> space_;
  EntityId thing_{}, knows_{}, likes_{};
  std::vector<EntityId> ids_;
};

TEST_F(Algebra, CyclicPatternsByIntersection) {
  const auto triangle = [&] {
    return match({link(knows_, s(0), s(1)), link(knows_, s(1), s(2)), link(knows_, s(2), s(0))});
  };
  EXPECT_EQ(sorted(rows(triangle(), 3, {0, 1, 2})), (Names{"abc", "bca", "cab"}));
  RunOptions plain;
  plain.optimise = false;
  EXPECT_EQ(sorted(rows(triangle(), 3, {0, 1, 2}, plain)), (Names{"abc", "bca", "cab"}));
}

TEST_F(Algebra, MultisetsKeepTheirDuplicates) {
  // Who is liked, once for each who likes: x twice.
  EXPECT_EQ(sorted(rows(match({link(likes_, s(0), s(1))}), 2, {1})), (Names{"x", "x", "y"}));
  EXPECT_EQ(sorted(rows(distinct(match({link(likes_, s(0), s(1))}), {1}), 2, {1})),
            (Names{"x", "y"}));
  Aggregate count;
  count.result = 2;
  EXPECT_EQ(sorted(rows(group(match({link(likes_, s(0), s(1))}), {1}, {count}), 3, {1, 2})),
            (Names{"x2", "y1"}));
  EXPECT_EQ(rows(group(match({link(likes_, s(0), s(0))}), {}, {count}), 3, {2}), (Names{"0"}));
}

TEST_F(Algebra, LeftAndAntiJoins) {
  const auto people = [&] { return match({age(0, 2)}); };
  const auto liked = [&] { return match({link(likes_, s(0), s(1))}); };
  const Names left{"a", "b", "c"};
  for (const bool isolated : {false, true}) {
    EXPECT_EQ(sorted(rows(left_join(people(), liked(), {}, isolated), 3, {0, 1})),
              (Names{"ax", "bx", "by", "c-"}));
    EXPECT_EQ(sorted(rows(anti_join(people(), liked(), isolated), 3, {0})), (Names{"c"}));
    EXPECT_EQ(sorted(rows(join(people(), liked(), isolated), 3, {0, 1})),
              (Names{"ax", "bx", "by"}));
  }
}

TEST_F(Algebra, MinusWithoutSharedSlotsKeepsEverything) {
  NodePtr node = anti_join(match({age(0, 2)}), match({link(likes_, s(3), s(4))}), true);
  node->needs_shared = true;
  EXPECT_EQ(rows(std::move(node), 5, {0}).size(), 3u);
  EXPECT_TRUE(
      rows(anti_join(match({age(0, 2)}), match({link(likes_, s(3), s(4))}), true), 5, {0}).empty());
}

TEST_F(Algebra, UnboundSlotsMatchAllOrNothing) {
  const auto build = [&] {
    return join(left_join(match({age(0, 2)}), match({link(likes_, s(0), s(1))})),
                match({link(likes_, s(3), s(1))}));
  };
  EXPECT_EQ(sorted(rows(build(), 4, {0, 1, 3})), (Names{"axa", "axb", "bxa", "bxb", "byb"}));
  EXPECT_EQ(sorted(rows(build(), 4, {0, 1, 3}, {}, true)),
            (Names{"axa", "axb", "bxa", "bxb", "byb", "cxa", "cxb", "cyb"}));
}

TEST_F(Algebra, PathsBothWaysAndOpen) {
  PathExpr step;
  step.predicates = {static_cast<std::uint32_t>(knows_)};
  PathExpr repeat;
  repeat.kind = PathExpr::Kind::kRepeat;
  repeat.parts = {step};
  const auto from = [&](Ref subject, Ref object, std::uint32_t least,
                        std::optional<std::uint32_t> most) {
    PathPattern pattern;
    pattern.subject = subject;
    pattern.object = object;
    pattern.path = repeat;
    pattern.path.minimum = least;
    pattern.path.maximum = most;
    return path(std::move(pattern));
  };
  EXPECT_EQ(sorted(rows(from(Ref::constant(code('b')), s(0), 1, 2), 1, {0})), (Names{"a", "c"}));
  EXPECT_EQ(sorted(rows(from(Ref::constant(code('b')), s(0), 3, 3), 1, {0})), (Names{"b", "c"}));
  EXPECT_EQ(sorted(rows(from(s(0), Ref::constant(code('b')), 1, {}), 1, {0})),
            (Names{"a", "b", "c"}));
  EXPECT_EQ(rows(from(s(0), s(1), 1, {}), 2, {0, 1}).size(), 9u);
  EXPECT_EQ(sorted(rows(from(Ref::constant(code('x')), s(0), 0, {}), 1, {0})), (Names{"x"}));
}

TEST_F(Algebra, OrderTopSliceAndUnion) {
  const auto people = [&] { return match({age(0, 1)}); };
  EXPECT_EQ(rows(order_by(people(), {{1, true, true, kip_sort_key}, {0, false, true, nullptr}}), 2,
                 {0, 1}),
            (Names{"a30", "c30", "b20"}));
  EXPECT_EQ(rows(order_by(people(), {{1, false, true, kip_sort_key}, {0, true, true, nullptr}}, 2),
                 2, {0}),
            (Names{"b", "c"}));
  EXPECT_EQ(rows(slice(order_by(people(), {{0, false, true, nullptr}}), 1, 1), 2, {0}),
            (Names{"b"}));
  std::vector<NodePtr> branches;
  branches.push_back(people());
  branches.push_back(match({link(likes_, s(2), s(0))}));
  EXPECT_EQ(sorted(rows(union_of(std::move(branches)), 3, {0, 1})),
            (Names{"a30", "b20", "c30", "x-", "x-", "y-"}));
}

// 20,000 things with values that repeat: many batches.
class Pages : public testing::Test {
 protected:
  static constexpr std::uint32_t kThings = 20'000;
  static std::int64_t value_of(std::uint32_t i) { return i * 7919 % 1000; }

  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    space_ = *space;
    const auto receipt = space_->write({}, [this](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(thing_, t.upsert_type("Thing"));
      for (std::uint32_t i = 0; i < kThings; ++i) {
        ANIMA_ASSIGN(const EntityId id, t.upsert_concept(thing_, "t" + std::to_string(i)));
        ids_.push_back(static_cast<std::uint32_t>(id));
        ANIMA_TRY(t.add_attribute(id, "value", Term::integer(value_of(i))));
      }
      return {};
    });
    ASSERT_TRUE(receipt) << receipt.error().message;
  }

  NodePtr things() const {
    StatementPattern typed;
    typed.subject = Ref::slot(0);
    typed.predicate = Ref::constant(store::kTypePredicate.code);
    typed.object = Ref::constant(static_cast<std::uint32_t>(thing_));
    return match({typed});
  }
  NodePtr valued() const { return with_attribute(0, "value"); }
  NodePtr with_attribute(Slot subject, std::string_view key) const {
    StatementPattern value;
    value.subject = Ref::slot(subject);
    value.predicate =
        Ref::constant(Predicate::attribute(*space_->snapshot().value().find_string(key)).code);
    value.object = Ref::slot(1);
    return match({value});
  }
  std::vector<std::uint32_t> first_column(NodePtr root, RunOptions options = {}) const {
    Plan plan;
    plan.root = std::move(root);
    plan.slot_count = 3;
    plan.results = {0};
    plan.scopes.push_back(space_->snapshot().value());
    auto answer = run(plan, options);
    return answer ? std::move(answer->table.columns[0]) : std::vector<std::uint32_t>{};
  }

  std::shared_ptr<store::Space> space_;
  EntityId thing_ = EntityId::kNone;
  std::vector<std::uint32_t> ids_;
};

TEST_F(Pages, WhatComesInOrderEndsWithThePage) {
  RunOptions options;
  options.budget.rows = 5000;  // a batch or two; the things are four times as many
  const auto page =
      first_column(order_by(distinct(things(), {0}), {{0, false, true, nullptr}}, 20), options);
  EXPECT_EQ(page, std::vector<std::uint32_t>(ids_.begin(), ids_.begin() + 20));
  EXPECT_EQ(first_column(order_by(distinct(things(), {0}), {{0, false, true, nullptr}})), ids_);
}

// The third run of the same look-ups reads them from arrays; a write makes those useless.
TEST_F(Pages, ManyLookUpsAnswerAlikeHoweverTheyAreRead) {
  Statistics statistics;
  RunOptions current;
  current.statistics = &statistics;
  current.current = true;
  const auto asked = space_->write({}, [](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId type, t.upsert_type("Question"));
    ANIMA_ASSIGN(const EntityId question, t.upsert_concept(type, "which"));
    for (std::int64_t value = -5; value < 1005; ++value)
      ANIMA_TRY(t.add_attribute(question, value < 500 ? "low" : "high", Term::integer(value)));
    return {};
  });
  ASSERT_TRUE(asked);
  const auto by_value = [&](RunOptions options) {
    std::vector<NodePtr> wanted;
    wanted.push_back(with_attribute(2, "low"));
    wanted.push_back(with_attribute(2, "high"));
    auto found = first_column(join(union_of(std::move(wanted)), valued()), options);
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto by_thing = [&](RunOptions options) {
    return first_column(order_by(join(things(), valued()), {{1, false, true, kip_sort_key}}),
                        options);
  };
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(by_value(current), ids_);
    EXPECT_EQ(by_thing(current), by_thing({}));
  }
  const auto receipt = space_->write({}, [this](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId id, t.upsert_concept(thing_, "late"));
    ids_.push_back(static_cast<std::uint32_t>(id));
    return t.add_attribute(id, "value", Term::integer(7));
  });
  ASSERT_TRUE(receipt);
  EXPECT_EQ(by_value(current), ids_);
  EXPECT_EQ(by_thing(current), by_thing({}));
}

TEST_F(Pages, TheBestRowsAreThoseOfTheWholeOrder) {
  std::vector<std::uint32_t> order(kThings);
  for (std::uint32_t i = 0; i < kThings; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [](std::uint32_t a, std::uint32_t b) { return value_of(a) > value_of(b); });
  for (const std::size_t limit : {1U, 20U, 300U, 2500U}) {
    std::vector<std::uint32_t> wanted;
    for (std::size_t i = 0; i < limit; ++i) wanted.push_back(ids_[order[i]]);
    EXPECT_EQ(first_column(order_by(
                  valued(), {{1, true, true, kip_sort_key}, {0, false, true, nullptr}}, limit)),
              wanted);
  }
}

TEST_F(Algebra, ASetNeedsNoDistinct) {
  const auto explained = [this](NodePtr root) {
    Plan plan;
    plan.root = std::move(root);
    plan.slot_count = 2;
    plan.results = {0};
    plan.scopes.push_back(space_->snapshot().value());
    return explain(plan).value_or("");
  };
  const auto knows = [this] { return match({link(knows_, s(0), s(1))}); };
  EXPECT_EQ(explained(distinct(knows(), {0, 1})).find("distinct"), std::string::npos);
  EXPECT_NE(explained(distinct(knows(), {0})).find("distinct"), std::string::npos);
}

TEST_F(Algebra, BudgetsEndARun) {
  const auto product = [&] {
    std::vector<StatementPattern> patterns;
    for (Slot i = 0; i < 20; i += 2) patterns.push_back(link(knows_, s(i), s(i + 1)));
    return distinct(match(std::move(patterns)), {0, 2, 4, 6, 8, 10, 12, 14, 16, 18});
  };
  RunOptions options;
  options.budget.rows = 10'000;
  EXPECT_EQ(rows(product(), 20, {0}, options), (Names{"limit_exceeded"}));
  options.budget.rows = ~std::uint64_t{0};
  options.budget.time_ms = 20;
  EXPECT_EQ(rows(product(), 20, {0}, options), (Names{"timeout"}));
  const std::atomic<bool> cancelled{true};
  options.budget.time_ms = 0;
  options.budget.cancelled = &cancelled;
  EXPECT_EQ(rows(product(), 20, {0}, options), (Names{"cancelled"}));
  options.budget.cancelled = nullptr;
  options.budget.memory_bytes = 100'000;
  EXPECT_EQ(rows(product(), 20, {0}, options), (Names{"limit_exceeded"}));
}

TEST_F(Algebra, ExplainsItself) {
  Plan plan;
  plan.root = match({link(knows_, s(0), s(1)), link(knows_, s(1), s(2)), link(knows_, s(2), s(0))});
  plan.slot_count = 3;
  plan.results = {0};
  plan.slot_names = {"x", "y", "z"};
  plan.scopes.push_back(space_->snapshot().value());
  const auto text = explain(plan);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(" and "), std::string::npos) << *text;
}

}  // namespace
}  // namespace anima::query
