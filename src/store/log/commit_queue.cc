#include "store/log/commit_queue.h"

#include <sched.h>

#include <utility>

#include "store/log/futex.h"

namespace anima::store::detail {

void CommitQueue::submit(CommitRequest& request) {
  bool leads = false;
  std::uint64_t number = 0;
  {
    const MutexLock guard(mutex_);
    leads = waiting_.empty();
    waiting_.push_back(&request);
    number = number_;
  }
  if (leads) {
    lead();
    return;
  }
  std::atomic<std::uint32_t>& word = finished_[number % 2];
  while (!request.done.load(std::memory_order_acquire)) {
    const std::uint32_t seen = word.load(std::memory_order_acquire);
    if (request.done.load(std::memory_order_acquire)) break;
    futex_wait(word, seen);
  }
}

std::size_t CommitQueue::waiting() {
  const MutexLock guard(mutex_);
  return waiting_.size();
}

// The writers of the batch before were woken a moment ago and will be back: giving them the
// processor now saves a whole sync that would carry this request alone.
void CommitQueue::gather() {
  constexpr int kPatience = 8;
  for (int i = 0; i < kPatience && waiting() < last_size_; ++i) sched_yield();
}

void CommitQueue::lead() {
  std::uint64_t number = 0;
  bool followed = false;
  {
    const MutexLock turn(running_);
    if (last_size_ > 1) gather();
    take_turn_();
    batch_.clear();
    {
      const MutexLock guard(mutex_);
      std::swap(batch_, waiting_);
      number = number_++;
    }
    last_size_ = batch_.size();
    run_(batch_);
    followed = batch_.size() > 1;
    for (CommitRequest* request : batch_) request->done.store(true, std::memory_order_release);
  }
  // From here on the requests may be gone.
  if (!followed) return;
  std::atomic<std::uint32_t>& word = finished_[number % 2];
  word.fetch_add(1, std::memory_order_release);
  futex_wake_all(word);
}

}  // namespace anima::store::detail
