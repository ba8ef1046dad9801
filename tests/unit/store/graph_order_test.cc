// Statements by graph: a small graph costs what it holds, however much lies around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/bulk.h"
#include "store/space.h"
#include "store/state/state.h"
#include "support/small_space.h"

namespace anima::store::graph_order_test {
namespace {

using test::open_space;

const Origin kAda{"ada", "test", Trust::kStandard, Sequence::kNone};
constexpr Predicate kType = kTypePredicate;

void write(Space& space, const Change& change) {
  const auto receipt = space.write(kAda, change);
  EXPECT_TRUE(receipt) << receipt.error().describe();
}

std::set<Triple> rows_of(const Snapshot& snapshot, PredicateClass kind, Order order) {
  Pattern pattern;
  pattern.predicate_class = kind;
  Cursor cursor = snapshot.scan(pattern, order);
  std::set<Triple> found;
  std::size_t rows = 0;
  for (Triple row; cursor.next({&row, 1}) != 0; ++rows) found.insert(row);
  EXPECT_EQ(rows, found.size()) << "each row once";
  EXPECT_EQ(rows, snapshot.count(pattern));
  return found;
}

// What the graphs say, by asking for the contexts of every statement there is.
std::set<Triple> expected(const Snapshot& snapshot, PredicateClass kind,
                          const std::vector<GraphId>& graphs) {
  std::set<Triple> found;
  for (const Triple& triple : rows_of(snapshot, kind, Order::kAny)) {
    for (const Assertion& assertion : snapshot.assertions(triple)) {
      if (std::find(graphs.begin(), graphs.end(), assertion.graph) != graphs.end()) {
        found.insert(triple);
      }
    }
  }
  return found;
}

constexpr PredicateClass kKinds[] = {PredicateClass::kLink, PredicateClass::kStructural,
                                     PredicateClass::kAttribute};

void expect_graphs(const Snapshot& snapshot) {
  for (const std::vector<std::uint32_t>& ids :
       {std::vector<std::uint32_t>{1}, {2}, {3}, {1, 3}, {1, 2, 3}, {0}}) {
    std::vector<GraphId> graphs;
    for (const std::uint32_t id : ids) graphs.push_back(GraphId{id});
    const Snapshot narrow = snapshot.in_graphs(graphs);
    for (const PredicateClass kind : kKinds) {
      const std::set<Triple> wanted = expected(snapshot, kind, graphs);
      for (const Order order : {Order::kAny, Order::kSubjectPredicateObject,
                                Order::kPredicateObjectSubject, Order::kObjectPredicateSubject}) {
        ASSERT_EQ(rows_of(narrow, kind, order), wanted) << "graph " << ids.front();
      }
    }
  }
}

TEST(GraphOrder, GraphsHoldWhatTheirStatementsSay) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const TemporaryDirectory folder;
    const auto space = open_space(folder.path());
    std::mt19937 random(seed);
    Predicate knows;
    write(*space, [&](Transaction& t) -> Status {
      for (const char* name : {"one", "two", "three"}) t.graph(name);
      ANIMA_ASSIGN(const EntityId id, t.upsert_predicate("knows"));
      knows = Predicate::link(id);
      return {};
    });
    for (int i = 0; i < 60; ++i) {
      write(*space, [&](Transaction& t) -> Status {
        for (int k = 0; k < 10; ++k) {
          // Nearly everything lies in the default graph.
          const GraphId graph{
              static_cast<std::uint32_t>(random() % 12 == 0 ? 1 + random() % 3 : 0)};
          const auto name = [&] { return "E" + std::to_string(random() % 60); };
          ANIMA_ASSIGN(const EntityId a, t.upsert_concept(kEntityType, name(), {.graph = graph}));
          ANIMA_ASSIGN(const EntityId b, t.upsert_concept(kEntityType, name(), {.graph = graph}));
          ANIMA_TRY(t.assert_link({a, knows, Term::entity(b)}, {.graph = graph}));
          const Term value = Term::integer(static_cast<std::int64_t>(random() % 5));
          ANIMA_TRY(t.set_attribute(b, "n", std::span(&value, 1), {.graph = graph}));
          if (random() % 16 == 0) ANIMA_TRY(t.retract_concept(a, graph, true));
        }
        if (random() % 8 == 0) {
          ANIMA_TRY(t.drop_graph(GraphId{static_cast<std::uint32_t>(1 + random() % 3)}));
        }
        return {};
      });
      if (i == 20 || i == 45) {
        ASSERT_TRUE(space->checkpoint());
      }
      if (i % 12 == 11) expect_graphs(space->snapshot().value());
    }
    const Snapshot now = space->snapshot().value();
    expect_graphs(now);
    expect_graphs(now.as_of(Sequence{30}).value());
    expect_graphs(now.as_of(Sequence{10}).value());
    const auto again = open_space(folder.path());  // by replay
    expect_graphs(again->snapshot().value());
  }
}

// The rows that a graph's statements are read from: those of its own order, not all.
TEST(GraphOrder, ASmallGraphIsReadByItsOwnOrder) {
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const std::uint32_t crowd = full ? 1'000'000 : 30'000;
  for (const bool checkpointed : {true, false}) {
    const TemporaryDirectory folder;
    const auto space = open_space(folder.path());
    GraphId small{};
    write(*space, [&](Transaction& t) -> Status {
      small = t.graph("small");
      return {};
    });
    const auto fill = [&](GraphId graph, std::uint32_t count, std::uint32_t from) {
      write(*space, [&](Transaction& t) -> Status {
        for (std::uint32_t i = 0; i < count; ++i) {
          ANIMA_TRY(
              t.upsert_concept(kEntityType, "E" + std::to_string(from + i), {.graph = graph}));
        }
        return {};
      });
    };
    fill(GraphId::kDefault, crowd, 0);
    fill(small, 5, crowd - 5);  // of both graphs
    fill(small, 5, crowd);
    if (checkpointed) {
      ASSERT_TRUE(space->checkpoint());
    }
    const Snapshot now = space->snapshot().value();
    const Snapshot narrow = now.in_graphs(std::span(&small, 1));
    Pattern types;
    types.predicate = kType;
    EXPECT_EQ(narrow.count(types), 10u);
    EXPECT_EQ(now.count(types), crowd + 8u);
    const detail::SnapshotState& state = narrow.state();
    EXPECT_EQ(state.few_in_scope(crowd), checkpointed);
    std::uint64_t offered = 0;  // what the reading by graph looks at
    for (const auto& layer : state.layers) {
      offered += layer.delta->graph_rows(static_cast<std::uint32_t>(small));
    }
    if (checkpointed) {
      offered += state.base->of_graph(static_cast<std::uint32_t>(small)).size();
    }
    EXPECT_EQ(offered, 20u) << "ten types, ten names";
    write(*space, [&](Transaction& t) { return t.drop_graph(small); });
    EXPECT_EQ(space->snapshot().value().graph_size(small), 0u);
    EXPECT_EQ(space->snapshot().value().count(types), crowd + 3u);
  }
}

}  // namespace
}  // namespace anima::store::graph_order_test
