// Group commit: concurrent writers share one turn of the log and one fsync.
//
// The first request of a batch leads it: it waits until the batch before is through, takes
// everything that has queued up, and runs it on its own thread; the others sleep until their
// results are there. While a batch waits for the disk the next one gathers, so its size follows the
// load by itself. Thread-safety: submit() from any thread; `run` is called by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "store/act.h"
#include "store/space.h"

namespace anima::store::detail {

struct CommitRequest {
  const Origin* origin = nullptr;
  const std::function<Status(Transaction&)>* change = nullptr;
  std::string seal_name;  // empty: open
  EntryAct act;           // of the next entry; once its first one is written, with that
  // Of a series: gives the change that follows, null at the end. `receipts` are of those before.
  const std::function<const Change*()>* next = nullptr;
  std::vector<Receipt> receipts;
  Result<Receipt> result = Receipt{};
  bool in_doubt = false;  // the commit failed: what was appended may be there
  std::atomic<bool> done{false};
};

class CommitQueue {
 public:
  using Batch = std::span<CommitRequest* const>;
  // `take_turn` is called before the batch is closed, so that who comes while it waits gets in;
  // `run` must set the result of every request.
  CommitQueue(std::function<void()> take_turn, std::function<void(Batch)> run)
      : take_turn_(std::move(take_turn)), run_(std::move(run)) {}

  // Returns when request.result is set.
  void submit(CommitRequest& request);

 private:
  void lead();
  void gather() ANIMA_REQUIRES(running_);
  std::size_t waiting();

  const std::function<void()> take_turn_;
  const std::function<void(Batch)> run_;
  Mutex mutex_;
  std::vector<CommitRequest*> waiting_ ANIMA_GUARDED_BY(mutex_);  // the batch that gathers
  std::uint64_t number_ ANIMA_GUARDED_BY(mutex_) = 0;             // its number
  Mutex running_;  // held by the leader of the batch that runs
  // Followers of a batch sleep on the word of its parity: one wake-up call for all of them, and
  // none for those of the next batch.
  std::atomic<std::uint32_t> finished_[2] = {};
  std::vector<CommitRequest*> batch_ ANIMA_GUARDED_BY(running_);
  std::size_t last_size_ ANIMA_GUARDED_BY(running_) = 1;
};

}  // namespace anima::store::detail
