// RunningCalls: the requests that are on their way, so that a client can take one back.
//
// A request is named by its JSON-RPC id. A cancellation may overtake its request, when the
// transport reads ahead: the newest 64 of those are kept, and end the request as soon as it begins.
// Thread-safety: every function from any thread. Complexity: of the requests that run.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/json/json.h"

namespace anima::serve {

class RunningCalls {
 public:
  // Notes a request as long as it lives.
  class Entry {
   public:
    Entry(RunningCalls& calls, const Json& id);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    std::stop_token stop() const { return source_.get_token(); }

   private:
    RunningCalls& calls_;
    std::stop_source source_;
    std::multimap<std::string, std::stop_source>::iterator at_;
  };

  void cancel(const Json& id);

 private:
  static constexpr std::size_t kMostEarly = 64;
  std::mutex mutex_;
  std::multimap<std::string, std::stop_source> running_;
  std::deque<std::string> early_;  // cancelled before they came
};

}  // namespace anima::serve
