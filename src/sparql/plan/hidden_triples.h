// The triples of a space that no statement of the store stands for as it is.
//
// Two kinds: the parts of a proposition that something is said about (rdf:subject, rdf:predicate,
// rdf:object, in the default graph), and the existence of what nothing else mentions: of Entities,
// types and predicates. They are what rdf_export.h adds to the statements; the existence of other
// concepts is a statement. Thread-safety: immutable once made. O(statements).
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "store/snapshot.h"

namespace anima::sparql::plan {

struct HiddenTriples {
  struct Existence {
    store::EntityId thing = store::EntityId::kNone;
    store::EntityId type = store::EntityId::kNone;
  };
  std::vector<Existence> existence;           // sorted by thing
  std::vector<store::EntityId> propositions;  // that are described by their parts, sorted
};

HiddenTriples find_hidden_triples(const store::Snapshot& knowledge);

// Types whose concepts exist without saying so, where something else mentions them.
inline constexpr store::EntityId kHiddenExistence[] = {store::kEntityType, store::kConceptType,
                                                       store::kPropositionType};
inline bool has_hidden_existence(store::EntityId type) {
  return std::find(std::begin(kHiddenExistence), std::end(kHiddenExistence), type) !=
         std::end(kHiddenExistence);
}

}  // namespace anima::sparql::plan
