// Space: one data folder, one log, its views. The way in for everything above the store.
//
// The log lies in the folder, or in a PostgreSQL database that several machines use; the folder is
// then this machine's (space_place.h).
//
// Reading: snapshot() holds every commit that was acknowledged before the call, in whichever
// process. It is O(1) where nothing is new; else it reads what is new from the log first, or waits
// while another thread does. A log that cannot be followed, be it damaged or out of reach, is an
// error of the call; what was read before is never given in its place (salvage reads it). Writing:
// write() runs the caller's function on the newest state, in the writer's turn (other threads and
// other processes wait; concurrent writers share one commit), and returns when the entry is
// durable. Several processes may open one space. Thread-safety: every function from any thread. The
// function given to write() may run on another thread, and must not call write() itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/random.h"
#include "base/result.h"
#include "store/log.h"
#include "store/seal_state.h"
#include "store/snapshot.h"
#include "store/transaction.h"
#include "store/undo_rules.h"

namespace anima::store {

namespace detail {
struct LogTuning;
}

struct SpaceOptions {
  bool create = false;  // make the folder and its first entry when there is none
  bool read_only = false;
  // Read-only, and what comes before a damaged entry is the whole log; notes() says what is not.
  // The whole log is checked first.
  bool salvage = false;
  bool text_index = true;
  std::size_t max_value_bytes = std::size_t{16} << 20;
  std::size_t max_nesting = 64;
  std::uint64_t max_log_bytes = 0;  // a quota: a write that would pass it fails; 0 = none
  // A new base is made in the background once a reopening would replay so many bytes of the log or
  // so many rows, and a sixteenth of what the base holds; 0 for either = only on demand.
  std::uint64_t checkpoint_after_bytes = std::uint64_t{1} << 20;
  std::uint64_t checkpoint_after_rows = 10'000;
  // How long another process is waited for that has the writer's turn, or writes a base that this
  // call needs. Then the call fails with kBusy; raising `stop` ends the wait with kCancelled.
  std::int64_t turn_wait_milliseconds = 30'000;
  const std::atomic<bool>* stop = nullptr;  // outlives the space
  std::shared_ptr<Clock> clock = {};        // default: SystemClock
  std::shared_ptr<Random> random = {};      // default: SystemRandom; used under the writer's turn
  FileSystem* files = nullptr;  // default: system_files(); everything but the log's own file
  std::shared_ptr<const detail::LogTuning> log_tuning = {};  // for tests (place/log_place.h)
  UndoRules undo = {};  // of undos and merges; also of what takes back an act that was cut off
};

struct Receipt {
  Sequence sequence = Sequence::kNone;
  Timestamp time;
  Digest hash{};
  bool changed = true;  // false: the function changed nothing, so no entry was written
};

// A text that only the holder of its key can read.
struct SealedText {
  std::string seal;   // name#generation of the key
  std::string bytes;  // nonce, ciphertext, tag
};

struct UnsealedText {
  SealState state = SealState::kSealed;
  std::string text;  // empty unless kOpen
};

// A private branch: reads a snapshot, takes its own writes, is dropped or committed.
class WhatIf {
 public:
  virtual ~WhatIf() = default;
  virtual Transaction& transaction() = 0;
  virtual Snapshot view() const = 0;
};

struct UndoReport {
  Receipt receipt;                // of the new entry; sequence kNone after a dry run
  std::vector<Sequence> entries;  // undone: the range and, with cascade, its dependents; sorted
  std::size_t keys = 0;           // how many keys were put back
};

struct SpaceStats {
  std::uint64_t entries = 0, log_bytes = 0, base_bytes = 0, heap_bytes = 0;
  std::uint64_t concepts = 0, propositions = 0, assertions = 0, literals = 0, graphs = 0;
  Sequence base_sequence = Sequence::kNone;
  std::uint64_t replay_bytes = 0, replay_rows = 0;  // newer than the base: a reopening's work
};

using Change = std::function<Status(Transaction&)>;

// What came of a series of changes.
struct SeriesResult {
  std::vector<Receipt> receipts;  // of the changes that were made, in order; they are durable
  Status status;                  // why the series ended before its end
};

class Space {
 public:
  // A folder, or the address of a database. Errors, beside those of the log: kNotFound (no space
  // there and `create` unset), kAlreadyExists (the folder belongs to another log).
  static Result<std::shared_ptr<Space>> open(const std::string& place,
                                             const SpaceOptions& options = {});
  // Nothing on disk; for query programs over files and for tests.
  static Result<std::shared_ptr<Space>> in_memory(const SpaceOptions& options = {});
  virtual ~Space() = default;

