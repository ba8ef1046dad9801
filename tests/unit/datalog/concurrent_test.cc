// Readers hold snapshots and forks go their own way while the main line is written.
#include <atomic>
#include <thread>

#include "unit/datalog/engine_fixture.h"

namespace anima::datalog {
namespace {

TEST(Concurrent, ReadersAndForksNeverSeeAWriter) {
  std::string text =
      "t(X,Y) :- e(X,Y). t(X,Z) :- t(X,Y), e(Y,Z). n(X,N) :- t(X,Y) |> do fn:group_by(X), let N = "
      "fn:count().\n";
  constexpr int kNodes = 24;
  for (int i = 0; i + 1 < kNodes; ++i) {
    text += "e(" + std::to_string(i) + "," + std::to_string(i + 1) + ").\n";
  }
  EngineOptions options;
  options.prepare = true;
  World world(text, std::move(options));
  ASSERT_EQ(world.error(), "");
  Engine& engine = world.engine();
  const PredicateId edge = world.program().find("e");
  const PredicateId path = world.program().find("t");
  const PredicateId counts = world.program().find("n");
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  // A chain with or without its middle edge: the closure has one of two sizes.
  const std::size_t whole = std::size_t{kNodes} * (kNodes - 1) / 2;
  const std::size_t half = whole - std::size_t{kNodes / 2} * (kNodes / 2);
  const auto reader = [&] {
    while (!stop) {
      const auto snapshot = engine.snapshot();
      const std::size_t rows = snapshot->all(path)->count;
      if (rows != whole && rows != half) ++wrong;
      if (snapshot->count(path) != rows) ++wrong;
      Query query;
      query.predicate = path;
      query.arguments = {Argument::code(engine.values().integer(0)), Argument::variable(0)};
      const std::size_t from_zero = snapshot->query(query)->count;
      if (from_zero != (rows == whole ? kNodes - 1 : kNodes / 2 - 1)) ++wrong;
      if (snapshot->all(counts)->count == 0) ++wrong;
    }
  };
  const Query paths = world.query("t(X, Y)");
  const auto dreamer = [&] {
    while (!stop) {
      auto fork = engine.fork();
      const std::size_t before = fork->query(paths)->count;
      Transaction more;
      const std::vector<Code> row = {engine.values().integer(kNodes - 1),
                                     engine.values().integer(1000)};
      more.insert(edge, row);
      if (!fork->transact(more)) ++wrong;
      const std::size_t gained = fork->query(paths)->count - before;
      if (gained != (before == whole ? kNodes : kNodes / 2)) ++wrong;
    }
  };
  std::thread first(reader);
  std::thread second(dreamer);
  const std::vector<Code> middle = {engine.values().integer(kNodes / 2 - 1),
                                    engine.values().integer(kNodes / 2)};
  for (int i = 0; i < 60; ++i) {
    Transaction transaction;
    if (i % 2 == 0) {
      transaction.remove(edge, middle);
    } else {
      transaction.insert(edge, middle);
    }
    ASSERT_TRUE(engine.transact(transaction));
  }
  stop = true;
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace anima::datalog
