// One hash of everything that a snapshot asserts, for telling whether two states are the same.
//
// SHA-256 over the assertions, sorted: graph, subject, predicate, object, confidence, provenance
// and the entry that asserted it, all as the space's own numbers, which are never used twice. So it
// compares states of one space; for two spaces compare sorted exports. O(n log n), 48 bytes an
// assertion. Thread-safety: a function over a snapshot.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/crypto.h"
#include "store/snapshot.h"

namespace anima::memory {

struct KnowledgeDigest {
  Digest digest{};
  std::uint64_t assertions = 0;
};

// `without` names graphs to leave out.
KnowledgeDigest knowledge_digest(const store::Snapshot& snapshot,
                                 std::span<const std::string> without = {});

}  // namespace anima::memory