  // The newest durable state, other processes' commits included. Errors: those of following the log
  // (kCorrupt, kIo, kVersionMismatch, ...).
  virtual Result<Snapshot> snapshot() = 0;
  virtual Result<Receipt> write(const Origin& origin,
                                const std::function<Status(Transaction&)>& change) = 0;
  // Several changes in one turn: each an entry of its own, and one sync of the disk for all.
  // `next` gives them one by one, null at the end; it is called like the changes themselves. The
  // first that fails ends the series; those before it stay. Other writers wait meanwhile.
  virtual SeriesResult write_series(const Origin& origin,
                                    const std::function<const Change*()>& next) = 0;
  // As write(), with the payload sealed under the named key (made when new); erase(key) destroys
  // the key.
  virtual Result<Receipt> write_sealed(const Origin& origin, const std::string& key,
                                       const std::function<Status(Transaction&)>& change) = 0;
  // A text under the named key (made when new), for a record of an entry that is open otherwise;
  // erase(key) destroys it like all else under the key. Only inside the function given to write().
  virtual Result<SealedText> seal(const std::string& key, std::string_view text) = 0;
  // A key that does not open the bytes is not the key they were sealed under: kSealed.
  virtual Result<UnsealedText> unseal(const SealedText& sealed) = 0;
  // Destroys the key, then writes a base without what it sealed and removes the older ones. The log
  // keeps the sealed bytes and still verifies. From the entry that says so on, nobody reads the
  // content, also where the rest was cut short: whoever opens the space for writing finishes it. A
  // key that is not here, but something is sealed under it, can be destroyed too. Errors: kNotFound
  // (no such key), kConflict (old payloads lie in archives).
  virtual Status erase(const std::string& key) = 0;
  virtual Result<std::vector<std::string>> keys() = 0;  // names of the seal keys, sorted

  virtual std::unique_ptr<WhatIf> what_if(const Snapshot& from) = 0;
  // kConflict when the space moved on in a way that touches what the branch wrote.
  virtual Result<Receipt> commit(const Origin& origin, WhatIf& branch) = 0;

  // By which undos and merges of this space go; null: there are none. Lives as long as the space.
  virtual const UndoRules* rules() const { return nullptr; }
  virtual Log& log() = 0;
  // Calls `visit` with each entry after `after`, sealed payloads opened (empty when the key was
  // destroyed or is not here); for more as it comes, log().follow(). The entry's records:
  // visit_records().
  virtual Status changes(Sequence after, const std::function<Status(const LogEntry&)>& visit) = 0;

  // What the entries after `after`, up to `last`, wrote: each key at least once, in any order, so
  // that a view of the space can bring itself up to date. Errors: kNotFound when one of them was
  // erased or is sealed (nobody knows then what it wrote). O(what they wrote).
  virtual Status visit_written(Sequence after, Sequence last,
                               const std::function<Status(const WrittenKey&)>& visit) = 0;

  // Puts back what the entries first..last wrote last (DATA.md 8), as a new entry; a dry run writes
  // nothing. Errors: kConflict listing the dependent entries unless `cascade`, kInvalidArgument (no
  // such range), kNotFound (erased or sealed, or nothing left to undo).
  virtual Result<UndoReport> undo(const Origin& origin, Sequence first, Sequence last, bool cascade,
                                  bool dry_run) = 0;

  virtual Status checkpoint() = 0;  // writes a new base now
  virtual SpaceStats stats() = 0;
  // What was found wrong and worked around, for people: a damaged base that was rebuilt, ...
  virtual std::vector<std::string> notes() = 0;
  virtual const std::string& folder() const = 0;
};

// The records (Transaction::record) of an entry with an open payload, in order.
Status visit_records(const LogEntry& entry,
                     const std::function<Status(RecordKind, std::string_view)>& visit);
// Those, and then the attached ones (Transaction::attach), unless they were pruned. Errors:
// kCorrupt (the attachment is not what the entry tells of) too.
Status visit_all_records(Log& log, const LogEntry& entry,
                         const std::function<Status(RecordKind, std::string_view)>& visit);

}  // namespace anima::store
