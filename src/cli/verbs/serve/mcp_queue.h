// The requests of one client that wait or run: each is given out as soon as those before it let it
// begin (serve/turn_line.h). Bounded: what is too much is not taken, and nobody waits to put it.
//
// Thread-safety: every function from any thread. Complexity: O(requests that wait or run).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/json/json.h"
#include "base/mutex.h"
#include "serve/turn_line.h"

namespace anima::cli {

class McpQueue {
 public:
  struct Limits {
    std::size_t requests = 1024;  // that wait
    std::size_t bytes = std::size_t{32} << 20;
  };
  struct Given {
    serve::TurnLine::Place place;
    Json message;
  };

  explicit McpQueue(Limits limits) : limits_(limits) {}

  // Takes the message over; false: too many wait, and it is still the caller's. `bytes`: of it as
  // it came.
  bool put(Json& message, std::size_t bytes, serve::Needs needs) ANIMA_EXCLUDES(mutex_);
  // True: the request of that id had not begun, and is gone.
  bool take_back(const Json& id) ANIMA_EXCLUDES(mutex_);
  // Waits for one that may begin; nothing: none will any more.
  std::optional<Given> take() ANIMA_EXCLUDES(mutex_);
  // One that was given has ended.
  void done(serve::TurnLine::Place place) ANIMA_EXCLUDES(mutex_);
  // No other will be put; those that wait are given yet.
  void end() ANIMA_EXCLUDES(mutex_);
  // They neither.
  void drop() ANIMA_EXCLUDES(mutex_);
  // When no other will be put: whether all have ended, after this time at the latest.
  bool finished_within(std::chrono::milliseconds limit) ANIMA_EXCLUDES(mutex_);
  // The ids of the requests that run.
  std::vector<Json> running() ANIMA_EXCLUDES(mutex_);

 private:
  struct Waiting {
    Json message;
    std::size_t bytes = 0;
  };
  using Requests = std::map<serve::TurnLine::Place, Waiting>;
  Requests::iterator forget(Requests::iterator at) ANIMA_REQUIRES(mutex_);

  const Limits limits_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  serve::TurnLine line_ ANIMA_GUARDED_BY(mutex_);
  Requests waiting_ ANIMA_GUARDED_BY(mutex_);
  std::size_t bytes_ ANIMA_GUARDED_BY(mutex_) = 0;  // of what waits
  std::map<serve::TurnLine::Place, std::vector<Json>> running_ ANIMA_GUARDED_BY(mutex_);  // ids
  bool ended_ ANIMA_GUARDED_BY(mutex_) = false;
};

}  // namespace anima::cli
