// What a query may cost: everything that it makes is counted before it is made.
#include <gtest/gtest.h>

#include <cstdio>
#include <stop_token>
#include <string>

#include "query/executor.h"
#include "store/space.h"

namespace anima::query {
namespace {

using store::EntityId;
using store::Term;

// How many bytes of memory this process has.
std::uint64_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  unsigned long long all = 0, resident = 0;
  if (file == nullptr) return 0;
  const int got = std::fscanf(file, "%llu %llu", &all, &resident);
  std::fclose(file);
  return got == 2 ? resident * 4096 : 0;
}

// A string of so many bytes for each row, no two the same.
class Long final : public Function {
 public:
  explicit Long(std::size_t bytes) : bytes_(bytes) {}
  std::string name() const override { return "long"; }
  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t i = 0; i < rows; ++i) {
      std::string text(bytes_, 'x');
      text += std::to_string(arguments[0][i]);
      out[i] = values.string(text).code;
    }
  }

 private:
  std::size_t bytes_;
};

// Keeps every value of the only group.
class Keeps final : public Accumulated {
 public:
  void resize(std::size_t) override {}
  void add(Values& values, std::uint32_t, std::uint32_t code, std::uint64_t times) override {
    if (values.take_memory(times * 4)) cells_.insert(cells_.end(), times, code);
  }
  Term result(Values& values, std::size_t) const override {
    return values.integer(static_cast<std::int64_t>(cells_.size()));
  }
  std::uint64_t bytes() const override { return 0; }  // they were asked for

 private:
  std::vector<std::uint32_t> cells_;
};
class Count final : public Accumulation {
 public:
  std::string name() const override { return "count"; }
  std::unique_ptr<Accumulated> begin() const override { return std::make_unique<Keeps>(); }
};

// Asks for an end when it is asked for the third time.
class StopsMidway final : public Condition {
 public:
  explicit StopsMidway(std::stop_source source) : source_(std::move(source)) {}
  std::string name() const override { return "stop"; }
  void test(Values&, std::span<const ColumnView>, std::size_t rows, Truth* out) const override {
    std::fill(out, out + rows, Truth::kTrue);
    if (++calls == 3) source_.request_stop();
  }
  mutable int calls = 0;

 private:
  mutable std::stop_source source_;
};

class QueryBudget : public testing::Test {
 protected:
  static constexpr std::uint64_t kThings = 300;

  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    space_ = *space;
    const auto receipt = space_->write({}, [this](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(type_, t.upsert_type("Thing"));
      for (std::uint64_t i = 0; i < kThings; ++i)
        ANIMA_TRY(t.upsert_concept(type_, std::to_string(i)));
      return {};
    });
    ASSERT_TRUE(receipt);
  }

  // Every combination of so many things, in the slots 0, 1, ..
  NodePtr things(Slot count) const {
    std::vector<StatementPattern> patterns;
    for (Slot slot = 0; slot < count; ++slot) {
      StatementPattern pattern;
      pattern.subject = Ref::slot(slot);
      pattern.predicate = Ref::constant(store::kTypePredicate.code);
      pattern.object = Ref::constant(static_cast<std::uint32_t>(type_));
      patterns.push_back(pattern);
    }
    return match(std::move(patterns));
  }

  Result<Answer> ask(NodePtr root, Slot slots, std::vector<Slot> results, Budget budget) {
    Plan plan;
    plan.root = std::move(root);
    plan.slot_count = slots;
    plan.results = std::move(results);
    plan.scopes.push_back(space_->snapshot().value());
    RunOptions options;
    options.budget = std::move(budget);
    return run(plan, options);
  }
  static Budget memory(std::uint64_t mebibytes) {
    Budget budget;
    budget.memory_bytes = mebibytes << 20;
    return budget;
  }
  static Aggregate aggregate(AggregateKind kind, Slot argument, Slot result) {
    Aggregate it;
    it.kind = kind;
    it.argument = argument;
    it.result = result;
    return it;
  }
  static ErrorCode code_of(const Result<Answer>& answer) {
    return answer ? ErrorCode::kInternal : answer.error().code;
  }

  std::shared_ptr<store::Space> space_;
  EntityId type_{};
};

TEST_F(QueryBudget, RowsThatStandForManyAreCountedBeforeTheyAreMade) {
  const std::uint64_t before = resident_bytes();
  const auto answer = ask(things(3), 3, {0}, memory(16));  // 27,000,000 rows, one column
  EXPECT_EQ(code_of(answer), ErrorCode::kLimitExceeded);
  EXPECT_LT(resident_bytes(), before + (std::uint64_t{48} << 20));
  Budget rows;
  rows.rows = 1'000'000;
  EXPECT_EQ(code_of(ask(things(3), 3, {0}, rows)), ErrorCode::kLimitExceeded);
  EXPECT_EQ(ask(things(2), 2, {0}, memory(16))->table.rows, kThings * kThings);
}

