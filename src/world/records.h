// What a cycle of a world left, for reports and for going on. Kept: add fields, never rename one.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "world/types.h"

namespace anima::world {

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

}  // namespace anima::world
