// Listeners: events that are kept until a turn is over, then told in order, each to those who
// listen.
//
// One thread tells at a time; an event that comes meanwhile is told by it too, so that nobody hears
// two at once or out of order. Thread-safety: from any thread; handlers run without a lock.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "anima/calls.h"

namespace anima::detail {

class Listeners {
 public:
  Subscription add(std::string_view type, std::function<void(const Event&)> handler);
  void keep(Event event);  // nothing when nobody listens
  void tell();

 private:
  struct Listener {
    std::string type;
    std::function<void(const Event&)> handler;
  };
  std::vector<std::shared_ptr<Listener>> present();

  std::mutex mutex_;
  std::vector<std::weak_ptr<Listener>> listeners_;  // in the order of subscription
  std::deque<Event> waiting_;
  bool telling_ = false;
};

}  // namespace anima::detail