TEST_F(QueryBudget, ACrossProductUnderAnAggregateEndsInTheBudgetsError) {
  Aggregate fold = aggregate(AggregateKind::kAccumulate, 0, 3);
  fold.accumulation = std::make_shared<Count>();
  const std::uint64_t before = resident_bytes();
  EXPECT_EQ(code_of(ask(group(things(3), {}, {fold}), 4, {3}, memory(16))),
            ErrorCode::kLimitExceeded);
  EXPECT_LT(resident_bytes(), before + (std::uint64_t{48} << 20));
}

TEST_F(QueryBudget, TheStateOfDistinctAggregatesIsCounted) {
  Aggregate count = aggregate(AggregateKind::kCount, 1, 2);
  count.distinct = true;
  const auto counted = [&](std::uint64_t mebibytes) {
    return ask(group(things(2), {0}, {count}), 3, {0, 2}, memory(mebibytes));
  };
  EXPECT_EQ(code_of(counted(1)), ErrorCode::kLimitExceeded);  // 90,000 pairs of 16 bytes
  const auto answer = counted(64);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->table.rows, kThings);
}

TEST_F(QueryBudget, TheStateOfGroupsIsCounted) {
  std::vector<Aggregate> sums;
  for (Slot slot = 2; slot < 22; ++slot) sums.push_back(aggregate(AggregateKind::kSum, 0, slot));
  const auto grouped = [&](std::uint64_t mebibytes) {
    return ask(group(things(2), {0, 1}, sums), 22, {2}, memory(mebibytes));
  };
  EXPECT_EQ(code_of(grouped(16)), ErrorCode::kLimitExceeded);  // 90,000 groups of 20 sums
  const auto answer = grouped(256);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->table.rows, kThings * kThings);
}

TEST_F(QueryBudget, ValuesThatAQueryMakesAreCounted) {
  const auto made = [&](std::size_t bytes) {
    return ask(extend(things(1), 1, Expr::call(std::make_shared<Long>(bytes), {Expr::of_slot(0)})),
               2, {1}, memory(16));
  };
  [[maybe_unused]] const std::uint64_t before = resident_bytes();
  EXPECT_EQ(code_of(made(std::size_t{1} << 20)), ErrorCode::kLimitExceeded);
#ifndef ANIMA_SANITIZED
  // A sanitizer holds back what was given back, so that it finds who uses it.
  EXPECT_LT(resident_bytes(), before + (std::uint64_t{48} << 20));
#endif
  EXPECT_TRUE(made(1000));
}

TEST_F(QueryBudget, ARunGivesItsMeterBack) {
  const auto answer =
      ask(extend(things(1), 1, Expr::call(std::make_shared<Long>(10), {Expr::of_slot(0)})), 2, {1},
          memory(1));
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->values->string(std::string(std::size_t{2} << 20, 'y')).code, 0u);
}

