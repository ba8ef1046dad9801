// The runtime of agents: observe, orient, decide, act, record, once a tick.
//
// It gives agents a mind, a post (how a frame gets to a daemon and its answer back), the events
// they listen to, and a store. An agent acts only by signed messages. Each tick spends exactly one
// of its budget, whatever comes of it. Source: source 002 4 and 10.1; governance_and_runtime 2.6.
// Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "world/citizen.h"
#include "world/event_bus.h"
#include "world/state_store.h"
#include "world/thinking.h"

namespace anima::world {

inline constexpr std::uint64_t kParseRetries = 2;
inline constexpr std::uint64_t kNopWarning = 3;
inline constexpr std::uint64_t kNopDormancy = 10;
inline constexpr std::size_t kMaxPlanSteps = 16;
inline constexpr std::uint64_t kStepFailures = 3;

struct Surroundings {
  // To the daemon of a system; its answer's frame, or nothing.
  std::function<std::optional<std::string>(System system, const std::string& frame)> post;
  std::function<AgentId(System system)> daemon;
  // Says whose key it is before its first message.
  std::function<void(const PublicKey& key)> introduce;
  KeyBook keys;
  EventBus* bus = nullptr;
  Mind* mind = nullptr;
  AgentStore* store = nullptr;         // may be null: then flush_memory and load fail
  const std::uint64_t* now = nullptr;  // tick
  SealKey seal{};                      // of the keys at rest
  Random* random = nullptr;            // for sealing
  std::function<void(const std::string&)> warn;
};

// What a tick cost in models, for the books of a world.
struct RuntimeCounts {
  std::uint64_t thinks = 0, nops = 0, messages = 0, failures = 0;
};

class Runtime {
 public:
  explicit Runtime(Surroundings around) : around_(std::move(around)) {}

  // The twelve calls of the source. Errors everywhere: kNotFound (no such agent), kConflict (it is
  // dormant or dead), kLimitExceeded (no ticks left, a full goal layer), those of the store.
  Result<AgentId> spawn(const Identity& identity, const Genome& genome, std::uint64_t initial_fund,
                        std::optional<AgentId> parent = {});
  // What it did, or nothing for a NOP.
  Result<std::optional<AgentAction>> tick(const AgentId& id);
  // Gives it that many ticks and uses them up, or until it sleeps.
  Status run_cycle(const AgentId& id, std::uint64_t tick_budget);
  Result<AgentStatus> status(const AgentId& id) const;
  Status set_status(const AgentId& id, AgentStatus status);
  Status inject_goal(const AgentId& id, const Goal& goal);
  Result<GoalStack> goals(const AgentId& id) const;
  Result<std::optional<Plan>> active_plan(const AgentId& id) const;
  Result<std::optional<PeerModel>> peer_model(const AgentId& id, const AgentId& peer) const;
  Status flush_memory(const AgentId& id);
  Result<Citizen> load(const AgentId& id);
  Result<std::uint64_t> nop_count(const AgentId& id) const;

  // A frame for an agent: ticks, the state of the world, results of what it asked for.
  void receive(const AgentId& id, const std::string& frame);
  // Reads the events since the last look. Every tick does; a world does it also for those that
  // have no ticks.
  void observe(const AgentId& id);
  // Working memory, beliefs, and what was not used of the budget.
  void end_cycle(const AgentId& id);
  // An agent of before; its events from `position` on are still to be read.
  void adopt(Citizen citizen, std::uint64_t position);
  std::uint64_t position(const AgentId& id) const;

  const Citizen* find(const AgentId& id) const;
  Citizen* find(const AgentId& id);
  std::vector<AgentId> agents() const;  // by id
  const RuntimeCounts& counts() const { return counts_; }

 private:
  struct Resident {
    Citizen citizen;
    SubscriptionId subscription{};
    std::string sealed;  // the key as it is kept, once it was
  };
  struct Reply {
    bool good = false;
    bool answered = false;
    std::string category;  // of an error
    MessagePack body;
  };

  // An event, read once for all who hear it, and whom it concerns.
  struct Told {
    std::optional<EventId> id;
    std::optional<MessagePack> body;
    bool everybody = false;
    std::vector<AgentId> concerned;
  };

  Result<Resident*> resident(const AgentId& id);
  const Told& told(const Event& event);
  void settle(Resident& resident);
  Reply send(Citizen& citizen, Message type, const MessagePack& body);
  void ask_balance(Citizen& citizen);
  void hear(Citizen& citizen, EventKind kind, const MessagePack& body);
  void hear_bounty(Citizen& citizen, EventKind kind, const MessagePack& body);
  void orient(Citizen& citizen);
  Goal* pursue(Citizen& citizen);
  std::optional<AgentAction> think(Citizen& citizen, const Goal* goal, bool plan_wanted);
  Outcome act(Citizen& citizen, const AgentAction& action, const Goal* goal);
  Outcome create_plan(Citizen& citizen, const AgentAction& action, const Goal* goal);
  void learn_results(Citizen& citizen, const MessageKind& kind, const MessagePack& body);
  void advance_plan(Citizen& citizen, const AgentAction& action, Outcome outcome);
  void give_up_plan(Citizen& citizen);
  void update_memory(Citizen& citizen, const AgentAction& action);
  void record(Citizen& citizen, const AgentAction* action, const Goal* goal, Outcome outcome);
  void count_nop(Citizen& citizen, bool nop);

  Surroundings around_;
  std::map<AgentId, std::unique_ptr<Resident>> residents_;
  std::vector<Told> told_;  // the newest, by their Lamport numbers
  RuntimeCounts counts_;
};

}  // namespace anima::world
