// The nexus: who is there, in what state, with how many ticks; proposals and votes; reputation; and
// the epochs of the world. Source: governance_and_runtime 2.5, 2.8. Thread-safety: one thread at a
// time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "world/daemons/daemon.h"

namespace anima::world {

inline constexpr std::uint64_t kIdleCyclesToDormancy = 10;
inline constexpr std::uint64_t kLeastActive = 4;
inline constexpr std::uint64_t kBankruptCycles = 5;
inline constexpr std::uint64_t kProposalCycles = 1;  // open until the end of the next cycle

// What a cycle gives at a budget when the balance was below zero for so many cycles.
std::uint64_t budget_after(std::uint64_t budget, std::uint64_t negative_cycles);
// Passed: more than half of the active voted, and more than 0.66 of the weight was for it.
bool passes(std::uint64_t voters, std::uint64_t active, double weight_for, double weight_against);

struct Registered {
  PublicKey public_key{};
  AgentRole role = AgentRole::kGeneralist;
  AgentStatus status = AgentStatus::kEmbryo;
  std::uint64_t spawned_cycle = 0;
  float reputation = 0;
  std::uint64_t quality = 0;       // approved work
  std::uint64_t contribution = 0;  // snapshots, entries, messages
  std::uint64_t governance = 0;    // proposals and votes
  std::uint64_t negative_cycles = 0;
  std::uint64_t last_write_cycle = 0;
  ANIMA_FIELDS(ANIMA_FIELD(public_key) ANIMA_FIELD(role) ANIMA_FIELD(status)
                   ANIMA_FIELD(spawned_cycle) ANIMA_FIELD(reputation) ANIMA_FIELD(quality)
                       ANIMA_FIELD(contribution) ANIMA_FIELD(governance)
                           ANIMA_FIELD(negative_cycles) ANIMA_FIELD(last_write_cycle))
};
struct Ballot {
  bool yes = false;
  float weight = 0;
  ANIMA_FIELDS(ANIMA_FIELD(yes) ANIMA_FIELD(weight))
};
struct Proposal {
  AgentId proposer{};
  ProposalKind kind = ProposalKind::kCustom;
  std::string title;
  std::uint64_t cycle = 0;
  bool open = true;
  bool passed = false;
  std::map<AgentId, Ballot> votes;
  ANIMA_FIELDS(ANIMA_FIELD(proposer) ANIMA_FIELD(kind) ANIMA_FIELD(title) ANIMA_FIELD(cycle)
                   ANIMA_FIELD(open) ANIMA_FIELD(passed) ANIMA_FIELD(votes))
};

class Nexus final : public Daemon {
 public:
  Nexus(Realm& realm, std::string_view secret);

  // Keys of agents that are about to spawn, so that their first message can be checked.
  void introduce(const PublicKey& key) { introduced_[agent_id_of(key)] = key; }
  std::optional<PublicKey> key_of(const AgentId& id) const;
  bool is_active(const AgentId& id) const;
  bool is_open(const Digest& proposal) const;
  const std::map<AgentId, Registered>& agents() const { return agents_; }
  Epoch epoch() const { return epoch_; }
  std::uint64_t active_count() const;
  Status set_status(const AgentId& id, AgentStatus status);

  void credit_quality(const AgentId& id);
  void credit_contribution(const AgentId& id);
  // Milestones that open the next epoch.
  void program_ran() { program_ran_ = true; }
  void dependency_made() { dependency_made_ = true; }
  void bounty_paid() { bounty_paid_ = true; }

  // Embryos that waited become active, and every active agent hears of its ticks and the world.
  void begin_cycle(const Digest& world_hash);
  // Reputation, bankruptcy, dormancy, proposals, epoch.
  void end_cycle();

  MessagePack state() const override;
  Status restore(const MessagePack& state) override;

 protected:
  Answer handle(const Request& request) override;

 private:
  Answer spawn(const Request& request);
  Answer status(const Request& request);
  Answer submit(const Request& request);
  Answer vote(const Request& request);
  void update_reputation();
  void check_balances();
  void decide_proposals();
  void advance_epoch();

  std::map<AgentId, PublicKey> introduced_;
  std::map<AgentId, Registered> agents_;
  std::map<Digest, Proposal> proposals_;
  Epoch epoch_ = 0;
  bool program_ran_ = false, dependency_made_ = false, bounty_paid_ = false;
};

}  // namespace anima::world
