// What the algebra has for SPARQL: tables, MINUS, patterns within expressions, graphs as values,
// several predicates at once, predicates as nodes, aggregates of a language's own. The answers are
// worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "query/executor.h"
#include "store/space.h"

namespace anima::query::sparql_algebra_test {
namespace {

using store::EntityId;
using store::GraphId;
using store::Predicate;
using store::Term;

// In graph one: a knows b, b knows c; in graph two: b knows c, c knows a, and a likes x.
// In the default graph: b likes y; age: a 30, b 20.
class SparqlAlgebra : public testing::Test {
 protected:
  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    space_ = *space;
    const auto receipt = space_->write({}, [this](store::Transaction& t) { return fill(t); });
    ASSERT_TRUE(receipt) << receipt.error().message;
  }

  Status fill(store::Transaction& t) {
    ANIMA_ASSIGN(const EntityId thing, t.upsert_type("Thing"));
    ANIMA_ASSIGN(knows_, t.upsert_predicate("knows"));
    ANIMA_ASSIGN(likes_, t.upsert_predicate("likes"));
    one_ = t.graph("http://g/one");
    two_ = t.graph("http://g/two");
    for (const char* name : {"a", "b", "c", "x", "y"}) {
      ANIMA_ASSIGN(const EntityId id, t.upsert_concept(thing, name));
      ids_.push_back(id);
    }
    const auto link = [&](GraphId graph, EntityId predicate, char s, char o) -> Status {
      store::AssertOptions options;
      options.graph = graph;
      ANIMA_TRY(
          t.assert_link({EntityId{code(s)}, Predicate::link(predicate), Term{code(o)}}, options));
      return {};
    };
    ANIMA_TRY(link(one_, knows_, 'a', 'b'));
    ANIMA_TRY(link(one_, knows_, 'b', 'c'));
    ANIMA_TRY(link(two_, knows_, 'b', 'c'));
    ANIMA_TRY(link(two_, knows_, 'c', 'a'));
    ANIMA_TRY(link(two_, likes_, 'a', 'x'));
    ANIMA_TRY(link(GraphId::kDefault, likes_, 'b', 'y'));
    ANIMA_TRY(t.add_attribute(EntityId{code('a')}, "age", Term::integer(30)));
    ANIMA_TRY(t.add_attribute(EntityId{code('b')}, "age", Term::integer(20)));
    return {};
  }

  std::uint32_t code(char name) const {
    static constexpr std::string_view kNames = "abcxy";
    return static_cast<std::uint32_t>(ids_[kNames.find(name)]);
  }
  static Ref s(Slot slot) { return Ref::slot(slot); }
  static StatementPattern link(EntityId predicate, Ref subject, Ref object) {
    StatementPattern pattern;
    pattern.subject = subject;
    pattern.predicate = Ref::constant(static_cast<std::uint32_t>(predicate));
    pattern.object = object;
    return pattern;
  }
  NodePtr knows(Slot from, Slot to) const { return match({link(knows_, s(from), s(to))}); }
  NodePtr likes(Slot from, Slot to) const { return match({link(likes_, s(from), s(to))}); }
  Predicate age() const {
    return Predicate::attribute(*space_->snapshot().value().find_string("age"));
  }
  NodePtr ages(Slot subject, Slot value) const {
    StatementPattern pattern;
    pattern.subject = s(subject);
    pattern.predicate = Ref::constant(age().code);
    pattern.object = s(value);
    return match({pattern});
  }

