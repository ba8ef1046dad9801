#include "world/event_bus.h"

#include <algorithm>

#include "base/json/message_pack_fields.h"

namespace anima::world {
namespace {

template <typename T>
bool lets_through(const std::vector<T>& list, const T& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

std::string signed_bytes(const Event& event) {
  std::string bytes = big_endian(event.id.lamport, 8);
  bytes += bytes_of(event.id.origin);
  bytes += big_endian(static_cast<std::uint64_t>(event.system), 1);
  bytes += big_endian(event.kind, 2);
  return bytes + event.payload.bytes;
}

bool EventFilter::matches(const Event& event) const {
  return lets_through(systems, event.system) && lets_through(kinds, event.kind) &&
         lets_through(origins, event.origin) && (!since || event.id > *since);
}

MemberId EventBus::join(const Identity& identity, BusMode mode) {
  members_.push_back({&identity, mode});
  return MemberId{members_.size() - 1};
}

Result<EventId> EventBus::publish(MemberId member, System system, EventKind kind,
                                  std::string payload, std::uint64_t timestamp,
                                  std::optional<EventId> parent) {
  const Member& who = members_.at(static_cast<std::size_t>(member));
  if (who.mode != BusMode::kNormal)
    return fail(ErrorCode::kDenied, who.mode == BusMode::kObserver
                                        ? "an observer cannot publish events"
                                        : "agents send messages; they publish no events");
  Event event;
  event.id = {lamport_ + 1, who.identity->id};
  event.timestamp = timestamp;
  event.origin = who.identity->id;
  event.system = system;
  event.kind = static_cast<std::uint16_t>(kind);
  event.payload.bytes = std::move(payload);
  event.parent = parent;
  event.signature = sign(who.identity->key, signed_bytes(event));
  if (sink_) ANIMA_TRY(sink_(event));
  ++lamport_;
  const EventId id = event.id;
  events_.push_back(std::move(event));
  return id;
}

Status EventBus::receive(Event event, const PublicKey& origin) {
  if (agent_id_of(origin) != event.id.origin || event.origin != event.id.origin ||
      !verify(origin, signed_bytes(event), event.signature))
    return fail(ErrorCode::kDenied, "an event is not signed by its origin", alias(event.origin));
  if (sink_) ANIMA_TRY(sink_(event));
  lamport_ = std::max(lamport_, event.id.lamport) + 1;
  const auto place =
      std::upper_bound(events_.begin(), events_.end(), event.id,
                       [](const EventId& id, const Event& each) { return id < each.id; });
  events_.insert(place, std::move(event));
  return {};
}

SubscriptionId EventBus::subscribe(MemberId, EventFilter filter) {
  const SubscriptionId id{next_subscription_++};
  const std::uint64_t from =
      filter.since ? filter.since->lamport - std::min<std::uint64_t>(filter.since->lamport, 1)
                   : lamport_;
  subscriptions_[id] = {std::move(filter), from};
  return id;
}

Status EventBus::unsubscribe(SubscriptionId subscription) {
  if (subscriptions_.erase(subscription) == 0)
    return fail(ErrorCode::kNotFound, "there is no such subscription");
  return {};
}

std::vector<const Event*> EventBus::read(SubscriptionId subscription) {
  const auto found = subscriptions_.find(subscription);
  std::vector<const Event*> out;
  if (found == subscriptions_.end()) return out;
  Subscription& reader = found->second;
  auto from = std::upper_bound(
      events_.begin(), events_.end(), reader.lamport,
      [](std::uint64_t lamport, const Event& each) { return lamport < each.id.lamport; });
  for (; from != events_.end(); ++from) {
    reader.lamport = from->id.lamport;
    if (reader.filter.matches(*from)) out.push_back(&*from);
  }
  return out;
}

std::vector<Event> EventBus::replay(const EventId& since, const EventFilter& filter) const {
  std::vector<Event> out;
  for (const Event& event : events_) {
    if (event.id > since && filter.matches(event)) out.push_back(event);
  }
  return out;
}

void EventBus::drop_read() {
  std::uint64_t read = lamport_;
  for (const auto& each : subscriptions_) read = std::min(read, each.second.lamport);
  while (!events_.empty() && events_.front().id.lamport <= read) events_.pop_front();
}

std::uint64_t EventBus::position(SubscriptionId subscription) const {
  const auto found = subscriptions_.find(subscription);
  return found == subscriptions_.end() ? lamport_ : found->second.lamport;
}

void EventBus::set_position(SubscriptionId subscription, std::uint64_t lamport) {
  const auto found = subscriptions_.find(subscription);
  if (found != subscriptions_.end()) found->second.lamport = lamport;
}

void EventBus::restore(Event event) {
  lamport_ = std::max(lamport_, event.id.lamport);
  events_.push_back(std::move(event));
}

}  // namespace anima::world
