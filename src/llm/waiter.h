// Waiting, injected: a test and a replay do not wait. Thread-safety: from any thread.
#pragma once

#include <cstdint>
#include <stop_token>

#include "base/result.h"

namespace anima::llm {

class Waiter {
 public:
  virtual ~Waiter() = default;
  // Errors: kCancelled when the token asks to stop before the time is over.
  virtual Status wait_ms(std::int64_t milliseconds, const std::stop_token& stop) = 0;
};

class SystemWaiter final : public Waiter {
 public:
  Status wait_ms(std::int64_t milliseconds, const std::stop_token& stop) override;
};

// Waits no time at all: for replays.
class NoWaiter final : public Waiter {
 public:
  Status wait_ms(std::int64_t milliseconds, const std::stop_token& stop) override;
};

}  // namespace anima::llm