  Plan plan_of(NodePtr root, std::vector<Slot> results) const {
    Plan plan;
    plan.root = std::move(root);
    plan.slot_count = 8;
    plan.results = std::move(results);
    plan.scopes.push_back(space_->snapshot().value());
    plan.unbound_matches_all = true;
    plan.named_graphs = {{one_, Term::integer(1).code}, {two_, Term::integer(2).code}};
    return plan;
  }
  // Rows as text, sorted: entities by name, numbers by value, truths as T and F, unbound as "-".
  std::vector<std::string> rows(Plan plan) const {
    std::vector<std::string> out;
    for (const bool optimise : {true, false}) {
      RunOptions options;
      options.optimise = optimise;
      const auto answer = run(plan, options);
      if (!answer) return {answer.error().message};
      std::vector<std::string> found;
      for (std::size_t row = 0; row < answer->table.rows; ++row) {
        std::string text;
        for (const auto& column : answer->table.columns) text += cell(*answer->values, column[row]);
        found.push_back(text);
      }
      std::sort(found.begin(), found.end());
      if (!optimise) {
        EXPECT_EQ(found, out);
      }
      out = std::move(found);
    }
    return out;
  }
  std::vector<std::string> rows(NodePtr root, std::vector<Slot> results) const {
    return rows(plan_of(std::move(root), std::move(results)));
  }
  std::string cell(const Values& values, std::uint32_t code) const {
    if (code == 0) return "-";
    if (Term{code}.is_entity()) return std::string(space_->snapshot().value().name(EntityId{code}));
    const store::ValueView view = values.view(code);
    if (view.kind == store::ValueKind::kBoolean) return view.integer != 0 ? "T" : "F";
    return view.kind == store::ValueKind::kInteger ? std::to_string(view.integer) : "?";
  }
  using Names = std::vector<std::string>;

