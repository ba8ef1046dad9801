// Compaction: what no state, undo or proof needs any more leaves the log and gives back its disk.
//
// Up to the last entry of a compaction the log keeps what still stands there, and each entry's
// number, header and hash. Statements that were withdrawn by then leave the payloads that made and
// withdrew them, with the names and values that nobody else uses. So the chain, the Merkle tree,
// proofs and signed checkpoints hold, the views can be made from the log alone, every state from
// that entry on is the very same, and every later entry can be undone. Older states cannot be read
// any more, nor older entries undone: both end with kNotFound, saying so and where the whole log
// was kept. Records (decisions, approvals, keys, calls) always stay. It is the redaction that
// forgetting is (log/redacted.h): one transaction of the log, with an entry that answers for what
// is left; a crash or a full disk leaves everything or nothing. But what goes is not promised to be
// nowhere: forget.h does that. Thread-safety: functions without state; the space may be in use by
// this process and others. Their writers wait while what is left takes its place and while the disk
// is given back, not while the log is read; then they make their views again. Source: DATA.md 7.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/space.h"

namespace anima::store {

struct Compaction {
  Sequence until = Sequence::kNone;  // the last entry; its state is the oldest that can be read
  std::string kept;                  // where the whole log is kept, for those who miss it; or empty
  // Called now and then with the number of entries read, each four times, and anew when what others
  // write meanwhile needs what was to go; false stops with kCancelled before anything is changed.
  std::function<bool(std::uint64_t)> progress;
};

struct CompactReport {
  Receipt receipt;  // of the entry that tells of it; kNone: nothing to take
  Sequence until = Sequence::kNone;
  std::uint64_t entries = 0;     // whose payloads got shorter
  std::uint64_t statements = 0;  // withdrawn, and gone without a trace
  std::uint64_t emptied = 0;     // withdrawn; that something changed is still known
  std::uint64_t things = 0, values = 0;
  std::uint64_t payload_bytes = 0;  // that the payloads lost
  // What the log's files and the newest base take; after a dry run the first only.
  std::uint64_t bytes_before = 0, bytes_after = 0;
};

// The oldest entry whose state Snapshot::as_of() knows; kNone: all of them.
Sequence oldest_state(const Snapshot& now);
// The last entry before a time, and the one before the newest `entries`: behind it a window of undo
// begins. kNone: there is none.
Sequence last_older_than(const Snapshot& now, Timestamp time);
Sequence last_but(const Snapshot& now, std::uint64_t entries);

// A dry run looks only. Errors: kInvalidArgument (no such entry, or it was compacted further),
// kConflict (payloads lie in archives; a seal's key is not here), kDenied, kBusy, kDiskFull, kIo,
// kCancelled. O(log), and as much again for the views.
Result<CompactReport> compact(Space& space, const Origin& origin, const Compaction& what,
                              Timestamp now, bool dry_run);

}  // namespace anima::store
