#include "bus/event_bus.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace anima::bus {

Priority priority_of(std::string_view type) {
  if (type.starts_with("security:")) return Priority::kSecurity;
  return type.starts_with("audit:") ? Priority::kAudit : Priority::kNormal;
}

namespace {

constexpr std::string_view kHandlerError = "system:handler_error";

// The error that a handler threw, or empty.
std::string call(const Handler& handler, const Event& event) {
  try {
    handler(event);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

Event failure_of(const Event& event, std::string error) {
  return {std::string(kHandlerError),
          Json::object({{"event", event.type}, {"error", std::move(error)}})};
}

}  // namespace

struct EventBus::State {
  struct Subscriber {
    std::uint64_t id;
    std::string type;
    std::shared_ptr<Handler> handler;
  };

  std::mutex mutex;  // nobody is called under it
  Handler sink;
  std::deque<Event> arrived;  // not handed to the sink yet, in the order emitted
  std::uint64_t emitted = 0, sunk = 0;
  std::thread::id sinker;  // who hands them over, if somebody does
  std::condition_variable sunk_more;
  std::vector<Subscriber> subscribers;  // in subscription order
  std::array<std::deque<Event>, 3> queues;
  std::uint64_t next_id = 1;
  bool delivering = false;

  bool take(Event& event) {
    for (auto& queue : queues) {
      if (queue.empty()) continue;
      event = std::move(queue.front());
      queue.pop_front();
      return true;
    }
    return false;
  }

  std::vector<std::shared_ptr<Handler>> handlers_for(std::string_view type) {
    std::vector<std::shared_ptr<Handler>> handlers;
    for (const Subscriber& subscriber : subscribers) {
      if (subscriber.type == "*" || subscriber.type == type) handlers.push_back(subscriber.handler);
    }
    return handlers;
  }

  // Under the lock. An event lies in its queue once the sink has it.
  void enqueue(Event event) {
    queues[static_cast<std::size_t>(priority_of(event.type))].push_back(std::move(event));
  }

  bool is_sinking() const { return sinker == std::this_thread::get_id(); }

  // Returns when the sink has the event: from this thread, or from the one that is at it. A sink
  // that emits does not wait for itself.
  void take_in(std::unique_lock<std::mutex>& lock, Event arriving) {
    arrived.push_back(std::move(arriving));
    const std::uint64_t mine = ++emitted;
    if (is_sinking()) return;
    sunk_more.wait(lock, [&] { return sunk >= mine || sinker == std::thread::id(); });
    if (sunk >= mine) return;
    sinker = std::this_thread::get_id();
    while (!arrived.empty()) {
      Event event = std::move(arrived.front());
      arrived.pop_front();
      std::string failure;
      if (sink) {
        lock.unlock();
        failure = call(sink, event);
        lock.lock();
      }
      ++sunk;
      sunk_more.notify_all();
      const bool tells = !failure.empty() && event.type != kHandlerError;
      Event told = tells ? failure_of(event, std::move(failure)) : Event();
      enqueue(std::move(event));
      if (tells) enqueue(std::move(told));
    }
    sinker = {};
    sunk_more.notify_all();
  }
};

EventBus::EventBus(Handler sink) : state_(std::make_shared<State>()) {
  state_->sink = std::move(sink);
}
EventBus::~EventBus() = default;

Subscription EventBus::subscribe(std::string_view type, Handler handler) {
  const std::lock_guard lock(state_->mutex);
  const std::uint64_t id = state_->next_id++;
  state_->subscribers.push_back(
      {id, std::string(type), std::make_shared<Handler>(std::move(handler))});
  return Subscription([weak = std::weak_ptr<State>(state_), id] {
    if (const auto state = weak.lock()) {
      const std::lock_guard guard(state->mutex);
      std::erase_if(state->subscribers,
                    [id](const auto& subscriber) { return subscriber.id == id; });
    }
  });
}

Subscription EventBus::once(std::string_view type, Handler handler) {
  auto done = std::make_shared<std::atomic_flag>();
  return subscribe(type, [done, handler = std::move(handler)](const Event& event) {
    if (!done->test_and_set()) handler(event);
  });
}

void EventBus::emit(Event event) {
  std::unique_lock lock(state_->mutex);
  state_->take_in(lock, std::move(event));
  if (state_->delivering || state_->is_sinking()) return;
  state_->delivering = true;
  for (Event next; state_->take(next);) {
    const auto handlers = state_->handlers_for(next.type);
    lock.unlock();
    std::vector<std::string> failures;
    for (const auto& handler : handlers) {
      if (std::string failure = call(*handler, next); !failure.empty())
        failures.push_back(std::move(failure));
    }
    lock.lock();
    if (next.type == kHandlerError) continue;
    for (std::string& failure : failures)
      state_->take_in(lock, failure_of(next, std::move(failure)));
  }
  state_->delivering = false;
}

}  // namespace anima::bus
