#include "serve/http/stream_keeper.h"

#include <utility>

#include "base/json/json.h"

namespace anima::serve::http {

std::string sse_event(std::string_view id, std::string_view name, std::string_view data) {
  std::string event;
  if (!id.empty()) event.append("id: ").append(id).append("\n");
  if (!name.empty()) event.append("event: ").append(name).append("\n");
  return event.append("data: ").append(data).append("\n\n");
}

std::string sse_farewell(std::string_view reason) {
  return sse_event({}, "end", Json::object({{"reason", reason}}).dump());
}

StreamKeeper::StreamKeeper(std::chrono::milliseconds tick, std::chrono::milliseconds silence)
    : tick_(tick), silence_(silence), thread_([this] { run(); }) {}

StreamKeeper::~StreamKeeper() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StreamKeeper::add(std::shared_ptr<Outlet> outlet, Step step) {
  {
    const std::lock_guard lock(mutex_);
    added_.push_back({std::move(outlet), std::move(step), Steady::now()});
  }
  changed_.notify_all();
}

void StreamKeeper::go_through(std::vector<Kept>& streams) const {
  for (Kept& each : streams) {
    if (each.outlet->is_over()) continue;
    const std::size_t before = each.outlet->waiting();
    if (each.step) each.step(*each.outlet);
    const Steady::time_point now = Steady::now();
    if (each.outlet->waiting() != before) {
      each.spoke = now;
    } else if (now - each.spoke >= silence_) {
      each.spoke = now;
      if (before == 0) each.outlet->put(": still here\n\n");
    }
  }
  std::erase_if(streams, [](const Kept& each) { return each.outlet->is_over(); });
}

void StreamKeeper::run() {
  std::vector<Kept> streams;
  std::unique_lock lock(mutex_);
  while (true) {
    const auto woken = [this] { return ended_ || !added_.empty(); };
    streams.empty() ? changed_.wait(lock, woken) : (void)changed_.wait_for(lock, tick_, woken);
    for (Kept& each : std::exchange(added_, {})) streams.push_back(std::move(each));
    if (ended_) break;
    lock.unlock();
    go_through(streams);
    lock.lock();
  }
  for (const Kept& each : streams) each.outlet->end("the server is ending");
}

}  // namespace anima::serve::http
