// What a key (an attribute of an entity in a graph, a link in a graph, a concept's existence in a
// graph) says when some entries never were: what each entry that counts changed of it, one after
// the other. An entry that left nothing of what it found replaced it, whatever that was; one that
// left some of it added, withdrew or restated, and does so to what is there without the others. To
// restate what is not there does nothing. What was said of a thing is gone with it
// (undo_removals.h). Thread-safety: pure. O(versions of the key), and once more for each that
// counts, back to the newest that replaced all.
#pragma once

#include <optional>
#include <vector>

#include "store/ids.h"
#include "store/snapshot.h"
#include "store/space/undo_members.h"
#include "store/state/versions.h"

namespace anima::store::detail {

// The order in which keys go back: what others need first, what others need to be gone from last.
enum class UndoStep : std::uint8_t {
  kNothing,
  kAssertConcept,
  kAssertLink,
  kValues,
  kRetractLink,
  kRetractConcept
};

struct KeyWords {
  std::vector<Word> was, is;  // without the members, and now
  // The first entry that comes to count or ceases to, and that `was` or `is` comes from; kNone:
  // none does, and nothing is to be put back.
  Sequence start = Sequence::kNone;
  UndoStep step = UndoStep::kNothing;
  bool withdrawn = false;  // the last entry that counts took away all that was there
};
KeyWords words_without(const Snapshot& now, const WrittenKey& key, const Members& members);

// A key to put back. There may be very many: what it said and says is looked up where it is needed.
struct Restore {
  WrittenKey key;
  Sequence start = Sequence::kNone;
  UndoStep step = UndoStep::kNothing;
};

inline bool names_existence(const WrittenKey& key) { return key.predicate == kTypePredicate; }
inline bool names_link(const WrittenKey& key) {
  return key.predicate.predicate_class() == PredicateClass::kLink;
}
inline Triple statement_of(const WrittenKey& key) {
  return {key.subject, key.predicate, key.object};
}

}  // namespace anima::store::detail
