#include "query/meter.h"

#include <string>
#include <utility>

namespace anima::query {

namespace {

constexpr std::uint64_t kCallsBetweenLooks = 64;
constexpr std::uint64_t kRowsBetweenLooks = 8192;

}  // namespace

Meter::Meter(Budget budget, Clock* clock) : budget_(std::move(budget)), clock_(clock) {
  if (budget_.time_ms > 0) deadline_ = now() + budget_.time_ms * 1'000'000;
}

std::int64_t Meter::now() const {
  static SystemClock system;
  return clock_ != nullptr ? clock_->monotonic_nanoseconds() : system.monotonic_nanoseconds();
}

bool Meter::spend(std::uint64_t rows) {
  rows_ += rows;
  if (++calls_ % kCallsBetweenLooks != 0 && rows_ - rows_at_look_ < kRowsBetweenLooks)
    return !failed();
  return look();
}

bool Meter::look() {
  if (failed()) return false;
  rows_at_look_ = rows_;
  const bool flagged =
      budget_.cancelled != nullptr && budget_.cancelled->load(std::memory_order_relaxed);
  if (flagged || budget_.stop.stop_requested())
    return fail({ErrorCode::kCancelled, "the query was cancelled", {}, {}});
  if (rows_ > budget_.rows) {
    return fail(
        {ErrorCode::kLimitExceeded,
         "the query passed its budget of " + std::to_string(budget_.rows) + " intermediate rows",
         {},
         "make the patterns more selective, or share a variable between them"});
  }
  if (deadline_ != 0 && now() > deadline_) {
    return fail({ErrorCode::kTimeout,
                 "the query passed its time budget of " + std::to_string(budget_.time_ms) + " ms",
                 {},
                 "make the patterns more selective, or add a LIMIT"});
  }
  return true;
}

bool Meter::take_memory(std::uint64_t bytes) {
  if (failed()) return false;
  memory_ = bytes > ~std::uint64_t{0} - memory_ ? ~std::uint64_t{0} : memory_ + bytes;
  if (memory_ <= budget_.memory_bytes) return true;
  return fail({ErrorCode::kLimitExceeded,
               "the query passed its memory budget of " +
                   std::to_string(budget_.memory_bytes >> 20) + " MiB",
               {},
               "add a LIMIT, or make the patterns more selective"});
}

bool Meter::hold(Charge& charge, std::uint64_t bytes) {
  if (failed()) return false;
  memory_ -= charge.bytes;
  charge.bytes = bytes;
  return take_memory(bytes);
}

bool Meter::fail(Error error) {
  if (!error_) error_ = std::move(error);
  return false;
}

}  // namespace anima::query
