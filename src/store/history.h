// What happened to one entity, entry by entry, read from its own versions: no older state of the
// space is built for it. What one entry changed. Thread-safety: functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/ids.h"
#include "store/snapshot.h"
#include "store/space.h"

namespace anima::store {

// What one entry changed: statements with the entity as subject, and links to it, that a graph of
// the snapshot's scope stated from then on, or none any more; sorted.
struct EntityChange {
  Sequence sequence = Sequence::kNone;
  std::vector<Triple> added, removed;
};

// The newest `most` of Snapshot::history(entity), ascending. O(versions of the entity's statements
// and of the links to it).
std::vector<EntityChange> entity_changes(const Snapshot& snapshot, EntityId entity,
                                         std::size_t most);

// One graph's word for a statement about a thing, from the entry that brought it in to the one that
// changed or ended it (kNone: it stands). A word that stands beside a new one of another graph ends
// and begins there.
struct StatedWord {
  Triple statement;
  std::uint64_t provenance = 0;
  Sequence from = Sequence::kNone, to = Sequence::kNone;
  Sequence said = Sequence::kNone;  // whose word it is, where maintenance wrote it again
};
// All with the entity as subject that the snapshot's scope ever heard, in no order. O(versions of
// the entity's statements).
std::vector<StatedWord> words_about(const Snapshot& snapshot, EntityId entity);

// What one entry changed of the knowledge: statements that are there from it on, and those that no
// longer are; sorted. `now` is of the entry or newer. Errors: kNotFound (the entry was erased, is
// sealed without its key, or is not there). O(what it wrote).
struct EntryChange {
  std::vector<Triple> added, removed;
  std::size_t unread = 0;  // sealed entries without their key, of several that were asked for
};
Result<EntryChange> entry_changes(Space& space, const Snapshot& now, Sequence entry);
// The same for all entries after `earlier` up to `last` together: what came and went in between is
// no change; sealed entries without their key are passed over and counted. O(what they wrote).
Result<EntryChange> changes_between(Space& space, const Snapshot& now, Sequence earlier,
                                    Sequence last);

// The state of an earlier moment: the number of a log entry, or a time as RFC 3339. Errors:
// kNotFound (no such entry), kInvalidArgument, kSyntax. O(changes since).
Result<Snapshot> state_at(const Snapshot& now, std::string_view point);

// A statement as a person reads it: the thing's name; "is a", "is named", a relation, ".attribute"
// or "@metadata"; a name, or a value as it is shown.
struct StatementWords {
  std::string subject, predicate, object;
};
StatementWords statement_words(const Snapshot& snapshot, const Triple& triple);

// What a person means by "what changed since then", each as one line of words, sorted as the
// statements are. A name that only repeats the thing's name is left out. How the memory keeps its
// own house is counted alone: what is stated of `$system`, in which domain a thing lies, what has
// become of an event.
struct ChangeWords {
  std::vector<std::string> came, went;
  std::size_t upkeep_came = 0, upkeep_went = 0;
  std::size_t unread = 0;  // sealed entries without their key: what they changed is not told
  std::size_t upkeep() const { return upkeep_came + upkeep_went; }
};
// The source of the entries that give a new space its schema; they come first.
inline constexpr std::string_view kBootstrapSource = "SystemBootstrap";
struct ChangesShown {
  bool metadata = false;  // how something is known: sources, confidences ..
  bool schema = false;    // definitions of types and predicates, and what a new space begins with
  bool upkeep = false;    // behind the rest, instead of being counted
};
// The lines of statements, sorted as these are, but for those that are no more than counted above.
std::vector<std::string> statement_lines(const Snapshot& snapshot, std::span<const Triple> triples,
                                         ChangesShown shown);
// Errors: as changes_between. O(what was written since `earlier`).
Result<ChangeWords> changes_in_words(Space& space, const Snapshot& now, Sequence earlier,
                                     ChangesShown shown);

}  // namespace anima::store
