// Views: everything of a space that can be rebuilt from its log. The dictionary, the entities, the
// indexes, the text index, the delta of what is newer than the base, and the base file itself.
//
// Who calls what. Space owns the log, the writer's turn, the sequence numbers and the seals; it
// drives Views in one of two ways, always under its writer mutex:
//   replay:  apply(entry)*  publish()
//   commit:  { begin(entry) <function> finish() }*  <the log commits>  publish()
// With rollback(mark) where a function or the commit failed. Nothing that apply() or finish() did
// is seen by snapshot() before publish(); a rollback leaves no trace, not even in the ids given
// next. Between begin() and finish() the Writer reads everything applied or finished before it,
// published or not.
//
// Thread-safety: "writer side" functions are called by one thread at a time; "any thread" functions
// at any time, also while the writer side runs. Snapshots handed out live on their own.
// Errors: kCorrupt when a payload does not decode or names ids it must not (the state is then as
// before the call), kIo, kDiskFull; the limits of the options are kLimitExceeded.
// Source: DATA.md 3, 4, 5, 6, 7, 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "store/base/base_seals.h"
#include "store/base/limits.h"
#include "store/ids.h"
#include "store/log.h"
#include "store/log/id_bounds.h"
#include "store/snapshot.h"
#include "store/space.h"
#include "store/transaction.h"

namespace anima::store::detail {

class Writer;      // what a Transaction records into; defined in the .cc file
struct ViewsData;  // ditto
struct Horizon;    // state/state.h

struct ViewsOptions {
  std::string folder;           // empty: nothing on disk, checkpoint() does nothing
  FileSystem* files = nullptr;  // outlives the Views; required when there is a folder
  bool read_only = false;
  bool text_index = true;
  std::size_t max_value_bytes = std::size_t{16} << 20;
  std::size_t max_nesting = 64;
  std::size_t big_bulk_rows = 20'000;  // a bulk from this size on becomes a base at once
  NumberLimits numbers = {};           // smaller in tests
};

// A place in the writer side's state to roll back to; valid until a rollback to an earlier mark or
// the next publish().
struct Mark {
  std::uint64_t value = 0;
};

class Views {
 public:
  // Maps the newest base that passes its checksums; a damaged one is left out (see notes()), and
  // without one the state is empty, before the first entry. Holds nothing of the log.
  static Result<std::unique_ptr<Views>> open(const ViewsOptions& options);
  ~Views();
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;

  // The entry that the state is at: after open() that of the base (kNone when empty), then of the
  // last apply(), finish() or rollback. `hash` is set by open() and checkpoint only. Writer side.
  Head head() const;
  IdBounds bounds() const;  // of the ids given out so far; writer side
  // What was found wrong while opening, for people. Any thread.
  const std::vector<std::string>& notes() const;

  // --- replay (writer side) ---------------------------------------------------------------------
  // The next entry, its payload open (unsealed). Requires entry.sequence == head().sequence + 1.
  Status apply(const LogEntry& entry);
  // The next entry, of which only this is left; its ids stay taken, its values read as null.
  Status apply_erased(const LogEntry& entry, const IdBounds& bounds);
  // Back to the empty state, before the first entry; bases on disk stay until the next checkpoint.
  // Published snapshots are not touched before publish().
  Status clear();
  // Back to the newest base on disk, or to the empty state; published snapshots as with clear().
  Status restart();

  // --- commit (writer side) ---------------------------------------------------------------------
  // Whether the entry's number, its cause and its names fit; before begin(). Errors:
  // kLimitExceeded, kInvalidArgument (no earlier entry is the cause).
  Status check_entry(const EntryInfo& entry, Sequence cause) const;
  // The entry that began last belongs to the act of that one (act.h); 0: to its own.
  void mark_act(std::uint32_t first);
  // Starts the entry with this sequence (head().sequence + 1), time, origin and cause. The Writer
  // is valid until finish() or rollback(). In an empty space the first entry brings the concepts of
  // ids.h with it.
  Writer& begin(const EntryInfo& entry, Sequence cause = Sequence::kNone);
  // Ends it. An empty payload means that nothing changed; head() is then what it was before
  // begin().
  Result<Finished> finish();
  Mark mark() const;
  // Rows that apply() and begin() .. finish() wrote so far, those rolled back too.
  std::uint64_t rows_written() const;
  void rollback(Mark mark);  // also in the middle of begin() .. finish()
  // Gives back what rolled-back entries left in memory, once it is worth the copying: O(delta), and
  // no more than that for each share of it that was rolled back. Requires that nothing is
  // unpublished.
  void settle();
  // What the snapshots published from now on say of earlier states.
  void set_horizon(std::shared_ptr<const Horizon> horizon);
  // Makes everything applied and finished visible at once. O(changes since the last publish()).
  Snapshot publish();

  // --- reading (any thread) ---------------------------------------------------------------------
  // The last published: everything, and what of it is knowledge. O(1).
  Snapshot snapshot() const;
  Snapshot knowledge() const;
  struct BaseSize {
    std::uint64_t bytes = 0, rows = 0;
  };
  BaseSize base_size() const;  // of the base in use; O(1). Writer side
  // The words of the base in use are those of an older program: they are read from the texts again,
  // until a checkpoint keeps them. Writer side
  bool text_outdated() const;
  void stats(SpaceStats& out) const;  // everything but `entries` and `log_bytes`

  // --- branches ---------------------------------------------------------------------------------
  std::unique_ptr<WhatIf> branch(const Snapshot& from);  // any thread
  // Between begin() and finish(): writes what the branch wrote, with ids of the newest state. The
  // branch must be of these Views. Errors: kConflict naming what was touched by both.
  Status merge(WhatIf& branch);

  // --- checkpoint -------------------------------------------------------------------------------
  // Writes the base of a published snapshot beside the old one; slow. Any thread, one at a time;
  // the writer side goes on meanwhile. `head` is the snapshot's log entry, recorded in the base
  // with what is known of keys at that state.
  Status write_base(const Snapshot& snapshot, const Head& head, const BaseSeals& seals);
  // Maps and checks the newest base of another process, when it is newer than the one in use, for
  // the next install_base(). O(its bytes). Any thread, one at a time; the writer side goes on.
  void find_newer_base();
  // Takes the base last written or found in place of the old one and of the delta that it covers;
  // then removes older base files, unless read-only. One that `accept` refuses is not taken, and
  // removed when it is our own. True when one was taken. Fast. Writer side, nothing unpublished.
  using AcceptBase = std::function<bool(const Head& base, const BaseSeals& seals)>;
  Result<bool> install_base(const AcceptBase& accept);
  // What the base in use says of keys; kVersionMismatch when it is of a version without that.
  // Writer side.
  Result<BaseSeals> base_seals() const;
  Sequence base_sequence() const;  // of the base in use, kNone for the empty one; writer side
  // Removes every base file but the one in use, or all of them; for erasure and damage. Writer
  // side.
  Status remove_bases(bool also_current);

  // --- payloads (any thread) --------------------------------------------------------------------
  // What the entry wrote, and every other entity that it relies on (as subject, predicate, type,
  // object or by writing into its graph). A dropped graph is listed key by key, from the published
  // history. Each key and entity at least once, in any order.
  Status visit_written(const LogEntry& entry, const std::function<Status(const WrittenKey&)>& wrote,
                       const std::function<Status(EntityId)>& relies_on) const;

 private:
  explicit Views(std::unique_ptr<ViewsData> data);
  std::unique_ptr<ViewsData> data_;
};

}  // namespace anima::store::detail
