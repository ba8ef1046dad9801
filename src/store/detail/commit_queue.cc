#include "store/detail/commit_queue.h"

#include <utility>

namespace anima::store::detail {

void CommitQueue::submit(CommitRequest& request) {
  bool leads = false;
  std::uint64_t number = 0;
  {
    const std::lock_guard guard(mutex_);
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
    word.wait(seen, std::memory_order_acquire);
  }
}

void CommitQueue::await_turn() {
  std::uint32_t idle = 0;
  while (!running_.compare_exchange_weak(idle, 1, std::memory_order_acquire)) {
    running_.wait(1, std::memory_order_relaxed);
    idle = 0;
  }
}

void CommitQueue::lead() {
  await_turn();
  take_turn_();
  std::uint64_t number = 0;
  batch_.clear();
  {
    const std::lock_guard guard(mutex_);
    std::swap(batch_, waiting_);
    number = number_++;
  }
  run_(batch_);
  const bool followed = batch_.size() > 1;
  for (CommitRequest* request : batch_) request->done.store(true, std::memory_order_release);
  // From here on the requests may be gone.
  if (followed) {
    std::atomic<std::uint32_t>& word = finished_[number % 2];
    word.fetch_add(1, std::memory_order_release);
    word.notify_all();
  }
  running_.store(0, std::memory_order_release);
  running_.notify_one();
}

}  // namespace anima::store::detail
