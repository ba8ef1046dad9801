// What a text search found, as a person reads it. Thread-safety: a function over a Snapshot.
#pragma once

#include <string>

#include "store/snapshot.h"

namespace anima::store {

struct FoundText {
  std::string id;    // "C:12", or "P:12" of a link
  std::string type;  // of a link its predicate
  std::string name;  // of a link "borea runs_on rack2"
  double score = 0;
};
FoundText found_text(const Snapshot& snapshot, const TextHit& hit);

}  // namespace anima::store
