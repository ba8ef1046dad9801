// /v1/events: what each entry of the log changes of the knowledge, as server-sent events, from
// where the reader left off.
//
// An event's id is the number of its entry, so that a reader who says it as Last-Event-ID misses
// nothing and reads nothing twice. Events are read from the log when the reader can take them: none
// waits in memory but the next. A reader who takes nothing for long is told so, and ends; so does
// one whose token or right is gone, which is looked at each second that has news. Thread-safety: a
// feed belongs to the thread that calls its steps. Ownership: shares the space. Complexity: O(what
// the entries wrote).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/json/json.h"
#include "base/result.h"
#include "serve/http/outlet.h"
#include "store/space.h"

namespace anima::serve::v1 {

// What one entry changed of the knowledge: {"sequence","time","author","source","trust","added",
// "removed"}, at most 1,000 lines of each; `more` counts the rest. Errors: kNotFound (it is not
// there, or its key is gone).
Result<Json> entry_json(store::Space& space, const store::Snapshot& now, store::Sequence entry);

struct FeedOptions {
  std::chrono::milliseconds slow{10'000};
  std::chrono::milliseconds look{1'000};  // how often `may` is asked
  std::function<Status()> may = {};       // whether the reader may still be told
};

class EventFeed {
 public:
  // `after`: the last entry that the reader knows of.
  EventFeed(std::shared_ptr<store::Space> space, store::Sequence after, FeedOptions options)
      : space_(std::move(space)), after_(after), options_(std::move(options)) {}

  // Puts in what the reader can take now.
  void step(http::Outlet& outlet);

 private:
  using Steady = std::chrono::steady_clock;

  bool is_slow(http::Outlet& outlet);
  bool may_go_on(Steady::time_point& asked, http::Outlet& outlet);
  // Of the entry behind `after_`; empty when it changed nothing of the knowledge.
  Result<std::string> next_event(const store::Snapshot& now);

  std::shared_ptr<store::Space> space_;
  store::Sequence after_;
  const FeedOptions options_;
  std::string next_;                          // an event for which there was no room yet
  std::size_t waited_ = 0;                    // bytes that waited for the reader at the last step
  Steady::time_point moved_ = Steady::now();  // when he took something, or nothing waited
  // When it was asked whether he may be told: before an event, and while none comes.
  Steady::time_point looked_{};  // the clock's beginning: not yet
  Steady::time_point idle_looked_ = Steady::now();
};

}  // namespace anima::serve::v1