  std::shared_ptr<store::Space> space_;
  EntityId knows_{}, likes_{};
  GraphId one_{}, two_{};
  std::vector<EntityId> ids_;
};

TEST_F(SparqlAlgebra, ATableJoinsWithWhatAgrees) {
  const auto table_of = [&] {
    return table({1, 2},
                 {{code('b'), code('c'), 0, code('b')},
                  {Term::integer(1).code, 0, Term::integer(3).code, Term::integer(1).code}});
  };
  EXPECT_EQ(rows(table_of(), {1, 2}), (Names{"-3", "b1", "b1", "c-"}));
  // a-b, b-c and c-a: b twice with 1, c with nothing, all with 3.
  const Names joined{"ab1", "ab1", "ab3", "bc-", "bc3", "ca3"};
  EXPECT_EQ(rows(join(knows(0, 1), table_of()), {0, 1, 2}), joined);
  EXPECT_EQ(rows(join(table_of(), knows(0, 1)), {0, 1, 2}), joined);
  EXPECT_EQ(rows(join(table_of(), knows(0, 1), true), {0, 1, 2}), joined);
  EXPECT_EQ(rows(join(knows(0, 1), table({1}, {{}})), {0, 1}), Names{});
  EXPECT_EQ(rows(join(knows(0, 1), table({1}, {{code('b'), code('c')}})), {0, 1}),
            (Names{"ab", "bc"}));
}

TEST_F(SparqlAlgebra, ValuesThatNothingHoldsMatchNothing) {
  Plan plan = plan_of(nullptr, {0, 1});
  plan.values = std::make_shared<Values>(plan.scopes[0]);
  const std::uint32_t stranger = plan.values->string("a stranger").code;
  ASSERT_EQ(Term{stranger}.tag(), store::Tag::kOverlay);
  for (const Slot slot : {Slot{0}, Slot{1}}) {
    plan.root = join(table({slot}, {{stranger, code('a')}}), knows(0, 1));
    EXPECT_EQ(rows(std::move(plan)).size(), 1u) << slot;
    plan = plan_of(nullptr, {0, 1});
    plan.values = std::make_shared<Values>(plan.scopes[0]);
    plan.values->string("a stranger");
  }
  StatementPattern open;
  open.subject = s(0);
  open.predicate = s(2);
  open.object = s(1);
  for (const Slot slot : {Slot{0}, Slot{1}, Slot{2}}) {
    plan.root = join(table({slot}, {{stranger}}), match({open}));
    EXPECT_EQ(rows(std::move(plan)), Names{}) << slot;
    plan = plan_of(nullptr, {0, 1});
    plan.values = std::make_shared<Values>(plan.scopes[0]);
    plan.values->string("a stranger");
  }
}

TEST_F(SparqlAlgebra, MinusTakesAwayWhatSharesAndAgrees) {
  EXPECT_EQ(rows(minus(knows(0, 1), likes(0, 2)), {0, 1}), (Names{"ca"}));
  // Nothing shared: nothing goes.
  EXPECT_EQ(rows(minus(knows(0, 1), likes(2, 3)), {0, 1}), (Names{"ab", "bc", "ca"}));
  // A slot that is unbound in a row is not shared in that row: only b, who is 20, goes.
  const auto left = [&] { return left_join(knows(0, 1), ages(0, 2)); };
  EXPECT_EQ(rows(left(), {0, 2}), (Names{"a30", "b20", "c-"}));
  EXPECT_EQ(rows(minus(left(), table({2}, {{Term::integer(20).code}})), {0, 2}),
            (Names{"a30", "c-"}));
}

TEST_F(SparqlAlgebra, APatternWithinAFilterIsASemiOrAntiJoin) {
  const auto semi_join = [](NodePtr left, NodePtr right) {
    std::vector<Expr> conditions;
    conditions.push_back(Expr::exists(std::move(right)));
    return filter(std::move(left), std::move(conditions));
  };
  EXPECT_EQ(rows(semi_join(knows(0, 1), likes(0, 2)), {0, 1}), (Names{"ab", "bc"}));
  const auto not_exists = [&](NodePtr left, NodePtr right) {
    std::vector<Expr> conditions;
    conditions.push_back(Expr::negate(Expr::exists(std::move(right))));
    return filter(std::move(left), std::move(conditions));
  };
  EXPECT_EQ(rows(not_exists(knows(0, 1), likes(0, 2)), {0, 1}), (Names{"ca"}));
  // Nested: who knows somebody who knows nobody that likes something. a knows b knows c: c likes
  // nothing, so b knows nobody such; b knows c knows a, who likes x.
  EXPECT_EQ(rows(semi_join(knows(0, 1), not_exists(knows(1, 2), likes(2, 3))), {0, 1}),
            (Names{"ab"}));
  // A pattern that shares nothing is there or not for all rows.
  EXPECT_EQ(rows(semi_join(knows(0, 1), likes(4, 5)), {0, 1}).size(), 3u);
  EXPECT_EQ(rows(not_exists(knows(0, 1), likes(4, 5)), {0, 1}).size(), 0u);
}

TEST_F(SparqlAlgebra, APatternWithinAnExpressionIsATruth) {
  EXPECT_EQ(rows(extend(knows(0, 1), 3, Expr::exists(likes(0, 2))), {0, 3}),
            (Names{"aT", "bT", "cF"}));
  // Either of two patterns, and the negation of both.
  const auto either = [&](bool negated) {
    std::vector<Expr> parts;
    parts.push_back(Expr::exists(match({link(likes_, s(0), Ref::constant(code('x')))})));
    parts.push_back(Expr::exists(match({link(likes_, s(1), Ref::constant(code('x')))})));
    std::vector<Expr> conditions;
    conditions.push_back(negated ? Expr::negate(Expr::any(std::move(parts)))
                                 : Expr::any(std::move(parts)));
    return filter(knows(0, 1), std::move(conditions));
  };
  EXPECT_EQ(rows(either(false), {0, 1}), (Names{"ab", "ca"}));
  EXPECT_EQ(rows(either(true), {0, 1}), (Names{"bc"}));
}

TEST_F(SparqlAlgebra, APatternIsTheConditionOfALeftJoin) {
  for (const bool isolated : {false, true}) {
    std::vector<Expr> condition;
    condition.push_back(Expr::exists(likes(1, 3)));
    EXPECT_EQ(rows(left_join(ages(0, 2), knows(0, 1), std::move(condition), isolated), {0, 1}),
              (Names{"ab", "b-"}))
        << isolated;
    std::vector<Expr> both, parts;
    parts.push_back(Expr::negate(Expr::exists(likes(1, 3))));
    parts.push_back(Expr::exists(knows(1, 4)));
    both.push_back(Expr::all(std::move(parts)));
    EXPECT_EQ(rows(left_join(ages(0, 2), knows(0, 1), std::move(both), isolated), {0, 1}),
              (Names{"a-", "bc"}))
        << isolated;
  }
}

TEST_F(SparqlAlgebra, AGraphIsAValue) {
  const auto in_graph = [&](Slot from, Slot to, Slot graph) {
    StatementPattern pattern = link(knows_, s(from), s(to));
    pattern.graph = graph;
    return pattern;
  };
  EXPECT_EQ(rows(match({in_graph(0, 1, 2)}), {0, 1, 2}), (Names{"ab1", "bc1", "bc2", "ca2"}));
  // Both steps within one graph.
  EXPECT_EQ(rows(match({in_graph(0, 1, 3), in_graph(1, 2, 3)}), {0, 1, 2, 3}),
            (Names{"abc1", "bca2"}));
  // A graph that is known before.
  const auto two = [] { return table({2}, {{Term::integer(2).code, Term::integer(7).code}}); };
  EXPECT_EQ(rows(join(two(), match({in_graph(0, 1, 2)})), {0, 1, 2}), (Names{"bc2", "ca2"}));
  // In some rows known, in others not.
  EXPECT_EQ(
      rows(join(table({2}, {{Term::integer(1).code, 0}}), match({in_graph(0, 1, 2)})), {0, 1, 2})
          .size(),
      6u);
  Plan plan = plan_of(match({in_graph(0, 1, 2)}), {0, 1, 2});
  plan.named_graphs.pop_back();
  EXPECT_EQ(rows(std::move(plan)), (Names{"ab1", "bc1"}));
}

TEST_F(SparqlAlgebra, APathLiesInOneGraph) {
  const auto reach = [&](std::optional<Slot> graph) {
    PathPattern pattern;
    pattern.subject = s(0);
    pattern.object = s(1);
    pattern.path.kind = PathExpr::Kind::kRepeat;
    pattern.path.parts.emplace_back();
    pattern.path.parts[0].predicates = {static_cast<std::uint32_t>(knows_)};
    pattern.graph = graph;
    return path(pattern);
  };
  EXPECT_EQ(rows(reach(std::nullopt), {0, 1}).size(), 9u);
  EXPECT_EQ(rows(reach(2), {0, 1, 2}), (Names{"ab1", "ac1", "ba2", "bc1", "bc2", "ca2"}));
}

TEST_F(SparqlAlgebra, APathOfNoStepsJoinsWhateverIsSaid) {
  PathPattern pattern;
  pattern.subject = s(0);
  pattern.object = s(1);
  pattern.path.kind = PathExpr::Kind::kRepeat;
  pattern.path.parts.emplace_back();
  pattern.path.parts[0].predicates = {static_cast<std::uint32_t>(likes_)};
  pattern.path.minimum = 0;
  const Names all = rows(path(pattern), {0, 1});
  // Literals, too: 20 and 30 are objects of statements.
  for (const char* row : {"aa", "ax", "bb", "by", "xx", "2020", "3030"})
    EXPECT_TRUE(std::find(all.begin(), all.end(), row) != all.end()) << row;
  // What nobody knows joins with itself.
  Plan plan = plan_of(nullptr, {0});
  plan.values = std::make_shared<Values>(plan.scopes[0]);
  pattern.subject = Ref::constant(plan.values->string("a stranger").code);
  pattern.object = s(0);
  plan.root = path(pattern);
  EXPECT_EQ(rows(std::move(plan)), (Names{"?"}));
}

TEST_F(SparqlAlgebra, AnyOfAFewPredicates) {
  const auto either = [&](Ref subject, Ref object) {
    StatementPattern pattern = link(knows_, subject, object);
    pattern.also = {static_cast<std::uint32_t>(likes_), age().code};
    return pattern;
  };
  EXPECT_EQ(rows(match({either(s(0), s(1))}), {0, 1}),
            (Names{"a30", "ab", "ax", "b20", "bc", "by", "ca"}));
  EXPECT_EQ(rows(match({either(Ref::constant(code('a')), s(1))}), {1}), (Names{"30", "b", "x"}));
  EXPECT_EQ(rows(match({either(s(0), Ref::constant(code('y')))}), {0}), (Names{"b"}));
  EXPECT_EQ(rows(match({either(s(0), s(1)), either(s(1), s(2)), either(s(2), s(0))}), {0, 1, 2}),
            (Names{"abc", "bca", "cab"}));
  EXPECT_EQ(rows(match({link(knows_, s(0), s(1)), either(s(1), s(2))}), {0, 1, 2}),
            (Names{"ab20", "abc", "aby", "bca", "ca30", "cab", "cax"}));
}

// knows is node 1, likes node 2, and age node 2, too; what is said of y is hidden.
class TwoNodes final : public PredicateNodes {
 public:
  TwoNodes(EntityId knows, EntityId likes, Predicate age, std::uint32_t hidden)
      : knows_{static_cast<std::uint32_t>(knows)},
        others_{static_cast<std::uint32_t>(likes), age.code},
        hidden_(hidden) {}
  std::uint32_t node_of(const store::Triple& triple) const override {
    if (triple.object.code == hidden_) return 0;
    if (triple.predicate.code == knows_[0]) return Term::integer(1).code;
    const bool other =
        std::find(others_.begin(), others_.end(), triple.predicate.code) != others_.end();
    return other ? Term::integer(2).code : 0;
  }
  std::span<const Seen> seen() const override { return seen_; }
  std::span<const std::uint32_t> predicates_of(std::uint32_t node) const override {
    if (node == Term::integer(1).code) return knows_;
    if (node == Term::integer(2).code) return others_;
    return {};
  }

