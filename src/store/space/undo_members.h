// Which entries have a say when some are undone. An undo that stands, and what it took back, have
// none: it is as if they had never been written. An undo that was itself undone undid nothing.
// Thread-safety: values; one thread at a time.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/log.h"
#include "store/state/state.h"
#include "store/whole_rows.h"

namespace anima::store::detail {

using Sequences = std::set<Sequence>;

// Calls the given function with the entries first..last, payloads open.
using EntryReader = std::function<Status(Sequence first, Sequence last,
                                         const std::function<Status(const LogEntry&)>& visit)>;

// An entry that undid others.
struct PastUndo {
  Sequence sequence = Sequence::kNone;
  std::vector<Sequence> entries;
};

// What the entries from one on say of others: the undos, and the causes that are named.
struct Later {
  std::vector<PastUndo> undos;                        // in their order
  std::vector<std::pair<Sequence, Sequence>> causes;  // (entry, its cause)
};

// From the first of these entries on, or from the first that an undo since named: what an undo put
// back may have been undone before it. By the heads of the entries that the views keep; where a
// base of an older program has none, by the log. Errors: those of reading. O(entries since), and
// reading the undos among them.
Result<Later> read_later(std::span<const Sequence> ascending, const SnapshotState& state,
                         const EntryReader& read);

// The entries that the payload of a record kUndo names.
std::vector<Sequence> undone_entries(std::string_view record);

// The entries that are to be undone, and those that have no say anyway.
class Members {
 public:
  // `undos`: all that undid something of the entries, in their order. `rows`: of the space.
  Members(std::span<const Sequence> entries, std::vector<PastUndo> undos, AllWholeRows rows);

  const Sequences& all() const { return all_; }
  void add(const Sequences& more);
  // It was undone, or is an undo that stands.
  bool silent(Sequence sequence) const { return silent_.contains(sequence); }
  bool contains(Sequence sequence) const { return all_.contains(sequence); }
  // To be undone, and not undone yet.
  bool has_say(Sequence sequence) const { return contains(sequence) && !silent(sequence); }
  // It counts behind the undo.
  bool stands(Sequence sequence) const { return !contains(sequence) && !silent(sequence); }
  // Whether one of them undid others.
  bool undo_something() const;
  // Those that come to count or cease to: the members, and what undos among them took back.
  const Sequences& changed() const { return changed_; }
  // What entries state the whole of.
  const AllWholeRows& rows() const { return rows_; }
  // All that do not count, ascending.
  std::vector<Sequence> undone() const;

 private:
  void silence();
  Sequences silenced(const Sequences& members) const;

  const std::vector<PastUndo> undos_;
  const AllWholeRows rows_;
  Sequences all_, silent_, changed_;
};

}  // namespace anima::store::detail
