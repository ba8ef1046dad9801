// The graphs of Anima's own books: what memory, agents and compartments keep of themselves, beside
// the knowledge. Only the rooms whose books they are write there; the languages that clients speak
// do not change what stands in them, and the rooms read their books from there alone, so that a
// statement of somebody else about the same thing is no entry of theirs. Thread-safety: pure.
#pragma once

#include <span>
#include <string_view>

#include "store/snapshot.h"

namespace anima::store {

// "urn:anima:memory", "urn:anima:agent" ..; the knowledge of a compartment is none.
inline bool is_own_graph(std::string_view name) {
  return name.starts_with("urn:anima:") && !name.starts_with("urn:anima:compartment:");
}

// What one graph asserts, and nothing else; nothing at all when there is no such graph.
inline Snapshot in_graph(const Snapshot& snapshot, std::string_view name) {
  const auto graph = snapshot.find_graph(name);
  return graph ? snapshot.in_graphs(std::span(&*graph, 1)) : snapshot.in_graphs({});
}

}  // namespace anima::store