 private:
  std::vector<std::uint32_t> knows_, others_;
  std::uint32_t hidden_;
  std::vector<EntityId> unseen_{Term{hidden_}.as_entity()};
  std::vector<Seen> seen_{{Predicate{knows_[0]}, Term::integer(1).code, unseen_},
                          {Predicate{others_[0]}, Term::integer(2).code, unseen_},
                          {Predicate{others_[1]}, 0, {}}};
};

TEST_F(SparqlAlgebra, PredicatesStandAsNodes) {
  StatementPattern open;
  open.subject = s(0);
  open.predicate = s(1);
  open.object = s(2);
  open.classes = kLinks | kAttributes;
  const auto plan = [&](NodePtr root, std::vector<Slot> results) {
    Plan made = plan_of(std::move(root), std::move(results));
    made.predicate_nodes = std::make_shared<TwoNodes>(knows_, likes_, age(), code('y'));
    return made;
  };
  EXPECT_EQ(rows(plan(match({open}), {0, 1, 2})),
            (Names{"a1b", "a230", "a2x", "b1c", "b220", "c1a"}));
  Aggregate count;
  count.result = 3;
  EXPECT_EQ(rows(plan(group(match({open}), {1}, {count}), {1, 3})), (Names{"13", "23"}));
  EXPECT_EQ(rows(plan(match({open}), {1})), (Names{"1", "1", "1", "2", "2", "2"}));
  const auto second = [] { return table({1}, {{Term::integer(2).code}}); };
  EXPECT_EQ(rows(plan(join(second(), match({open})), {0, 1, 2})), (Names{"a230", "a2x", "b220"}));
  EXPECT_EQ(rows(plan(join(match({open}), second()), {0, 1, 2})), (Names{"a230", "a2x", "b220"}));
  StatementPattern again = open;
  again.subject = s(2);
  again.object = s(3);
  EXPECT_EQ(rows(plan(match({open, again}), {0, 1, 2, 3})), (Names{"a1bc", "b1ca", "c1ab"}));
  again.graph = 4;
  EXPECT_EQ(rows(plan(match({again}), {2, 1, 3, 4})),
            (Names{"a1b1", "a2x2", "b1c1", "b1c2", "c1a2"}));
}

// Counts what is bound and what is not.
class BoundAndNot final : public Accumulated {
 public:
  void resize(std::size_t groups) override { counts_.resize(groups, 0); }
  void add(Values&, std::uint32_t group, std::uint32_t code, std::uint64_t times) override {
    counts_[group] += static_cast<std::int64_t>(times) * (code == 0 ? 100 : 1);
  }
  Term result(Values& values, std::size_t group) const override {
    return values.integer(counts_[group]);
  }
  std::uint64_t bytes() const override { return counts_.capacity() * 8; }

