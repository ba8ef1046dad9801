// In which order requests to one memory begin: each as soon as none that came before it, and has
// not ended, needs the same for itself. So what was told is found by what was asked behind it, and
// whatever can be done side by side is. Nothing waits for ever: the first of the line may always
// begin. Both doors of MCP, and /v1, have their order from here.
//
// TurnLine has no thread-safety; HouseTurn is for any thread. Complexity: O(requests in the line).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <optional>

#include "base/mutex.h"

namespace anima::serve {

// What a request needs while it runs.
struct Needs {
  enum class Order : std::uint8_t {
    kNone,   // it may run at any time
    kRead,   // behind what was to be written before it came
    kWrite,  // behind everything that came before it, and before all that comes later
  };
  Order order = Order::kNone;
  bool house = false;  // works with what one thread at a time may use: house, asker, session

  bool none() const { return order == Order::kNone && !house; }
};

class TurnLine {
 public:
  using Place = std::uint64_t;  // a later one is greater

  Place join(Needs needs);
  // The first that may begin and has not: it has begun then.
  std::optional<Place> next();
  bool begun(Place place) const { return line_.at(place).begun; }
  // It has ended, or does not want to begin any more.
  void leave(Place place) { line_.erase(place); }

 private:
  struct Waits {
    Needs needs;
    bool begun = false;
  };
  std::map<Place, Waits> line_;
  Place last_ = 0;
};

// The line of those who wait on threads of their own: whose turn it is with the house.
class HouseTurn {
 public:
  // A turn, as long as it lives.
  class Held {
   public:
    Held(HouseTurn& turn, std::optional<TurnLine::Place> place) : turn_(turn), place_(place) {}
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    explicit operator bool() const { return place_.has_value(); }

   private:
    HouseTurn& turn_;
    const std::optional<TurnLine::Place> place_;
  };

  // False when it did not come in that time.
  [[nodiscard]] Held take(std::chrono::milliseconds limit) ANIMA_EXCLUDES(mutex_);

 private:
  void leave(TurnLine::Place place) ANIMA_REQUIRES(mutex_);

  Mutex mutex_;
  std::condition_variable_any changed_;
  TurnLine line_ ANIMA_GUARDED_BY(mutex_);
};

}  // namespace anima::serve
