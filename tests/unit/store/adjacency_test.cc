// Lists of the edges of changed nodes, against a model that keeps every state.
#include "store/state/adjacency.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "base/random.h"

namespace anima::store::detail {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // predicate, other end
using Node = std::set<Edge>;

struct Columns {
  std::vector<std::uint32_t> predicates, others;
  Adjacency::Below view() const {
    return {predicates.data(), others.data(), static_cast<std::uint32_t>(others.size())};
  }
};

// What a reader at the sequence gets; nothing when the node has too many edges for a list.
std::optional<Node> read(const Adjacency& adjacency, std::uint32_t key, std::uint64_t sequence,
                         const Columns& below) {
  const auto* list = adjacency.find(key, sequence);
  if (list != nullptr && list->many()) return std::nullopt;
  std::span<const std::uint32_t> predicates = below.predicates;
  std::span<const std::uint32_t> others = below.others;
  if (list != nullptr) {
    predicates = list->predicates();
    others = list->others();
  }
  Node node;
  std::vector<Edge> in_order;
  for (std::size_t i = 0; i < others.size(); ++i) in_order.emplace_back(predicates[i], others[i]);
  EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
  node.insert(in_order.begin(), in_order.end());
  EXPECT_EQ(node.size(), in_order.size());
  return node;
}

TEST(Adjacency, EveryReaderSeesTheEdgesOfItsSequence) {
  constexpr std::uint32_t kNodes = 200;
  SeededRandom random(5);
  std::vector<Columns> below(kNodes + 1);
  std::map<std::uint32_t, Node> now;
  for (std::uint32_t key = 1; key <= kNodes; ++key) {
    for (std::uint32_t i = 0; i < key % 7; ++i) now[key].insert({1 + i % 3, 10 + i});
    for (const auto& [predicate, other] : now[key]) {
      below[key].predicates.push_back(predicate);
      below[key].others.push_back(other);
    }
  }
  Adjacency adjacency;
  std::vector<std::map<std::uint32_t, Node>> states{now};
  for (std::uint64_t sequence = 1; sequence <= 60; ++sequence) {
    const std::size_t start = adjacency.changes();
    const auto before = now;
    const auto change = [&] {
      const auto key = static_cast<std::uint32_t>(1 + random.below(kNodes));
      const Edge edge{static_cast<std::uint32_t>(1 + random.below(3)),
                      static_cast<std::uint32_t>(10 + random.below(9))};
      if (random.below(3) != 0) {
        adjacency.add(key, PredicateCode{edge.first}, edge.second, sequence, below[key].view());
        now[key].insert(edge);
      } else {
        adjacency.remove(key, PredicateCode{edge.first}, edge.second, sequence, below[key].view());
        now[key].erase(edge);
      }
    };
    for (int i = 0; i < 40; ++i) change();
    if (sequence % 4 == 0) {  // the entry fails, and comes again with other changes
      adjacency.rollback(start);
      now = before;
      for (int i = 0; i < 40; ++i) change();
    }
    states.push_back(now);
  }
  for (std::uint64_t sequence = 0; sequence < states.size(); ++sequence) {
    for (std::uint32_t key = 1; key <= kNodes; ++key) {
      ASSERT_EQ(read(adjacency, key, sequence, below[key]), states[sequence][key])
          << "node " << key << " at " << sequence;
    }
  }
}

TEST(Adjacency, HubsSayThatTheyHaveNoListAndEarlierReadersKeepTheirs) {
  Adjacency adjacency;
  const Columns none;
  for (std::uint32_t i = 1; i <= Adjacency::kMost + 5; ++i)
    adjacency.add(7, PredicateCode{1}, i, i, none.view());
  ASSERT_NE(adjacency.find(7, Adjacency::kMost + 1), nullptr);
  EXPECT_TRUE(adjacency.find(7, Adjacency::kMost + 1)->many());
  EXPECT_TRUE(adjacency.find(7, ~0ull)->many());
  ASSERT_FALSE(adjacency.find(7, Adjacency::kMost)->many());
  EXPECT_EQ(adjacency.find(7, Adjacency::kMost)->others().size(), Adjacency::kMost);
  EXPECT_EQ(adjacency.find(8, ~0ull), nullptr);
}

TEST(Adjacency, ChangesOutOfOrderLeaveNoList) {
  Adjacency adjacency;
  const Columns none;
  adjacency.add(7, PredicateCode{1}, 2, 10, none.view());
  adjacency.add(7, PredicateCode{1}, 3, 5, none.view());
  for (const std::uint64_t sequence : {0U, 4U, 5U, 9U, 10U, 11U}) {
    ASSERT_NE(adjacency.find(7, sequence), nullptr);
    EXPECT_TRUE(adjacency.find(7, sequence)->many());
  }
}

TEST(Adjacency, ALateChangeOfAHubIsSeenByEarlierReaders) {
  Adjacency adjacency;
  Columns below;
  for (std::uint32_t i = 1; i <= Adjacency::kMost; ++i) {
    below.predicates.push_back(1);
    below.others.push_back(i);
  }
  adjacency.remove(7, PredicateCode{1}, 3, 30, below.view());
  EXPECT_EQ(adjacency.find(7, 29), nullptr);
  adjacency.add(7, PredicateCode{1}, 1000, 22, below.view());
  ASSERT_NE(adjacency.find(7, 25), nullptr);
  EXPECT_TRUE(adjacency.find(7, 25)->many());
}

}  // namespace
}  // namespace anima::store::detail
