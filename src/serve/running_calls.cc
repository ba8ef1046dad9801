#include "serve/running_calls.h"

#include <algorithm>

namespace anima::serve {

RunningCalls::Entry::Entry(RunningCalls& calls, const Json& id) : calls_(calls) {
  const std::string name = id.dump();
  const std::lock_guard lock(calls_.mutex_);
  at_ = calls_.running_.emplace(name, source_);
  const auto early = std::find(calls_.early_.begin(), calls_.early_.end(), name);
  if (early == calls_.early_.end()) return;
  calls_.early_.erase(early);
  source_.request_stop();
}

RunningCalls::Entry::~Entry() {
  const std::lock_guard lock(calls_.mutex_);
  calls_.running_.erase(at_);
}

void RunningCalls::cancel(const Json& id) {
  const std::string name = id.dump();
  const std::lock_guard lock(mutex_);
  const auto [first, last] = running_.equal_range(name);
  for (auto it = first; it != last; ++it) it->second.request_stop();
  if (first != last) return;
  early_.push_back(name);
  if (early_.size() > kMostEarly) early_.pop_front();
}

}  // namespace anima::serve
