// What a transaction costs grows with what it changes: counted in rows that went through plans and
// rows that were set anew, never in seconds. What is maintained by computing it again is right.
#include <algorithm>
#include <random>

#include "datalog/tables/relation.h"
#include "unit/datalog/engine_fixture.h"

namespace anima::datalog {
namespace {

// Inserts [0, rows) as codes, one by one or in batches, in this order; answers the rows set anew.
std::uint64_t moved(std::uint32_t columns, const std::vector<Code>& codes, std::size_t batch) {
  Relation rows(columns);
  const std::vector<Code> same(codes.size(), 7);
  for (std::size_t from = 0; from < codes.size(); from += batch) {
    const Code* pointers[2] = {codes.data() + from, same.data() + from};
    rows.insert(pointers, std::min(batch, codes.size() - from), 1);
  }
  EXPECT_EQ(rows.alive(), codes.size());
  for (std::size_t i = 0; i < codes.size(); i += 997) {
    const Code row[2] = {codes[i], 7};
    EXPECT_NE(rows.find(row, rows.now()), kNoRow);
    const Code absent[2] = {codes[i], 8};
    if (columns == 2) {
      EXPECT_EQ(rows.find(absent, rows.now()), kNoRow);
    }
  }
  return rows.moved_rows();
}

TEST(Maintenance, DescendingCodesIntoADenseRelation) {
  constexpr std::size_t kRows = 100'000;
  std::vector<Code> down(kRows);
  for (std::size_t i = 0; i < kRows; ++i) down[i] = static_cast<Code>(2 * kRows - i);
  std::vector<Code> up(down.rbegin(), down.rend());
  std::vector<Code> out;  // from the middle to both sides
  for (std::size_t i = 0; i < kRows / 2; ++i) {
    out.push_back(static_cast<Code>(kRows + i));
    out.push_back(static_cast<Code>(kRows - 1 - i));
  }
  std::vector<Code> wide(kRows);  // as far apart as bits in place of a hash still pay
  for (std::size_t i = 0; i < kRows; ++i) wide[i] = static_cast<Code>(100 * (2 * kRows - i));
  for (const std::uint32_t columns : {1U, 2U}) {
    for (const std::size_t batch : {std::size_t{1}, std::size_t{256}}) {
      EXPECT_LT(moved(columns, up, batch), 40 * kRows);
      EXPECT_LT(moved(columns, down, batch), 40 * kRows);
      EXPECT_LT(moved(columns, out, batch), 40 * kRows);
      EXPECT_LT(moved(columns, wide, batch), 40 * kRows);
    }
  }
}

Transaction steps(World& world, const std::string& predicate, int from, int to, bool insert,
                  int first = -1) {
  Transaction out;
  const PredicateId id = world.program().find(predicate);
  for (int i = from; i < to; ++i) {
    std::vector<Code> row;
    if (first >= 0) row.push_back(world.values().integer(first));
    row.push_back(world.values().integer(i));
    if (insert) {
      out.insert(id, row);
    } else {
      out.remove(id, row);
    }
  }
  return out;
}

// What a head was computed from is not to be seen in it.
TEST(Maintenance, ComputedHeadsInDeletions) {
  constexpr int kRows = 4'000;
  constexpr int kGone = 2'000;
  const AnalysisOptions base = {.base = {{"q", 1}, {"w", 2}}};
  World world("p(Z) :- q(Y), Z = fn:plus(Y, 1). r(X, Z) :- w(X, Y), Z = fn:mult(Y, 2).", {}, base);
  ASSERT_EQ(world.error(), "");
  ASSERT_TRUE(world.engine().transact(steps(world, "q", 0, kRows, true)));
  ASSERT_TRUE(world.engine().transact(steps(world, "w", 0, kRows, true, 1)));
  const auto gone = world.engine().transact(steps(world, "q", 0, kGone, false));
  ASSERT_TRUE(gone);
  EXPECT_EQ(world.ask("p(Z)").size(), static_cast<std::size_t>(kRows - kGone));
  EXPECT_LT(gone->work, 20U * kRows);
  const auto wide = world.engine().transact(steps(world, "w", 0, kGone, false, 1));
  ASSERT_TRUE(wide);
  EXPECT_EQ(world.ask("r(X, Z)").size(), static_cast<std::size_t>(kRows - kGone));
  EXPECT_LT(wide->work, 20U * kRows);
}

// A row that another premise gives too stays, also where the rule runs as a whole.
TEST(Maintenance, ComputedHeadsStayWhileSomethingGivesThem) {
  const AnalysisOptions base = {.base = {{"q", 1}}};
  World world("p(Z) :- q(Y), Z = fn:mult(Y, Y).", {}, base);
  ASSERT_EQ(world.error(), "");
  ASSERT_TRUE(world.engine().transact(steps(world, "q", -300, 301, true)));
  ASSERT_TRUE(world.engine().transact(steps(world, "q", -300, -100, false)));
  EXPECT_EQ(world.ask("p(Z)").size(), 301U);
  ASSERT_TRUE(world.engine().transact(steps(world, "q", 50, 301, false)));
  EXPECT_EQ(world.ask("p(Z)").size(), 101U);
  EXPECT_EQ(world.ask("p(10000)").size(), 1U);
  EXPECT_EQ(world.ask("p(10201)").size(), 0U);
}

TEST(Maintenance, CountsAndSumsOverALargeGroup) {
  constexpr int kRows = 20'000;
  const AnalysisOptions base = {.base = {{"q", 1}, {"w", 2}}};
  World world(R"(
    total(N, S) :- q(Y) |> do fn:group_by(), let N = fn:count(), let S = fn:sum(Y).
    sums(X, S) :- w(X, Y) |> do fn:group_by(X), let S = fn:sum(Y).
    top(X, M) :- w(X, Y) |> do fn:group_by(X), let M = fn:max(Y).
    twice(X, D) :- w(X, Y), q(Y) |> do fn:group_by(X), let N = fn:count(), let D = fn:mult(N, 2).)",
              {}, base);
  ASSERT_EQ(world.error(), "");
  ASSERT_TRUE(world.engine().transact(steps(world, "q", 0, kRows, true)));
  ASSERT_TRUE(world.engine().transact(steps(world, "w", 0, kRows, true, 1)));
  std::int64_t sum = std::int64_t{kRows} * (kRows - 1) / 2;
  EXPECT_EQ(world.ask("total(N, S)"),
            Texts{"total(" + std::to_string(kRows) + "," + std::to_string(sum) + ")"});
  const auto one = world.change({"+q(20000)", "-q(5)"});
  ASSERT_TRUE(one);
  EXPECT_EQ(world.ask("total(N, S)"),
            Texts{"total(" + std::to_string(kRows) + "," + std::to_string(sum + kRows - 5) + ")"});
  EXPECT_EQ(world.ask("twice(X, D)"), Texts{"twice(1," + std::to_string(2 * kRows - 2) + ")"});
  EXPECT_LT(one->work, 1000U);
  const auto other = world.change({"+w(1, 20000)", "-w(1, 7)", "+w(2, 7)"});
  ASSERT_TRUE(other);
  EXPECT_EQ(world.ask("sums(X, S)"),
            (Texts{"sums(1," + std::to_string(sum + kRows - 7) + ")", "sums(2,7)"}));
  EXPECT_EQ(world.ask("top(X, M)"), (Texts{"top(1,20000)", "top(2,7)"}));
  // Only the maximum, which lost a row, looks at the group again.
  EXPECT_LT(other->work, 3U * kRows);
  const auto more = world.change({"+w(1, 30000)"});
  ASSERT_TRUE(more);
  EXPECT_EQ(world.ask("top(1, M)"), Texts{"top(1,30000)"});
  EXPECT_LT(more->work, 1000U);
  // A group ends with its last row, and one of sums that are nought does not.
  ASSERT_TRUE(world.change({"-w(2, 7)", "+w(3, 0)"}));
  EXPECT_EQ(world.ask("sums(2, S)"), Texts{});
  EXPECT_EQ(world.ask("sums(3, S)"), Texts{"sums(3,0)"});
  ASSERT_TRUE(world.change({"-w(3, 0)"}));
  EXPECT_EQ(world.ask("sums(3, S)"), Texts{});
}

// Both sides of a join change in one transaction, and a negation under a group.
TEST(Maintenance, GroupsOverChangesThatMeet) {
  const AnalysisOptions base = {.base = {{"a", 2}, {"b", 2}, {"c", 1}}};
  const std::string rules = R"(
    n(X, N, S) :- a(X, Y), b(Y, Z) |> do fn:group_by(X), let N = fn:count(), let S = fn:sum(Z).
    self(X, N) :- a(X, Y), a(Y, Z) |> do fn:group_by(X), let N = fn:count().
    free(N) :- a(X, Y), !c(X) |> do fn:group_by(), let N = fn:count().)";
  std::mt19937 random(7);
  World world(rules, {}, base);
  ASSERT_EQ(world.error(), "");
  std::vector<std::string> facts;
  for (int t = 0; t < 60; ++t) {
    std::vector<std::string> said;
    for (int i = 0; i < 6; ++i) {
      const auto pick = [&] { return std::to_string(random() % 5); };
      const int kind = static_cast<int>(random() % 3);
      const std::string fact = kind == 0   ? "a(" + pick() + "," + pick() + ")"
                               : kind == 1 ? "b(" + pick() + "," + pick() + ")"
                                           : "c(" + pick() + ")";
      const auto known = std::ranges::find(facts, fact);
      said.push_back((known == facts.end() ? "+" : "-") + fact);
      if (known == facts.end()) {
        facts.push_back(fact);
      } else {
        facts.erase(known);
      }
    }
    ASSERT_TRUE(world.change(said));
    std::string text = rules;
    for (const std::string& fact : facts) text += fact + ".\n";
    World fresh(text, {}, base);
    ASSERT_EQ(fresh.error(), "");
    for (const char* query : {"n(X, N, S)", "self(X, N)", "free(N)"}) {
      ASSERT_EQ(world.ask(query), fresh.ask(query)) << t;
    }
  }
}

