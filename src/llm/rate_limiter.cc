#include "llm/rate_limiter.h"

#include <algorithm>

namespace anima::llm {
namespace {

constexpr std::int64_t kWindowMs = 60'000;

std::int64_t milliseconds_of(Timestamp time) { return time.microseconds / 1000; }

}  // namespace

std::int64_t RateLimiter::take(Timestamp now, std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  const std::int64_t ms = milliseconds_of(now);
  while (!window_.empty() && window_.front().at_ms + kWindowMs <= ms) {
    used_ -= window_.front().tokens;
    window_.pop_front();
  }
  if (ms < not_before_ms_) return not_before_ms_ - ms;
  const bool many = requests_ > 0 && window_.size() >= static_cast<std::size_t>(requests_);
  const bool much = tokens_ > 0 && !window_.empty() && used_ + tokens > tokens_;
  if (many || much) return std::max<std::int64_t>(1, window_.front().at_ms + kWindowMs - ms);
  if (requests_ > 0 || tokens_ > 0) {
    window_.push_back({ms, tokens});
    used_ += tokens;
  }
  return 0;
}

void RateLimiter::not_before(Timestamp time) {
  const std::lock_guard lock(mutex_);
  not_before_ms_ = std::max(not_before_ms_, milliseconds_of(time));
}

}  // namespace anima::llm
