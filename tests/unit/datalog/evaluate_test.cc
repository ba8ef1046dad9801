#include "unit/datalog/engine_fixture.h"

namespace anima::datalog {
namespace {

TEST(Evaluate, TransitiveClosure) {
  World world("e(1,2). e(2,3). e(3,1). t(X,Y) :- e(X,Y). t(X,Z) :- t(X,Y), e(Y,Z).");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("t(X,Y)").size(), 9U);
  EXPECT_EQ(world.ask("t(1,Y)"), (Texts{"t(1,1)", "t(1,2)", "t(1,3)"}));
  EXPECT_EQ(world.ask("t(X,X)"), (Texts{"t(1,1)", "t(2,2)", "t(3,3)"}));
}

// Two recursive atoms whose facts appear in one round must meet (spec 2.2 a).
TEST(Evaluate, RecursiveAtomsOfOneRoundMeet) {
  World world(
      "c(0). p(X) :- c(X). q(X) :- c(X). both(X) :- p(X), q(X). c(Y) :- both(X), X < 5, Y = "
      "fn:plus(X, 1).");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("both(X)").size(), 6U);
}

TEST(Evaluate, PointsTo) {
  World world(R"(
    alloc(1, 100). alloc(2, 101). assign(3, 1). store(3, 2). load(4, 1).
    vpt(V,O) :- alloc(V,O).
    vpt(V,O) :- assign(V,W), vpt(W,O).
    hpt(O,P) :- store(V,W), vpt(V,O), vpt(W,P).
    vpt(V,P) :- load(V,W), vpt(W,O), hpt(O,P).)");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("hpt(X,Y)"), (Texts{"hpt(100,101)"}));
  EXPECT_EQ(world.ask("vpt(4,Y)"), (Texts{"vpt(4,101)"}));
}

TEST(Evaluate, NegationWithWildcard) {
  World world("user(/a). user(/b). login(/a, 1). login(/a, 2). idle(X) :- user(X), !login(X, _).");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("idle(X)"), (Texts{"idle(/b)"}));
}

TEST(Evaluate, RepeatedVariablesAndConstants) {
  World world(
      "e(1,1). e(1,2). e(2,2). s(X) :- e(X,X). t(Y) :- e(1,Y). u(X,Z) :- e(X,Y), e(Y,Z), X != Z. "
      "p() :- e(2,2). q() :- e(3,3).");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("s(X)"), (Texts{"s(1)", "s(2)"}));
  EXPECT_EQ(world.ask("t(X)"), (Texts{"t(1)", "t(2)"}));
  EXPECT_EQ(world.ask("u(X,Y)"), (Texts{"u(1,2)"}));
  EXPECT_EQ(world.ask("p()").size(), 1U);
  EXPECT_EQ(world.ask("q()").size(), 0U);
}

TEST(Evaluate, GroupsCountAndSum) {
  World world(R"(
    sale(/a, 1, 10). sale(/a, 2, 10). sale(/b, 3, 7).
    per(S,N,T,M) :- sale(S,I,Q) |> do fn:group_by(S), let N = fn:count(), let T = fn:sum(Q), let M = fn:max(Q).
    total(T) :- sale(_,_,Q) |> do fn:group_by(), let T = fn:sum(Q).
    none(T) :- sale(/z,_,Q) |> do fn:group_by(), let T = fn:sum(Q).
    double(S,D) :- sale(S,_,Q) |> do fn:group_by(S), let T = fn:sum(Q), let D = fn:mult(T, 2).)");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("per(A,B,C,D)"), (Texts{"per(/a,2,20,10)", "per(/b,1,7,7)"}));
  EXPECT_EQ(world.ask("total(X)"), (Texts{"total(27)"}));
  EXPECT_EQ(world.ask("none(X)"), (Texts{}));
  EXPECT_EQ(world.ask("double(A,B)"), (Texts{"double(/a,40)", "double(/b,14)"}));
}

// Spec 1.9: one atom counts facts, a longer body distinct bindings of the named variables.
TEST(Evaluate, WhatARowIs) {
  World world(R"(
    s(/k, 1). s(/k, 2). t(1). t(2).
    facts(K,N) :- s(K,_) |> do fn:group_by(K), let N = fn:count().
    bindings(K,N) :- s(K,_), t(_) |> do fn:group_by(K), let N = fn:count().)");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("facts(A,B)"), (Texts{"facts(/k,2)"}));
  EXPECT_EQ(world.ask("bindings(A,B)"), (Texts{"bindings(/k,1)"}));
}

TEST(Evaluate, TriangleMeetsTheShortestRun) {
  std::string text = "tri(X,Y,Z) :- e(X,Y), e(Y,Z), e(X,Z).\n";
  std::size_t expected = 0;
  const auto edge = [](int a, int b) { return a != b && (a * 7 + b * 11) % 5 == 0; };
  for (int a = 0; a < 30; ++a) {
    for (int b = 0; b < 30; ++b) {
      if (edge(a, b)) text += "e(" + std::to_string(a) + "," + std::to_string(b) + ").\n";
      for (int c = 0; c < 30; ++c) expected += edge(a, b) && edge(b, c) && edge(a, c) ? 1 : 0;
    }
  }
  World world(text);
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("tri(X,Y,Z)").size(), expected);
}

