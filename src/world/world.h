// A world: the bus, the daemons, the agents, and the time that moves them all.
//
// A cycle has 256 ticks. In each, what was asked for before is done, and every active agent with
// budget left acts once, in the order of the ids. When a cycle ends, everything is written in one
// transaction, with the place that the event segments had reached; a world that was killed goes on
// from there, and the same cycle comes out again, for nothing in it depends on the machine's clock
// or dice: ids, keys and slips follow from the seed, and what came from outside was kept
// (outside/outside.h). The world hash is of the states of the seven daemons that have one. Source:
// governance_and_runtime 2.5, 2.8. Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/random.h"
#include "world/outside/web_page.h"
#include "world/thinking.h"
#include "world/types.h"

namespace anima::world {

// Where the programs of a world run; what they leave is the same.
enum class MachinePlace : std::uint8_t {
  kHere,          // in this process
  kSandbox,       // in the sandbox of the tools, or the world does not open
  kWherePossible  // in the sandbox where this machine has it whole
};

struct WorldOptions {
  std::string folder;        // made when it is missing; what is in it goes on
  std::uint64_t agents = 8;  // at the beginning
  std::uint64_t seed = 0;
  std::uint64_t upkeep = 3;  // what an agent pays a cycle
  std::function<void(const std::string&)> warn;
  // Where the state is: an address of PostgreSQL (state_store.h); empty: world.db in the folder.
  // Events and the key of the seals are in the folder.
  std::string database = {};
  bool any_seed = false;  // a world that goes on keeps its own
  // A recording (outside/outside.h) that answers for models and pages; nobody else is asked then.
  std::optional<std::string> replay = {};
  // The way to the web and the hosts at its end (daemons/portal.h); none: the portal gets nothing.
  PageFetcher fetch = {};
  std::vector<std::string> hosts = {};
  MachinePlace machine = MachinePlace::kHere;
  bool lasting = true;  // false: nobody comes back to the folder; the knowledge is in memory
};

// What a cycle left, for reports.
struct AgentRecord {
  AgentId id{};
  AgentRole role = AgentRole::kGeneralist;
  AgentStatus status = AgentStatus::kEmbryo;
  std::int64_t balance = 0;
  double reputation = 0;
  std::uint64_t goals = 0;      // live
  std::uint64_t completed = 0;  // since the beginning
  std::uint64_t abandoned = 0;
  std::uint64_t beliefs = 0;
  double belief_confidence = 0;  // mean
  std::uint64_t peers = 0;
  double trust = 0;       // mean, in others
  double competence = 0;  // mean, of others

  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("id", self.id);
    visit("role", self.role);
    visit("status", self.status);
    visit("balance", self.balance);
    visit("reputation", self.reputation);
    visit("goals", self.goals);
    visit("completed", self.completed);
    visit("abandoned", self.abandoned);
    visit("beliefs", self.beliefs);
    visit("belief_confidence", self.belief_confidence);
    visit("peers", self.peers);
    visit("trust", self.trust);
    visit("competence", self.competence);
  }
};
struct CycleRecord {
  std::uint64_t cycle = 0;
  Digest world_hash{};
  Epoch epoch = 0;
  std::int64_t sum = 0;  // of all accounts
  std::int64_t supply = 0;
  std::int64_t treasury = 0;
  std::uint64_t events = 0;
  std::uint64_t messages = 0, thinks = 0, nops = 0, failures = 0;
  std::map<std::string, std::uint64_t> told;  // events by kind, those that the observer counts
  std::vector<AgentRecord> agents;            // by id

  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("cycle", self.cycle);
    visit("world_hash", self.world_hash);
    visit("epoch", self.epoch);
    visit("sum", self.sum);
    visit("supply", self.supply);
    visit("treasury", self.treasury);
    visit("events", self.events);
    visit("messages", self.messages);
    visit("thinks", self.thinks);
    visit("nops", self.nops);
    visit("failures", self.failures);
    visit("told", self.told);
    visit("agents", self.agents);
  }
};

class World {
 public:
  // Errors: kInvalidArgument (the folder holds a world of another seed or size, or files that are
  // no world's), kConflict (its state is not where it is looked for), kNotFound (the key is
  // missing), kBusy (somebody runs it), kCorrupt, those of files and of open_postgres_state().
  static Result<std::unique_ptr<World>> open(FileSystem& files, WorldOptions options, Mind& mind,
                                             Random& random);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::uint64_t seed() const;
  std::uint64_t cycle() const;  // the number of cycles that have ended
  std::uint64_t tick() const;   // within the cycle that runs
  // One tick, with what begins or ends a cycle there. Errors: kInternal (money was made or lost),
  // those of the store and of files; the world cannot go on then.
  Status run_tick();
  // To the end of the cycle.
  Status run_cycle();
  Digest world_hash() const;                        // of now
  const std::vector<CycleRecord>& records() const;  // of the cycles that ended, oldest first

 private:
  struct Inside;
  explicit World(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

// All of it in one HTML file: goals, balances, reputation and peers over time.
std::string report_page(const std::vector<CycleRecord>& records, std::uint64_t seed);
Json to_json(const CycleRecord& record);

}  // namespace anima::world
