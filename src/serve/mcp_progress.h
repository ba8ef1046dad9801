// Progress of a call that was made with a progress token: told once at least, then at each interval
// until the call has ended, and never behind its answer. The same at both doors.
//
// Thread-safety: made and destroyed by one thread; `put` is called by another one, one message at a
// time. Ownership: what `put` works with outlives it. Source: MCP 2025-11-25, Progress.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/json/json.h"

namespace anima::serve {

// As long as it lives the call runs.
class McpProgress {
 public:
  using Put = std::function<void(const Json& message)>;

  McpProgress(Json token, std::chrono::milliseconds interval, Put put);
  ~McpProgress();
  McpProgress(const McpProgress&) = delete;
  McpProgress& operator=(const McpProgress&) = delete;

  // Null: nobody wants to know of this request's.
  static std::unique_ptr<McpProgress> of(const Json& message, std::chrono::milliseconds interval,
                                         Put put);

 private:
  void run();

  const Json token_;
  const std::chrono::milliseconds interval_;
  const Put put_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace anima::serve