// Lattices are computed again, what follows from them is maintained; intervals that recursion
// gives are maintained as other rows are.
TEST(Maintenance, LatticesAndTemporalRecursionAreUpdated) {
  const AnalysisOptions base = {.base = {{"edge", 3}, {"start", 1}, {"shift", 2}}};
  const std::string rules = R"(
    Decl dist(X, D) descr [fundep([X],[D]), merge([D], "least")] bound [/number, /number].
    Decl least(A, B, R) descr [deferred(), mode('+','+','-')] bound [/number, /number, /number].
    least(A, B, R) :- A <= B, R = A.
    least(A, B, R) :- B < A, R = B.
    dist(X, 0) :- start(X).
    dist(Y, D) :- dist(X, E), edge(X, Y, W), D = fn:plus(E, W).
    close(X) :- dist(X, D), D < 4.
    reached(N) :- dist(X, D) |> do fn:group_by(), let N = fn:count().
    Decl on(X) temporal bound [/number].
    Decl duty(X, Y) temporal bound [/number, /number].
    duty(X, Y)@[2024-01-01, 2024-01-03] :- shift(X, Y).
    on(X)@[2024-01-01, 2024-01-02] :- start(X).
    on(Y)@[S, T] :- on(X)@[S, E], shift(X, Y), T = E.)";
  std::mt19937 random(11);
  World world(rules, {}, base);
  ASSERT_EQ(world.error(), "");
  std::vector<std::string> facts;
  for (int t = 0; t < 60; ++t) {
    std::vector<std::string> said;
    for (int i = 0; i < 4; ++i) {
      const auto pick = [&] { return std::to_string(random() % 5); };
      const int kind = static_cast<int>(random() % 4);
      const std::string fact = kind == 0   ? "start(" + pick() + ")"
                               : kind == 1 ? "shift(" + pick() + "," + pick() + ")"
                                           : "edge(" + pick() + "," + pick() + "," + pick() + ")";
      const auto known = std::ranges::find(facts, fact);
      said.push_back((known == facts.end() ? "+" : "-") + fact);
      if (known == facts.end()) {
        facts.push_back(fact);
      } else {
        facts.erase(known);
      }
    }
    auto fork = world.engine().fork();
    ASSERT_TRUE(fork->transact(world.transaction(said)));
    const auto done = world.change(said);
    ASSERT_TRUE(done) << done.error().describe();
    std::string text = rules;
    for (const std::string& fact : facts) text += fact + ".\n";
    World fresh(text, {}, base);
    ASSERT_EQ(fresh.error(), "");
    for (const char* query : {"dist(X, D)", "close(X)", "reached(N)", "on(X)@[S, E]"}) {
      ASSERT_EQ(world.ask(query), fresh.ask(query)) << t << query;
      ASSERT_EQ(world.ask(*fork, query), fresh.ask(query)) << t << query;
    }
  }
}

}  // namespace
}  // namespace anima::datalog
