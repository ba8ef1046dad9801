// EventBus: typed events between the rooms of one process.
//
// Handlers run in the order they subscribed; one that throws never stops the others (the failure
// becomes a `system:handler_error` event). Delivery is a first-in-first-out queue: an event emitted
// from inside a handler is appended, not recursed into, and security events go before the others
// that wait. With a sink, every event is handed to it, in the order emitted, before it is delivered
// and before emit() returns, so that a log can replay them. Sink and handlers run outside the lock
// of the bus and may emit and subscribe; what a sink emits is handed over when it is through.
// Thread-safety: emit() and subscribe() from any thread; handlers run on the thread that found the
// queue idle. Source: governance specification 1.3.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace anima::bus {

enum class Priority : std::uint8_t { kSecurity = 0, kNormal = 1, kAudit = 2 };

struct Event {
  std::string type;  // "guardian:assessment_complete"
  Json payload;
};

// Events named security:* are security events, audit:* audit events; all others are normal.
Priority priority_of(std::string_view type);

using Handler = std::function<void(const Event&)>;

// Ends its subscription when it goes.
class Subscription {
 public:
  Subscription() = default;
  explicit Subscription(std::function<void()> end) : end_(std::move(end)) {}
  Subscription(Subscription&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this != &other) {
      cancel();
      end_ = std::exchange(other.end_, nullptr);
    }
    return *this;
  }
  ~Subscription() { cancel(); }
  void cancel() {
    if (auto end = std::exchange(end_, nullptr)) end();
  }

 private:
  std::function<void()> end_;
};

class EventBus {
 public:
  explicit EventBus(Handler sink = nullptr);
  ~EventBus();

  // `type` is one event type, or "*" for all. Must not outlive the bus.
  [[nodiscard]] Subscription subscribe(std::string_view type, Handler handler);
  [[nodiscard]] Subscription once(std::string_view type, Handler handler);
  void emit(Event event);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace anima::bus
