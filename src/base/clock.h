// Time, injected: nothing in Anima asks the operating system for the time but SystemClock.
// Thread-safety: every Clock may be used from any thread.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima {

inline constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
inline constexpr std::int64_t kMicrosecondsPerDay = 86'400 * kMicrosecondsPerSecond;

// Microseconds since 1970-01-01T00:00:00Z. On disk, never change the unit.
struct Timestamp {
  std::int64_t microseconds = 0;
  auto operator<=>(const Timestamp&) const = default;
};

// RFC 3339 in UTC, with as many fractional digits as needed: "2026-11-21T04:08:26Z".
std::string format_timestamp(Timestamp time);
// Accepts RFC 3339 with any offset, and a bare date (midnight UTC).
Result<Timestamp> parse_timestamp(std::string_view text);

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() = 0;
  // Nanoseconds of a clock that never goes back; for durations only.
  virtual std::int64_t monotonic_nanoseconds() = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() override;
  std::int64_t monotonic_nanoseconds() override;
};

// A clock for tests and replays: it moves only when told, or by `step` at each reading.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = {}, std::int64_t step_microseconds = 0)
      : microseconds_(start.microseconds), step_(step_microseconds) {}
  Timestamp now() override { return {microseconds_.fetch_add(step_)}; }
  std::int64_t monotonic_nanoseconds() override { return microseconds_.load() * 1000; }
  void set(Timestamp time) { microseconds_ = time.microseconds; }
  void advance(std::int64_t microseconds) { microseconds_ += microseconds; }

 private:
  std::atomic<std::int64_t> microseconds_;
  std::int64_t step_;
};

}  // namespace anima
