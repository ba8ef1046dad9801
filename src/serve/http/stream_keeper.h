// StreamKeeper: the thread that goes through the answers that go on (outlet.h), some times a
// second: it lets each do a step of its work, and keeps silent ones alive with a comment, by which
// a reader that has gone is noticed.
//
// Thread-safety: every function from any thread; the steps are called by its own thread, one after
// the other, and must not wait. The destructor ends the streams that are left. Source: HTML, 9.2
// Server-sent events.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serve/http/outlet.h"

namespace anima::serve::http {

// One event: "id: 12\nevent: change\ndata: {..}\n\n". Empty id and name are left out; the data is
// one line.
std::string sse_event(std::string_view id, std::string_view name, std::string_view data);
// The last event of a stream that the server ends: "end", with the reason.
std::string sse_farewell(std::string_view reason);

class StreamKeeper {
 public:
  using Step = std::function<void(Outlet&)>;
  StreamKeeper(std::chrono::milliseconds tick, std::chrono::milliseconds silence);
  ~StreamKeeper();
  StreamKeeper(const StreamKeeper&) = delete;
  StreamKeeper& operator=(const StreamKeeper&) = delete;

  // Until it is over. An empty step only keeps it alive.
  void add(std::shared_ptr<Outlet> outlet, Step step = nullptr);

 private:
  using Steady = std::chrono::steady_clock;
  struct Kept {
    std::shared_ptr<Outlet> outlet;
    Step step;
    Steady::time_point spoke;
  };
  void run();
  void go_through(std::vector<Kept>& streams) const;

  const std::chrono::milliseconds tick_, silence_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Kept> added_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace anima::serve::http
