#include "llm/waiter.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace anima::llm {
namespace {

Status unless_stopped(const std::stop_token& stop) {
  if (stop.stop_requested())
    return fail(ErrorCode::kCancelled, "stopped while a model was waited for");
  return {};
}

}  // namespace

Status SystemWaiter::wait_ms(std::int64_t milliseconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any over;
  std::unique_lock lock(mutex);
  over.wait_for(lock, stop, std::chrono::milliseconds(milliseconds), [] { return false; });
  return unless_stopped(stop);
}

Status NoWaiter::wait_ms(std::int64_t, const std::stop_token& stop) { return unless_stopped(stop); }

}  // namespace anima::llm
