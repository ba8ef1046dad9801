// How much work it is to plan a rule, in questions to the statistics.
#include "datalog/engine/plan.h"

#include <gtest/gtest.h>

#include "datalog/engine/body.h"
#include "unit/datalog/engine_fixture.h"

namespace anima::datalog {
namespace {

class CountingStatistics : public Statistics {
 public:
  std::uint64_t rows(RelationId) const override {
    ++questions;
    return 100;
  }
  double fan_out(RelationId, std::span<const std::uint32_t>) const override {
    ++questions;
    return 3;
  }
  double companions(RelationId, std::span<const std::uint32_t>) const override {
    ++questions;
    return 4;
  }
  double matches(RelationId, std::span<const std::uint32_t>, std::span<const Code>) const override {
    ++questions;
    return 2;
  }
  mutable std::size_t questions = 0;
};

// A body of `count` literals of one shape.
std::string body_of(const std::string& shape, std::size_t count) {
  std::string text = "e(X0, X1)";
  for (std::size_t i = 1; i < count; ++i) {
    const std::string here = "X" + std::to_string(i);
    const std::string next = "X" + std::to_string(i + 1);
    if (shape == "chain") text += ", e(" + here + ", " + next + ")";
    if (shape == "star") text += ", e(X0, " + next + ")";
    if (shape == "apart") text += ", e(Y" + std::to_string(i) + ", Z" + std::to_string(i) + ")";
    if (shape == "same") text += ", e(X0, X1)";
    if (shape == "ring") text += ", e(" + here + ", " + (i + 1 == count ? "X0" : next) + ")";
    if (shape == "wheel") text += ", t(X0, " + here + ", " + next + ")";
    if (shape == "compute") text += ", " + next + " = fn:plus(" + here + ", 1)";
    if (shape == "negated") text += ", !t(X0, X1, " + std::to_string(i) + ")";
  }
  return text;
}

std::size_t questions(const std::string& shape, std::size_t count) {
  ValueTable values;
  auto program = compile("Decl e(X, Y). Decl t(X, Y, Z).\np(X0) :- " + body_of(shape, count) + ".",
                         values, "test.mg");
  EXPECT_TRUE(program) << program.error().describe();
  if (!program) return 0;
  const auto network = build_network(std::make_shared<const Program>(std::move(*program)));
  std::size_t most = 0;
  for (std::uint32_t rule = 0; rule < network->rules.size(); ++rule) {
    const CountingStatistics statistics;
    const Plan plan = make_plan(*network, rule, {}, statistics);
    if (network->rules[rule].rule.body.size() < count) continue;
    std::size_t placed = 0;
    for (const Op& op : plan.ops) placed += op.kind == OpKind::kMeet ? op.access.size() : 1;
    EXPECT_EQ(placed, network->rules[rule].rule.body.size()) << shape;
    most = std::max(most, statistics.questions);
  }
  return most;
}

TEST(Plan, PlanningALongBodyIsLinear) {
  for (const char* shape :
       {"chain", "star", "apart", "same", "ring", "wheel", "compute", "negated"}) {
    const std::size_t few = questions(shape, 200);
    const std::size_t many = questions(shape, 1800);
    EXPECT_GT(many, 0U) << shape;
    EXPECT_LE(many, 10 * few) << shape;
    EXPECT_LE(many, 1800U * 10) << shape;
  }
}

TEST(Plan, CyclesAreFoundInLongBodies) {
  for (const char* shape : {"chain", "star", "apart", "same", "ring", "wheel"}) {
    ValueTable values;
    const auto program =
        compile("Decl e(X, Y). Decl t(X, Y, Z).\np(X0) :- " + body_of(shape, 1500) + ".", values);
    ASSERT_TRUE(program);
    EXPECT_EQ(is_cyclic(program->rules.front().body), std::string(shape) == "ring") << shape;
  }
}

TEST(Plan, ABodyThatIsTooLongIsRefused) {
  for (const char* shape : {"chain", "same", "compute"}) {
    ValueTable values;
    const auto program =
        compile("Decl e(X, Y).\np(X0) :- " + body_of(shape, 20'000) + ".", values, "test.mg");
    ASSERT_FALSE(program) << shape;
    EXPECT_EQ(program.error().code, ErrorCode::kLimitExceeded);
    EXPECT_TRUE(program.error().where.starts_with("test.mg:2:")) << program.error().where;
  }
  const World longest("e(1, 1).\np(X0) :- " + body_of("same", 2000) + ".");
  EXPECT_EQ(longest.error(), "");
}

// A rule that is recursive in each of its atoms has as many plans as atoms.
TEST(Plan, TheTimeLimitCoversPlanning) {
  class Ticking : public Clock {
   public:
    Timestamp now() override { return {}; }
    std::int64_t monotonic_nanoseconds() override { return ++looks * 1'000'000; }
    std::int64_t looks = 0;
  };
  const auto clock = std::make_shared<Ticking>();
  EngineOptions options;
  options.clock = clock;
  options.limits.deadline_ms = 20;
  std::string body = "e(X, Y)";
  for (int i = 0; i < 1000; ++i) body += ", p(X, Y)";
  const World world("e(1, 2).\np(X, Y) :- e(X, Y).\np(X, Y) :- " + body + ".", options);
  EXPECT_EQ(world.failure(), ErrorCode::kTimeout) << world.error();
  EXPECT_LT(clock->looks, 30);
}

}  // namespace
}  // namespace anima::datalog
