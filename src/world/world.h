// A world: the daemons, the parts that its agents live in, and the time that moves them all.
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
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/random.h"
#include "world/message_bus.h"
#include "world/outside/web_page.h"
#include "world/records.h"
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
  // How the kingdom and its agents talk, from the secret of the world; empty: the local bus.
  std::function<Result<std::unique_ptr<MessageBus>>(const std::string& secret)> bus = {};
};

class World {
 public:
  // Errors: kInvalidArgument (the folder holds a world of another seed or size, or files that are
  // no world's), kConflict (its state is not where it is looked for), kNotFound (the key is
  // missing), kBusy (somebody runs it), kCorrupt, those of files, of open_postgres_state() and of
  // the bus.
  static Result<std::unique_ptr<World>> open(FileSystem& files, WorldOptions options, Mind& mind,
                                             Random& random);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::uint64_t seed() const;
  std::uint64_t cycle() const;  // the number of cycles that have ended
  std::uint64_t tick() const;   // within the cycle that runs
  // One tick, with what begins or ends a cycle there. Errors: kInternal (money was made or lost),
  // those of the store, of files and of the bus; the world cannot go on then.
  Status run_tick();
  // To the end of the cycle.
  Status run_cycle();
  Digest world_hash() const;                        // of now
  const std::vector<CycleRecord>& records() const;  // of the cycles that ended, oldest first
  void dismiss();  // parts elsewhere: the world has come to its end
  BusCounts bus_counts() const;

 private:
  struct Inside;
  explicit World(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

struct PartLife {
  BusCounts counts;
  std::uint64_t turns = 0;  // of its agents
};
// A part of a world in a process of its own, until the world has ended. Errors: those of PartLink.
Result<PartLife> live_as_part(NatsBusOptions options, Mind& mind, Random& random);

// What the keys of a world's agents and daemons follow from. Who knows the seed of a world knows
// them: a world that can be run again from its seed has no secrets.
std::string world_secret(std::uint64_t seed);

// All of it in one HTML file: goals, balances, reputation and peers over time.
std::string report_page(const std::vector<CycleRecord>& records, std::uint64_t seed);
Json to_json(const CycleRecord& record);

}  // namespace anima::world