TEST(Evaluate, LatticeKeepsTheShortestPath) {
  World world(R"(
    Decl dist(X, D) descr [fundep([X],[D]), merge([D], "least")] bound [/number, /number].
    Decl least(A, B, R) descr [deferred(), mode('+','+','-')] bound [/number, /number, /number].
    least(A, B, R) :- A <= B, R = A.
    least(A, B, R) :- B < A, R = B.
    edge(1,2,5). edge(1,3,1). edge(3,2,1). edge(2,4,1).
    dist(1,0).
    dist(Y,D) :- dist(X,E), edge(X,Y,W), D = fn:plus(E,W).)");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("dist(X,D)"), (Texts{"dist(1,0)", "dist(2,2)", "dist(3,1)", "dist(4,3)"}));
  ASSERT_TRUE(world.change({"-edge(3,2,1)"}));
  EXPECT_EQ(world.ask("dist(X,D)"), (Texts{"dist(1,0)", "dist(2,5)", "dist(3,1)", "dist(4,6)"}));
}

TEST(Evaluate, ADependencyWithoutMergeIsEnforced) {
  const std::string rules = R"(
    Decl home(P, C, N) descr [fundep([P],[C, N])].
    home(P, C, 1) :- lives(P, C).
    lives(/ann, /turin). lives(/bea, /london).)";
  World world(rules);
  ASSERT_EQ(world.error(), "");
  const auto twice = world.change({"+lives(/ann, /paris)"});
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("fundep([P], [C, N])"), std::string::npos)
      << twice.error().describe();
  EXPECT_EQ(world.ask("home(/ann, X, _)"), Texts{"home(/ann,/turin,1)"});
  ASSERT_TRUE(world.change({"-lives(/ann, /turin)", "+lives(/ann, /paris)"}));
  EXPECT_EQ(world.ask("home(/ann, X, _)"), Texts{"home(/ann,/paris,1)"});
  EXPECT_NE(World(rules + " lives(/bea, /rome).").error().find("fundep"), std::string::npos);
}

TEST(Evaluate, RecursionThatExtendsIntervalsEnds) {
  World world(R"(
    Decl on(X) temporal bound [/name].
    on(/a)@[2024-01-01, 2024-01-02].
    on(X)@[S, T] :- on(X)@[S, E], T = fn:time:add(E, fn:duration:parse("1h")).)");
  EXPECT_NE(world.error().find("more than 1000 intervals"), std::string::npos) << world.error();
  EXPECT_EQ(world.failure(), ErrorCode::kLimitExceeded);
}

TEST(Evaluate, ListsAndStructures) {
  World world(R"(
    start([1,2,3]).
    walk(L) :- start(L).
    walk(T) :- walk(L), :match_cons(L, _, T).
    head(H) :- walk(L), :match_cons(L, H, _).)");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("walk(X)"),
            (Texts{"walk([])", "walk([1, 2, 3])", "walk([2, 3])", "walk([3])"}));
  EXPECT_EQ(world.ask("head(X)"), (Texts{"head(1)", "head(2)", "head(3)"}));
}

TEST(Evaluate, ErrorsNameTheClause) {
  World world("p(0). q(Y) :- p(X), Y = fn:div(1, X).");
  EXPECT_NE(world.error().find("q(Y) :- p(X)"), std::string::npos) << world.error();
  EXPECT_NE(world.error().find("test.mg:1"), std::string::npos) << world.error();
}

TEST(Evaluate, GivenFactsOfDerivedPredicates) {
  World world("p(1). p(X) :- q(X). q(2). q(1).");
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("p(X)"), (Texts{"p(1)", "p(2)"}));
  ASSERT_TRUE(world.change({"-p(1)"}));
  EXPECT_EQ(world.ask("p(X)"), (Texts{"p(1)", "p(2)"}));
  ASSERT_TRUE(world.change({"-q(1)"}));
  EXPECT_EQ(world.ask("p(X)"), (Texts{"p(2)"}));
}

TEST(Evaluate, LimitsEndEndlessPrograms) {
  const std::string endless = "n(0). n(Y) :- n(X), Y = fn:plus(X, 1).";
  EngineOptions rows;
  rows.limits.max_derived_rows = 1000;
  World by_rows(endless, std::move(rows));
  EXPECT_EQ(by_rows.failure(), ErrorCode::kLimitExceeded) << by_rows.error();
  EngineOptions time;
  time.limits.deadline_ms = 20;
  World by_time(endless, std::move(time));
  EXPECT_EQ(by_time.failure(), ErrorCode::kTimeout) << by_time.error();
  EngineOptions memory;
  memory.limits.max_bytes = 4 << 20;
  World by_memory(endless, std::move(memory));
  EXPECT_EQ(by_memory.failure(), ErrorCode::kLimitExceeded) << by_memory.error();
  std::stop_source stop;
  stop.request_stop();
  EngineOptions cancelled;
  cancelled.limits.cancel = stop.get_token();
  World by_token(endless, std::move(cancelled));
  EXPECT_EQ(by_token.failure(), ErrorCode::kCancelled) << by_token.error();
}

}  // namespace
}  // namespace anima::datalog
