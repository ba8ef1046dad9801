// The log: the truth. Append-only entries, each chained to the one before by its hash.
//
// SQLite stands behind this interface, or PostgreSQL, or memory: append, read from, follow, lock,
// sync. What lies in the log row by row, for backups and upkeep: log/stored_rows.h.
// The sequence comes from the locked head, without gaps. hash = SHA-256(previous hash || canonical
// header || payload as stored), so a sealed payload can lose its key and the chain still verifies.
// Thread-safety: reads from any thread; a Turn belongs to one thread at a time.
// Source: DATA.md 6, 9, 11, 13.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/result.h"
#include "store/ids.h"

namespace anima::store {

namespace detail {
class StoredRows;
}

// Who writes, and from where; goes into every entry.
struct Origin {
  std::string author = "local";
  std::string source;
  Trust trust = Trust::kUntrusted;   // who says nothing is not trusted
  Sequence cause = Sequence::kNone;  // the earlier entry that led to this one
};

struct LogEntry {
  Sequence sequence = Sequence::kNone;
  Timestamp time;  // never decreases along the log
  Origin origin;
  std::uint32_t format = 1;  // version of the payload's encoding
  std::string seal;          // name of the key that the payload is sealed under; empty = open
  std::string
      payload;  // operations (detail/operations.h), as stored: sealed bytes when `seal` is set
  std::string attachment;  // for append() only; who reads asks Log::attachment()
  Digest previous{};
  Digest hash{};
};

struct Head {
  Sequence sequence = Sequence::kNone;
  Timestamp time;
  Digest hash{};
};

class Log {
 public:
  virtual ~Log() = default;

  virtual Result<Head> head() = 0;
  // The head's sequence without asking the log, where that is known for sure (DATA.md 6). Cheap
  // enough to be called for every snapshot.
  virtual std::optional<Sequence> known_head() { return std::nullopt; }
  // The newest entry that somebody was told is durable, as far as is remembered beside the log: one
  // that ends before it has lost entries. kNone: nothing is remembered. Read it before head().
  virtual Sequence acknowledged() { return Sequence::kNone; }
  // Calls `visit` for each entry from `first` on, in order, until it fails or the log ends. A
  // damaged entry ends the reading with kCorrupt and its place. Each entry's hash and its chain to
  // the one before are checked before it is handed out.
  virtual Status read(Sequence first, const std::function<Status(const LogEntry&)>& visit) = 0;
  // One entry, its own hash checked. Errors: kNotFound, kCorrupt.
  virtual Result<LogEntry> entry(Sequence sequence) = 0;
  // What was attached to the entry (log/attachment.h); empty: nothing, or it was pruned.
  virtual Result<std::string> attachment(Sequence sequence) = 0;
  virtual Result<std::uint64_t> stored_bytes() = 0;

  // A writer's turn: exclusive among all processes from take_turn() until the Turn's end, which
  // rolls back what commit() has not made durable.
  class Turn {
   public:
    virtual ~Turn() = default;
    virtual Head head() const = 0;  // with what this turn appended
    // Fills sequence, time (not before the head's), previous and hash; not durable before commit().
    virtual Result<Head> append(LogEntry entry, Timestamp now) = 0;
    // Takes the attachment from an entry that was there before this turn; gives its bytes, 0 when
    // there was none.
    virtual Result<std::uint64_t> drop_attachment(Sequence sequence) = 0;
    // Durable when it returns; on failure nothing of the turn is left, or the error says that this
    // is not known (a connection that was lost, and did not come back).
    virtual Status commit() = 0;
  };
  // False where a turn can end without its holder's doing, because a connection is cut: others may
  // then have committed meanwhile.
  virtual bool keeps_turns() const { return true; }
  // Errors: kBusy when the turn does not come in time (SpaceOptions::turn_wait_milliseconds),
  // kCancelled, kDenied, kIo.
  virtual Result<std::unique_ptr<Turn>> take_turn() = 0;

  // Blocks until the head passes `after` or the time is up; false = time is up.
  virtual Result<bool> follow(Sequence after, std::int64_t timeout_milliseconds) = 0;

  // Null for a log in memory. Of what was salvaged, the rows of the damaged log.
  virtual detail::StoredRows* rows() { return nullptr; }
};

// What an error says of a log that ends before an entry that `witness` knows of, and what to do.
std::string lost_tail(Sequence head, std::string_view witness, Sequence known);
inline constexpr std::string_view kLostTailHint =
    "acknowledged entries are lost: restore a backup into another folder";

// The log of a space's folder (space_place.h), for reading; works where opening the Space would
// stop at a damage.
Result<std::unique_ptr<Log>> open_log(const std::string& folder);

}  // namespace anima::store
