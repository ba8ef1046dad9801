#include "tools/recorded_tools.h"

namespace anima::tools {

Result<Json> RecordedTools::run_until(const std::stop_token& stop, std::string_view tool,
                                      const Json& arguments, std::int64_t timeout_milliseconds) {
  const std::int64_t begin = clock_.monotonic_nanoseconds();
  Result<Json> result = tools_.run_until(stop, tool, arguments, timeout_milliseconds);
  outputs_.add(tool, arguments, result, clock_.monotonic_nanoseconds() - begin);
  return result;
}

Result<govern::Rehearsal> RecordedTools::rehearse(const std::stop_token& stop,
                                                  std::string_view tool, const Json& arguments,
                                                  std::int64_t timeout_milliseconds) {
  const std::int64_t begin = clock_.monotonic_nanoseconds();
  auto rehearsal = tools_.rehearser(tool)->rehearse(stop, tool, arguments, timeout_milliseconds);
  const std::int64_t took = clock_.monotonic_nanoseconds() - begin;
  if (!rehearsal) outputs_.add(tool, arguments, fail(rehearsal.error()), took);
  const std::lock_guard lock(mutex_);
  rehearsed_[std::this_thread::get_id()] = took;
  return rehearsal;
}

Result<Json> RecordedTools::conclude(const std::stop_token& stop, std::string_view tool,
                                     const Json& arguments, const govern::Rehearsal& rehearsal,
                                     std::int64_t timeout_milliseconds) {
  const std::int64_t begin = clock_.monotonic_nanoseconds();
  Result<Json> result =
      tools_.rehearser(tool)->conclude(stop, tool, arguments, rehearsal, timeout_milliseconds);
  std::int64_t took = clock_.monotonic_nanoseconds() - begin;
  {
    const std::lock_guard lock(mutex_);
    // Approved later, by a process that rehearsed nothing: then there is nothing to add.
    const auto before = rehearsed_.find(std::this_thread::get_id());
    if (before != rehearsed_.end()) {
      took += before->second;
      rehearsed_.erase(before);
    }
  }
  outputs_.add(tool, arguments, result, took);
  return result;
}

void RecordedTools::forget(std::string_view tool, const govern::Rehearsal& rehearsal) {
  tools_.rehearser(tool)->forget(tool, rehearsal);
}

}  // namespace anima::tools
