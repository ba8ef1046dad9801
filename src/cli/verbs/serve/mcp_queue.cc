#include "cli/verbs/serve/mcp_queue.h"

#include <utility>

namespace anima::cli {
namespace {

// Of a batch those of all its requests.
std::vector<Json> ids_of(const Json& message) {
  std::vector<Json> ids;
  if (message.is_array()) {
    for (const Json& each : message.as_array()) {
      if (const Json* id = each.find("id")) ids.push_back(*id);
    }
  } else if (const Json* id = message.find("id")) {
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace

bool McpQueue::put(Json& message, std::size_t bytes, serve::Needs needs) {
  const MutexLock lock(mutex_);
  if (ended_ || waiting_.size() >= limits_.requests) return false;
  if (!waiting_.empty() && bytes_ + bytes > limits_.bytes) return false;
  waiting_.emplace(line_.join(needs), Waiting{std::move(message), bytes});
  bytes_ += bytes;
  changed_.notify_one();  // only take() waits as long as more may come
  return true;
}

McpQueue::Requests::iterator McpQueue::forget(Requests::iterator at) {
  bytes_ -= at->second.bytes;
  return waiting_.erase(at);
}

bool McpQueue::take_back(const Json& id) {
  const MutexLock lock(mutex_);
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    const Json* own = at->second.message.find("id");
    if (own == nullptr || *own != id) continue;
    line_.leave(at->first);
    forget(at);
    changed_.notify_all();
    return true;
  }
  return false;
}

std::optional<McpQueue::Given> McpQueue::take() {
  const MutexLock lock(mutex_);
  while (true) {
    if (const auto place = line_.next()) {
      const auto at = waiting_.find(*place);
      Given given{*place, std::move(at->second.message)};
      forget(at);
      running_.emplace(*place, ids_of(given.message));
      return given;
    }
    if (ended_ && waiting_.empty()) return std::nullopt;
    changed_.wait(mutex_);
  }
}

void McpQueue::done(serve::TurnLine::Place place) {
  const MutexLock lock(mutex_);
  line_.leave(place);
  running_.erase(place);
  if (ended_ || !waiting_.empty()) changed_.notify_all();
}

void McpQueue::end() {
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void McpQueue::drop() {
  const MutexLock lock(mutex_);
  ended_ = true;
  for (auto at = waiting_.begin(); at != waiting_.end(); at = forget(at)) line_.leave(at->first);
  changed_.notify_all();
}

bool McpQueue::finished_within(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  const MutexLock lock(mutex_);
  while (!waiting_.empty() || !running_.empty()) {
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) break;
  }
  return waiting_.empty() && running_.empty();
}

std::vector<Json> McpQueue::running() {
  const MutexLock lock(mutex_);
  std::vector<Json> ids;
  for (const auto& [place, own] : running_) ids.insert(ids.end(), own.begin(), own.end());
  return ids;
}

}  // namespace anima::cli
