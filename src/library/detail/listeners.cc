#include "library/detail/listeners.h"

#include <exception>

namespace anima::detail {
namespace {

bool concerns(const std::string& wanted, const std::string& type) {
  if (wanted == "*" || wanted == type) return true;
  return wanted.ends_with(':') && type.starts_with(wanted);
}

// What a handler threw; empty: nothing.
std::string failure_of(const std::function<void(const Event&)>& handler, const Event& event) {
  try {
    handler(event);
    return {};
  } catch (const std::exception& thrown) {
    return *thrown.what() == 0 ? "an exception" : thrown.what();
  } catch (...) {
    return "an exception";
  }
}

}  // namespace

Subscription Listeners::add(std::string_view type, std::function<void(const Event&)> handler) {
  auto listener = std::make_shared<Listener>(Listener{std::string(type), std::move(handler)});
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& each) { return each.expired(); });
  listeners_.push_back(listener);
  return Subscription(std::move(listener));
}

void Listeners::keep(Event event) {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& each) { return each.expired(); });
  if (!listeners_.empty()) waiting_.push_back(std::move(event));
}

std::vector<std::shared_ptr<Listeners::Listener>> Listeners::present() {
  std::vector<std::shared_ptr<Listener>> present;
  for (const auto& each : listeners_) {
    if (auto listener = each.lock()) present.push_back(std::move(listener));
  }
  return present;
}

void Listeners::tell() {
  std::unique_lock lock(mutex_);
  if (std::exchange(telling_, true)) return;
  while (!waiting_.empty()) {
    const Event event = std::move(waiting_.front());
    waiting_.pop_front();
    const auto listeners = present();
    lock.unlock();
    std::vector<Event> failures;
    for (const auto& listener : listeners) {
      if (!concerns(listener->type, event.type)) continue;
      const std::string failure = failure_of(listener->handler, event);
      if (failure.empty() || event.type == "system:handler_error") continue;
      failures.push_back(
          {"system:handler_error", Json::object({{"event", event.type}, {"error", failure}})});
    }
    lock.lock();
    for (Event& failure : failures) waiting_.push_back(std::move(failure));
  }
  telling_ = false;
}

}  // namespace anima::detail
