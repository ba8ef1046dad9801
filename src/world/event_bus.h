// The events of a world: what happened, in one order, signed by the daemon that says so.
//
// Order: the Lamport number first, then the origin's bytes. The bus is append-only: publish() gives
// an event its number, receive() takes one from another bus and moves the own clock beyond it.
// Members publish or observe: an observer hears everything and can say nothing, and nobody can tell
// that it is there. An agent is a member that may listen only: agents send messages, and daemons
// tell what came of them. A listener reads at its own pace; drop_read() lets go of what all have
// read, and the segments (event_log.h) keep it. Source: governance_and_runtime 2.4.
// Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "world/identity.h"
#include "world/messages.h"
#include "world/types.h"

namespace anima::world {

struct EventId {
  std::uint64_t lamport = 0;
  AgentId origin{};
  auto operator<=>(const EventId&) const = default;
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lamport", self.lamport);
    visit("agent_id", self.origin);
  }
};

struct Event {
  EventId id;
  std::uint64_t timestamp = 0;  // tick
  AgentId origin{};
  System system = System::kNexus;
  std::uint16_t kind = 0;
  Binary payload;  // MessagePack
  Signature signature{};
  std::optional<EventId> parent;

  EventKind known_kind() const { return static_cast<EventKind>(kind); }
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("id", self.id);
    visit("timestamp", self.timestamp);
    visit("origin", self.origin);
    visit("system", self.system);
    visit("kind", self.kind);
    visit("payload", self.payload);
    visit("signature", self.signature);
    visit("parent", self.parent);
  }
};

// What is signed: u64 lamport, the origin's 32 bytes, u8 system, u16 kind (high bytes first), the
// payload.
std::string signed_bytes(const Event& event);

// Each list that is empty lets everything through; all three must let an event through.
struct EventFilter {
  std::vector<System> systems;
  std::vector<std::uint16_t> kinds;
  std::vector<AgentId> origins;
  std::optional<EventId> since;  // exclusive
  bool matches(const Event& event) const;
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("systems", self.systems);
    visit("kinds", self.kinds);
    visit("origins", self.origins);
    visit("since", self.since);
  }
};

enum class BusMode : std::uint8_t { kNormal, kListener, kObserver };
enum class MemberId : std::uint64_t {};
enum class SubscriptionId : std::uint64_t {};

class EventBus {
 public:
  // Hears of every event as it is published, before anybody reads it; for the segments.
  using Sink = std::function<Status(const Event&)>;
  explicit EventBus(std::uint64_t lamport = 0) : lamport_(lamport) {}
  void set_sink(Sink sink) { sink_ = std::move(sink); }

  // Requires that the identity outlives the bus.
  MemberId join(const Identity& identity, BusMode mode);

  // Errors: kDenied (an observer, or an agent), those of the sink.
  Result<EventId> publish(MemberId member, System system, EventKind kind, std::string payload,
                          std::uint64_t timestamp, std::optional<EventId> parent = {});
  // From another bus. Errors: kDenied (a signature that is not the origin's).
  Status receive(Event event, const PublicKey& origin);

  SubscriptionId subscribe(MemberId member, EventFilter filter);
  // Errors: kNotFound.
  Status unsubscribe(SubscriptionId subscription);
  // What came since the last read, in order; nothing for a subscription that is not there.
  std::vector<const Event*> read(SubscriptionId subscription);
  // Everything held after `since`, in order.
  std::vector<Event> replay(const EventId& since, const EventFilter& filter) const;
  std::uint64_t current_lamport() const { return lamport_; }
  // Every event that all subscriptions have read goes; who is far behind holds it back.
  void drop_read();
  // How far a subscription has read, and back to there: for a world that goes on.
  std::uint64_t position(SubscriptionId subscription) const;
  void set_position(SubscriptionId subscription, std::uint64_t lamport);
  // An event of before, from the segments, or of the kingdom whose events these are; in order.
  void restore(Event event);

 private:
  struct Member {
    const Identity* identity;
    BusMode mode;
  };
  struct Subscription {
    EventFilter filter;
    std::uint64_t lamport = 0;  // of the last event read
  };

  std::uint64_t lamport_;
  Sink sink_;
  std::vector<Member> members_;
  std::map<SubscriptionId, Subscription> subscriptions_;
  std::uint64_t next_subscription_ = 1;
  std::deque<Event> events_;  // by id
};

}  // namespace anima::world
