// Where a name stands that is no name and no text of a thing: keys of attributes and metadata,
// types and predicates, graphs (memory/forgetting.h).
//
// What nobody uses any more goes. What is used goes only where that is asked for (`mentions`), and
// never what Anima itself reads by, what is used by something that stays, and the graph of a loaded
// compartment: these are listed, with what is to be done. Snapshots are taken with the books.
// Thread-safety: a function without state. O(entities + keys + graphs).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "memory/detail/forgotten_names.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

struct NamedPlaces {
  std::vector<store::Term> keys;
  std::set<store::EntityId> things;  // types and predicates, and what they were used for
  std::vector<store::GraphId> graphs;
  std::vector<std::string> stay;  // in words
};

// Texts under which something is stated now, as codes.
std::set<std::uint32_t> keys_in_use(const store::Snapshot& snapshot);

// `things` go anyway.
NamedPlaces named_places(const store::Snapshot& snapshot, const ForgottenNames& names,
                         const std::set<store::EntityId>& things, bool mentions);

}  // namespace anima::memory::detail