TEST_F(QueryBudget, AnOrderOfManyRowsIsCounted) {
  const auto page = [&](std::uint64_t mebibytes) {
    return ask(order_by(things(2), {{1, true, true, nullptr}, {0, false, true, nullptr}}, 80'000),
               2, {0, 1}, memory(mebibytes));
  };
  EXPECT_EQ(code_of(page(2)), ErrorCode::kLimitExceeded);  // 90,000 rows with two keys of 32 bytes
  const auto answer = page(64);
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->table.rows, 80'000u);
  for (std::size_t row = 1; row < answer->table.rows; ++row) {
    const auto& first = answer->table.columns[1];
    const auto& second = answer->table.columns[0];
    ASSERT_GE(first[row - 1], first[row]);
    if (first[row - 1] == first[row]) {
      ASSERT_LT(second[row - 1], second[row]);
    }
  }
}

TEST_F(QueryBudget, ACountThatNoNumberHoldsIsAnError) {
  const auto counted = [&](Slot slots) {
    return ask(group(things(slots), {}, {aggregate(AggregateKind::kCountRows, 0, slots)}),
               slots + 1, {slots}, memory(64));
  };
  const auto some = counted(3);
  ASSERT_TRUE(some) << some.error().message;
  double number = 0;
  ASSERT_TRUE(some->values->number_of(some->table.columns[0][0], &number));
  EXPECT_EQ(number, 27'000'000.0);
  EXPECT_EQ(code_of(counted(8)), ErrorCode::kLimitExceeded);   // 300^8 > 2^63
  EXPECT_EQ(code_of(counted(12)), ErrorCode::kLimitExceeded);  // 300^12 > 2^64
}

TEST_F(QueryBudget, OneMeterIsSpentByAllThatARequestAsks) {
  Meter meter(memory(1));
  Plan plan;
  plan.root = things(2);
  plan.slot_count = 2;
  plan.results = {0, 1};
  plan.scopes.push_back(space_->snapshot().value());
  RunOptions options;
  options.meter = &meter;
  int answered = 0;
  while (answered < 10 && run(plan, options)) ++answered;
  EXPECT_EQ(answered, 1);  // 720,000 bytes each
  EXPECT_TRUE(meter.failed());
}

TEST_F(QueryBudget, AStopReachesWhatRuns) {
  std::stop_source source;
  const auto stops = std::make_shared<StopsMidway>(source);
  const auto plan = [&] {
    std::vector<Expr> conditions;
    conditions.push_back(Expr::test(stops, {Expr::of_slot(0), Expr::of_slot(1)}));
    return filter(things(2), std::move(conditions));
  };
  Budget budget;
  budget.stop = source.get_token();
  EXPECT_EQ(code_of(ask(plan(), 2, {0, 1}, budget)), ErrorCode::kCancelled);
  EXPECT_LE(stops->calls, 4);
}

// A root that leads to many middles, and every middle to each of as many ends.
class PathBudget : public testing::Test {
 protected:
  void build(std::uint32_t middles, std::uint32_t ends) {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    space_ = *space;
    const auto receipt = space_->write({}, [&](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(const EntityId type, t.upsert_type("Thing"));
      ANIMA_ASSIGN(const EntityId leads, t.upsert_predicate("leads"));
      leads_ = store::Predicate::link(leads);
      ANIMA_ASSIGN(root_, t.upsert_concept(type, "root"));
      std::vector<EntityId> last;
      for (std::uint32_t i = 0; i < ends; ++i) {
        ANIMA_ASSIGN(end_, t.upsert_concept(type, "end " + std::to_string(i)));
        last.push_back(end_);
      }
      for (std::uint32_t i = 0; i < middles; ++i) {
        ANIMA_ASSIGN(const EntityId middle, t.upsert_concept(type, "middle " + std::to_string(i)));
        ANIMA_TRY(t.assert_link({root_, leads_, Term::entity(middle)}));
        for (const EntityId end : last) {
          ANIMA_TRY(t.assert_link({middle, leads_, Term::entity(end)}));
        }
      }
      return {};
    });
    ASSERT_TRUE(receipt) << receipt.error().describe();
  }
  static PathExpr path_of(PathExpr::Kind kind, std::vector<PathExpr> parts) {
    PathExpr path;
    path.kind = kind;
    path.parts = std::move(parts);
    return path;
  }
  PathExpr step() const {
    PathExpr path;
    path.kind = PathExpr::Kind::kStep;
    path.predicates = {leads_.code};
    return path;
  }
  // Whether the path leads from the root to the last end: one row, or none.
  Result<Answer> leads(PathExpr way, std::uint64_t bytes) const {
    PathPattern pattern;
    pattern.subject = Ref::constant(static_cast<std::uint32_t>(root_));
    pattern.object = Ref::constant(static_cast<std::uint32_t>(end_));
    pattern.path = std::move(way);
    Plan plan;
    plan.root = path(std::move(pattern));
    plan.slot_count = 1;
    plan.results = {0};
    plan.scopes.push_back(space_->snapshot().value());
    RunOptions options;
    options.budget.memory_bytes = bytes;
    return run(plan, options);
  }

  std::shared_ptr<store::Space> space_;
  store::Predicate leads_;
  EntityId root_{}, end_{};
};

TEST_F(PathBudget, WhatASearchRemembersIsCounted) {
  build(30'000, 1);
  const PathExpr far = path_of(PathExpr::Kind::kRepeat, {step()});
  const auto answer = leads(far, 8 << 20);
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->table.rows, 1U);
  const auto refused = leads(far, 64 << 10);  // 30,000 ends of 4 bytes
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
}

TEST_F(PathBudget, WaysThatMeetAgainAreHeldOnce) {
  build(400, 400);
  const PathExpr two = path_of(PathExpr::Kind::kSequence, {step(), step()});
  const auto answer = leads(two, 96 << 10);  // 160,000 ways of 4 bytes to 400 ends
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->table.rows, 1U);
}

}  // namespace
}  // namespace anima::query
