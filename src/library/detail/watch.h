// Asks for the end of a call when the caller does, or when his time is over.
// Thread-safety: token() and ended() from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/result.h"

namespace anima::detail {

class Watch {
 public:
  // `time` 0: no limit, and no thread.
  Watch(const std::stop_token& stop, std::chrono::milliseconds time)
      : heard_(stop, [this] { end_.request_stop(); }) {
    if (time.count() <= 0) return;
    timer_ = std::jthread([this, time](const std::stop_token& done) {
      std::unique_lock lock(mutex_);
      if (over_.wait_for(lock, done, time, [&] { return done.stop_requested(); })) return;
      timed_out_ = true;
      end_.request_stop();
    });
  }
  std::stop_token token() const { return end_.get_token(); }
  // Nothing while the call may go on. Errors: kTimeout, kCancelled.
  Status ended() const {
    if (!end_.stop_requested()) return {};
    if (timed_out_) return fail(ErrorCode::kTimeout, "the time of the call is over");
    return fail(ErrorCode::kCancelled, "the call was stopped");
  }

 private:
  std::stop_source end_;
  std::atomic<bool> timed_out_{false};
  std::stop_callback<std::function<void()>> heard_;
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread timer_;  // the first to go
};

}  // namespace anima::detail
