// Indexes that are replaced while a plan walks them, and keys of many columns. What these tests
// look for shows under AddressSanitizer; without it they still compare the answers.
#include <cstdint>

#include "unit/datalog/engine_fixture.h"

namespace anima::datalog {
namespace {

// Every round of the recursion inserts through the index that its plan is walking.
TEST(IndexLifetime, LatticeInsertsReplaceTheIndexThatThePlanProbes) {
  constexpr int kSeeds = 2000;
  constexpr int kEach = 10;
  std::string text = R"(
    Decl best(X, D) descr [fundep([X],[D]), merge([D], "least")] bound [/number, /number].
    Decl least(A, B, R) descr [deferred(), mode('+','+','-')] bound [/number, /number, /number].
    least(A, B, R) :- A <= B, R = A.
    least(A, B, R) :- B < A, R = B.
    best(X, 1) :- seed(X).
    best(Z, D) :- best(X, E), pair(X, Y, Z), best(Y, F), D = fn:plus(E, F).
  )";
  for (int i = 0; i < kSeeds; ++i) {
    text += "seed(" + std::to_string(i) + ").\n";
    for (int k = 0; k < kEach; ++k) {
      text += "pair(" + std::to_string(i) + "," + std::to_string((i + 1) % kSeeds) + "," +
              std::to_string(10'000 + i * kEach + k) + ").\n";
    }
  }
  World world(text);
  ASSERT_EQ(world.error(), "");
  const PredicateId best = world.program().find("best");
  EXPECT_EQ(world.engine().snapshot()->count(best), kSeeds * (kEach + 1U));
  EXPECT_EQ(world.ask("best(10000, D)"), Texts{"best(10000,2)"});
  EXPECT_EQ(world.ask("best(29999, D)"), Texts{"best(29999,2)"});
}

class Successor : public VirtualPredicate {
 public:
  Status answer(std::span<const std::uint32_t>, std::span<const Code> inputs, std::size_t count,
                ValueTable& values, std::vector<Code>& rows) override {
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back(inputs[i]);
      rows.push_back(values.integer(values.view(inputs[i]).number + 100'000));
    }
    return {};
  }
};

// The second call's answers go into the memo whose index the first call is walking.
TEST(IndexLifetime, TwoChainedCallsOfOneVirtualPredicate) {
  constexpr std::size_t kRows = 9000;
  World::pending_virtuals = {{"next", std::make_shared<Successor>()}};
  std::string text = R"(
    Decl next(X, Y) descr [external(), mode('+', '-')] bound [/number, /number].
    twice(X, Z) :- n(X), next(X, Y), next(Y, Z).
  )";
  for (std::size_t i = 0; i < kRows; ++i) text += "n(" + std::to_string(i) + ").\n";
  World world(text);
  World::pending_virtuals.clear();
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.engine().snapshot()->count(world.program().find("twice")), kRows);
  EXPECT_EQ(world.ask("twice(7, Z)"), Texts{"twice(7,200007)"});
}

std::string list_of(const std::string& letter, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i > 0 ? ", " : "") + letter + std::to_string(i);
  return out;
}

std::string numbers(std::size_t count, std::size_t last) {
  std::string out;
  for (std::size_t i = 0; i + 1 < count; ++i) out += std::to_string(i) + ",";
  return out + std::to_string(last);
}

// Index keys of 100 columns: of a group, of a lattice, and of a question that is asked often.
TEST(IndexLifetime, KeysOfManyColumns) {
  constexpr std::size_t kWide = 100;
  const std::string vars = list_of("V", kWide);
  std::string text = "Decl wide(" + list_of("V", kWide) + ", L) descr [fundep([" + vars +
                     "],[L]), merge([L], \"least\")].\n" + R"(
    Decl least(A, B, R) descr [deferred(), mode('+','+','-')] bound [/number, /number, /number].
    least(A, B, R) :- A <= B, R = A.
    least(A, B, R) :- B < A, R = B.
  )";
  text += "wide(" + vars + ", L) :- row(" + vars + ", L).\n";
  text += "counted(" + vars + ", N) :- row(" + vars + ", L) |> do fn:group_by(" + vars +
          "), let N = fn:count().\n";
  for (std::size_t i = 0; i < 50; ++i) {
    text += "row(" + numbers(kWide, i % 20) + "," + std::to_string(i) + ").\n";
  }
  World world(text);
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.engine().snapshot()->count(world.program().find("wide")), 20U);
  EXPECT_EQ(world.engine().snapshot()->count(world.program().find("counted")), 20U);
  const std::string third = numbers(kWide, 3);
  EXPECT_EQ(world.ask("wide(" + third + ", L)"), Texts{"wide(" + third + ",3)"});
  ASSERT_TRUE(world.change({"+row(" + third + ",1)"}));
  EXPECT_EQ(world.ask("wide(" + third + ", L)"), Texts{"wide(" + third + ",1)"});
  EXPECT_EQ(world.ask("counted(" + third + ", N)"), Texts{"counted(" + third + ",4)"});
  ASSERT_TRUE(world.change({"-row(" + third + ",3)"}));
  EXPECT_EQ(world.ask("counted(" + third + ", N)"), Texts{"counted(" + third + ",3)"});
}

TEST(IndexLifetime, AQuestionOfManyColumnsGetsItsIndex) {
  constexpr std::size_t kWide = 100;
  constexpr std::size_t kRows = 20'000;
  World world("big(" + list_of("V", kWide + 1) + ") :- fed(" + list_of("V", kWide + 1) + ").", {},
              {.base = {{"fed", kWide + 1}}});
  ASSERT_EQ(world.error(), "");
  Transaction rows;
  std::vector<Code> codes(kWide + 1, world.values().integer(1));
  for (std::size_t i = 0; i < kRows; ++i) {
    codes[kWide - 1] = world.values().integer(static_cast<std::int64_t>(i % 5000));
    codes[kWide] = world.values().integer(static_cast<std::int64_t>(i));
    rows.insert(world.program().find("fed"), codes);
  }
  ASSERT_TRUE(world.engine().transact(rows));
  std::string key;
  for (std::size_t i = 0; i + 1 < kWide; ++i) key += "1,";
  for (int i = 0; i < 4; ++i) EXPECT_EQ(world.ask("big(" + key + "77, L)").size(), 4U);
}

TEST(IndexLifetime, MoreColumnsThanTheLimitAreRefused) {
  const auto wide = [](std::uint32_t columns) {
    return World("p(" + list_of("V", columns) + ") :- q(" + list_of("V", columns) + ").", {},
                 {.base = {{"q", columns}}});
  };
  EXPECT_EQ(wide(kMaxColumns).error(), "");
  const World refused = wide(kMaxColumns + 1);
  EXPECT_EQ(refused.failure(), ErrorCode::kLimitExceeded);
  EXPECT_NE(refused.error().find("257 columns"), std::string::npos) << refused.error();
  EXPECT_NE(refused.error().find("256"), std::string::npos) << refused.error();
  // A group may have more keys than any of its atoms has columns.
  const World groups("n(N) :- q(" + list_of("V", 200) + "), r(" + list_of("W", 100) +
                         ") |> do fn:group_by(" + list_of("V", 200) + ", " + list_of("W", 100) +
                         "), let N = fn:count().",
                     {}, {.base = {{"q", 200}, {"r", 100}}});
  EXPECT_EQ(groups.failure(), ErrorCode::kLimitExceeded);
  EXPECT_NE(groups.error().find("300 keys"), std::string::npos) << groups.error();
}

}  // namespace
}  // namespace anima::datalog
