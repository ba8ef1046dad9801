// How many requests and tokens a model is sent in a minute: a window of 60 seconds that slides.
// A server's own "not before" counts, too. Thread-safety: from any thread. Complexity: O(calls in
// the window).
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "base/clock.h"

namespace anima::llm {

class RateLimiter {
 public:
  // 0 for any number.
  RateLimiter(std::int64_t requests_per_minute, std::int64_t tokens_per_minute)
      : requests_(requests_per_minute), tokens_(tokens_per_minute) {}

  // 0, and the call is counted; or how long to wait before asking again. A call of more tokens than
  // a minute has goes when the window is empty.
  std::int64_t take(Timestamp now, std::int64_t tokens);
  // No call before that time.
  void not_before(Timestamp time);

 private:
  struct Call {
    std::int64_t at_ms;
    std::int64_t tokens;
  };

  const std::int64_t requests_;
  const std::int64_t tokens_;
  std::mutex mutex_;
  std::deque<Call> window_;
  std::int64_t used_ = 0;  // tokens in the window
  std::int64_t not_before_ms_ = 0;
};

}  // namespace anima::llm
