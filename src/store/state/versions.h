// Versions of statements: who stated what, from which entry to which.
//
// They are found by the columns of the base (the living by subject and by object, the retired by
// both) and by the chains of the deltas, so reading those of an entity costs its own statements,
// whatever else the space holds. A version says what the state says: what came after the state's
// sequence is not there, and what died after it is alive. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "store/ids.h"
#include "store/state/state.h"

namespace anima::store::detail {

struct Version {
  Triple triple;
  std::uint32_t proposition = 0;  // of a link
  std::uint32_t set = 0;          // who stated it
  std::uint64_t born = 0;         // kQuotedBorn: named, never stated
  std::uint64_t died = kAlive;
  bool quoted() const { return born == kQuotedBorn; }
};
using VisitVersion = std::function<void(const Version&)>;

// In no order. A predicate or object of 0 stands for any; the object is not looked at without a
// predicate. O(versions with this subject).
void visit_versions(const SnapshotState& state, SubjectCode subject, PredicateCode predicate,
                    ObjectCode object, const VisitVersion& visit);
// O(versions with this object).
void visit_versions_of_object(const SnapshotState& state, ObjectCode object,
                              const VisitVersion& visit);

// One graph's word for one statement, while it stood.
struct Word {
  Term object;
  Context context;
  std::uint64_t from = 0, to = kAlive;
};

// What one graph has said under a key (WrittenKey), by object and time.
std::vector<Word> words_of(const SnapshotState& state, const WrittenKey& key);
// The entries that changed what words_of() gave, ascending, each once.
std::vector<Sequence> writers_of(const std::vector<Word>& words);

}  // namespace anima::store::detail
