// Reading the graph around a symbol as an agent sees it: links and attributes, without the agent's
// own bookkeeping (labels that begin with agent:, goal:, episode: ..). Source: learning_and_psyche
// 2.9 (Orient), 2.10. Thread-safety: functions over a Snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/snapshot.h"

namespace anima::tools {

bool is_bookkeeping(std::string_view label);

struct Edge {
  store::Triple triple;
  std::string subject, predicate, object;  // labels
  double confidence = 1.0;                 // of the best copy
};

enum class Direction : std::uint8_t { kFrom, kTo, kBoth };

struct Edges {
  std::vector<Edge> edges;  // by predicate, then label, so that reports are stable
  std::uint64_t total = 0;  // how many there are; more than `edges` when the limit cut them
};

// At most `limit` edges; work is bounded by the limit, but for the sorting of what is read.
Edges edges_of(const store::Snapshot& snapshot, store::EntityId symbol, Direction direction,
               std::size_t limit);
// How many links start or end at it. O(log n).
std::uint64_t degree(const store::Snapshot& snapshot, store::EntityId symbol);
std::uint64_t out_degree(const store::Snapshot& snapshot, store::EntityId symbol);

}  // namespace anima::tools