 private:
  std::vector<std::int64_t> counts_;
};
class CountsBoundAndNot final : public Accumulation {
 public:
  std::string name() const override { return "bound and not"; }
  std::unique_ptr<Accumulated> begin() const override { return std::make_unique<BoundAndNot>(); }
};

TEST_F(SparqlAlgebra, AnAggregateOfALanguageSeesWhatIsUnbound) {
  Aggregate own;
  own.kind = AggregateKind::kAccumulate;
  own.argument = 2;
  own.result = 4;
  own.accumulation = std::make_shared<CountsBoundAndNot>();
  EXPECT_EQ(rows(group(left_join(knows(0, 1), ages(0, 2)), {}, {own}), {4}), (Names{"102"}));
  own.distinct = true;
  EXPECT_EQ(rows(group(left_join(knows(0, 1), ages(0, 2)), {}, {own}), {4}), (Names{"102"}));
  EXPECT_EQ(rows(group(knows(0, 0), {}, {own}), {4}), (Names{"0"}));
}

TEST_F(SparqlAlgebra, DistinctRowsAreCounted) {
  Aggregate count;
  count.distinct = true;
  count.row = {0, 1};
  count.result = 4;
  std::vector<NodePtr> twice;
  twice.push_back(knows(0, 1));
  twice.push_back(knows(0, 1));
  EXPECT_EQ(rows(group(union_of(std::move(twice)), {}, {count}), {4}), (Names{"3"}));
}

TEST_F(SparqlAlgebra, WhatIsBoundIsCounted) {
  Aggregate count;
  count.kind = AggregateKind::kCountBound;
  count.argument = 2;
  count.result = 4;
  EXPECT_EQ(rows(group(left_join(knows(0, 1), ages(0, 2)), {}, {count}), {4}), (Names{"2"}));
  count.argument = 1;
  EXPECT_EQ(rows(group(knows(0, 1), {}, {count}), {4}), (Names{"3"}));
  EXPECT_EQ(rows(group(match({link(knows_, s(0), s(1)), link(knows_, s(1), s(2))}), {0}, {count}),
                 {0, 4}),
            (Names{"a1", "b1", "c1"}));
}

TEST_F(SparqlAlgebra, ARunBeginsWithTheValuesOfItsPlan) {
  const auto prepared = std::make_shared<Values>(space_->snapshot().value());
  const Term stranger = prepared->string("a stranger");
  Plan plan = plan_of(join(table({0}, {{stranger.code}}), knows(1, 2)), {0});
  for (int i = 0; i < 2; ++i) {
    RunOptions options;
    options.values = std::make_shared<Values>(prepared);
    const auto answer = run(plan, options);
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->table.rows, 3u);
    Values& values = *answer->values;
    EXPECT_EQ(values.view(answer->table.columns[0][0]).text, "a stranger");
    EXPECT_EQ(values.string("a stranger"), stranger);
    const Term other = values.string("another");
    EXPECT_NE(other, stranger);
    EXPECT_EQ(values.string("another"), other);
    EXPECT_EQ(values.view(other.code).text, "another");
  }
}

// A number that no other row has.
class NextNumber final : public Function {
 public:
  std::string name() const override { return "next"; }
  bool varies() const override { return true; }
  void apply(Values& values, std::span<const ColumnView>, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t row = 0; row < rows; ++row) out[row] = values.integer(++last_).code;
  }

 private:
  mutable std::int64_t last_ = 0;
};

TEST_F(SparqlAlgebra, WhatVariesIsAskedForEveryRow) {
  // b and c are known once each, and a; nobody reads who knows them.
  const auto number = [&] {
    return extend(match({link(knows_, s(0), s(1)), link(knows_, s(2), s(3))}), 4,
                  Expr::call(std::make_shared<NextNumber>(), {}));
  };
  const auto rows_of = [](const Plan& plan) {
    const auto answer = run(plan);
    return answer ? answer->table.rows : 0;
  };
  EXPECT_EQ(rows_of(plan_of(number(), {4})), 9u);
  EXPECT_EQ(rows_of(plan_of(distinct(number(), {4}), {4})), 9u);
}

}  // namespace
}  // namespace anima::query::sparql_algebra_test
