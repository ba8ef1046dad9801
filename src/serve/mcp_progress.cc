#include "serve/mcp_progress.h"

#include <cstdint>
#include <utility>

#include "serve/mcp_protocol.h"

namespace anima::serve {

McpProgress::McpProgress(Json token, std::chrono::milliseconds interval, Put put)
    : token_(std::move(token)),
      interval_(interval),
      put_(std::move(put)),
      thread_([this] { run(); }) {}

McpProgress::~McpProgress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::unique_ptr<McpProgress> McpProgress::of(const Json& message,
                                             std::chrono::milliseconds interval, Put put) {
  const Json* token = mcp_meta(message, "progressToken");
  if (token == nullptr || !(token->is_string() || token->is_integer())) return nullptr;
  return std::make_unique<McpProgress>(*token, interval, std::move(put));
}

void McpProgress::run() {
  std::unique_lock lock(mutex_);
  std::int64_t told = 0;
  // Once at least: the call may have ended before this thread began.
  do {
    const Json params = Json::object({{"progressToken", token_}, {"progress", ++told}});
    put_(Json::object(
        {{"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", params}}));
    changed_.wait_for(lock, interval_, [this] { return ended_; });
  } while (!ended_);
}

}  // namespace anima::serve
