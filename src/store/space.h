// Space: one data folder, one log, its views. The way in for everything above the store.
//
// Reading: snapshot() is O(1), never blocked. Writing: write() runs the caller's function on the newest state, in
// the writer's turn (other threads and other processes wait; concurrent writers share one commit), and returns
// when the entry is durable. Several processes may open one space.
// Thread-safety: every function from any thread. The function given to write() may run on another thread, and must
// not call write() itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "store/log.h"
#include "store/snapshot.h"
#include "store/transaction.h"

namespace anima::store {

struct SpaceOptions {
  bool create = false;          // make the folder and its first entry when there is none
  bool read_only = false;
  bool text_index = true;
  std::size_t max_value_bytes = std::size_t{16} << 20;
  std::size_t max_nesting = 64;
  std::uint64_t checkpoint_after_entries = 50'000;  // in the background; 0 = only on demand
  std::shared_ptr<Clock> clock;    // default: SystemClock
  std::shared_ptr<Random> random;  // default: SystemRandom
};

struct Receipt {
  Sequence sequence = Sequence::kNone;
  Timestamp time;
  Digest hash{};
  bool changed = true;  // false: the function changed nothing, so no entry was written
};

// A private branch: reads a snapshot, takes its own writes, is dropped or committed.
class WhatIf {
 public:
  virtual ~WhatIf() = default;
  virtual Transaction& transaction() = 0;
  virtual Snapshot view() const = 0;
};

struct SpaceStats {
  std::uint64_t entries = 0, log_bytes = 0, base_bytes = 0, heap_bytes = 0;
  std::uint64_t concepts = 0, propositions = 0, assertions = 0, literals = 0, graphs = 0;
  Sequence base_sequence = Sequence::kNone;
};

class Space {
 public:
  static Result<std::shared_ptr<Space>> open(const std::string& folder, const SpaceOptions& options = {});
  // Nothing on disk; for query programs over files and for tests.
  static Result<std::shared_ptr<Space>> in_memory(const SpaceOptions& options = {});
  virtual ~Space() = default;

  virtual Snapshot snapshot() = 0;  // the newest durable state, other processes' commits included
  virtual Result<Receipt> write(const Origin& origin, const std::function<Status(Transaction&)>& change) = 0;
  // As write(), with the payload sealed under the named key (made when new); erase(key) destroys the key.
  virtual Result<Receipt> write_sealed(const Origin& origin, const std::string& key,
                                       const std::function<Status(Transaction&)>& change) = 0;
  virtual Status erase(const std::string& key) = 0;

  virtual std::unique_ptr<WhatIf> what_if(const Snapshot& from) = 0;
  // kConflict when the space moved on in a way that touches what the branch wrote.
  virtual Result<Receipt> commit(const Origin& origin, WhatIf& branch) = 0;

  virtual Log& log() = 0;
  // Calls `visit` with each entry after `after`, decoded records included, now and (with follow) as they come.
  virtual Status changes(Sequence after, const std::function<Status(const LogEntry&)>& visit) = 0;

  // DATA.md 8. Errors: kConflict listing the dependent entries unless `cascade`.
  virtual Result<Receipt> undo(const Origin& origin, Sequence first, Sequence last, bool cascade, bool dry_run) = 0;

  virtual Status checkpoint() = 0;  // writes a new base now
  virtual SpaceStats stats() = 0;
  virtual const std::string& folder() const = 0;
};

}  // namespace anima::store
