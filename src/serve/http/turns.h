// Which request is run next, of all that wait for a place.
//
// The callers take turns, so that one who sends many delays his own and not those of others; of one
// caller the oldest is first. The last free place is for a caller who has none, so one caller alone
// never has all of several. Thread-safety: none. Complexity: O(callers that wait) a step.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace anima::serve::http {

template <typename Job>
class Turns {
 public:
  // `places`: requests that run at once; at least one.
  explicit Turns(std::size_t places) : places_(places) {}

  void wait(const std::string& caller, Job job) {
    Share& share = shares_[caller];
    if (share.waiting.empty()) order_.push_back(caller);
    share.waiting.push_back(std::move(job));
  }

  // The next that may run, with its place taken; nullopt when none waits that may.
  std::optional<Job> next() {
    for (auto at = order_.begin(); at != order_.end() && running_ < places_; ++at) {
      Share& share = shares_[*at];
      if (share.running > 0 && running_ + 1 == places_) continue;
      Job job = std::move(share.waiting.front());
      share.waiting.pop_front();
      ++share.running;
      ++running_;
      if (!share.waiting.empty()) order_.push_back(*at);
      order_.erase(at);
      return job;
    }
    return std::nullopt;
  }

  // A request of this caller has given its place back.
  void done(const std::string& caller) {
    const auto at = shares_.find(caller);
    --running_;
    if (--at->second.running == 0 && at->second.waiting.empty()) shares_.erase(at);
  }

  // All that wait, which then do not any more.
  std::vector<Job> take_waiting() {
    std::vector<Job> jobs;
    for (const std::string& caller : std::exchange(order_, {})) {
      Share& share = shares_[caller];
      for (Job& job : share.waiting) jobs.push_back(std::move(job));
      share.waiting.clear();
      if (share.running == 0) shares_.erase(caller);
    }
    return jobs;
  }

 private:
  struct Share {
    std::size_t running = 0;
    std::deque<Job> waiting = {};
  };

  std::size_t places_, running_ = 0;
  std::map<std::string, Share> shares_;  // of callers with a request that runs or waits
  std::list<std::string> order_;         // callers with one that waits; the next first
};

}  // namespace anima::serve::http
