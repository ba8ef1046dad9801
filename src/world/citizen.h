// An agent of a world: every structure of source 002 section 3, and what has to be kept beside them
// so that it goes on after a restart. Source: source 002 3; governance_and_runtime 2.6.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/json/message_pack.h"
#include "world/envelope.h"
#include "world/event_bus.h"
#include "world/types.h"

namespace anima::world {

inline constexpr std::size_t kWorkingMemoryMax = 65'536;
inline constexpr std::size_t kMaxAspirations = 8, kMaxObjectives = 32, kMaxTasks = 64;

#define ANIMA_FIELDS(...)                         \
  template <typename Self, typename Visit>        \
  static void fields(Self& self, Visit&& visit) { \
    __VA_ARGS__                                   \
  }
#define ANIMA_FIELD(name) visit(#name, self.name);

// Each from 0 to 1.
struct Traits {
  float risk_tolerance = 0.5F;    // conservative .. experimental
  float collaboration = 0.5F;     // alone .. in teams
  float depth_vs_breadth = 0.5F;  // specialist .. generalist
  float quality_vs_speed = 0.5F;  // perfectionist .. ships fast
  ANIMA_FIELDS(ANIMA_FIELD(risk_tolerance) ANIMA_FIELD(collaboration) ANIMA_FIELD(depth_vs_breadth)
                   ANIMA_FIELD(quality_vs_speed))
};

struct Genome {
  AgentRole role = AgentRole::kGeneralist;
  Traits traits;
  std::vector<Digest> knowledge_seeds;
  ANIMA_FIELDS(ANIMA_FIELD(role) ANIMA_FIELD(traits) ANIMA_FIELD(knowledge_seeds))
};
// The eight of source 002 10.8, and from the ninth on the same again.
Genome seed_genome(std::size_t number);

// What an experience was about; an experience holds it as MessagePack.
struct ActionRecord {
  std::string kind;         // of the action
  std::string tag;          // the main tag of the goal
  Digest parameters{};      // their hash
  std::uint64_t count = 1;  // of a summary
  ANIMA_FIELDS(ANIMA_FIELD(kind) ANIMA_FIELD(tag) ANIMA_FIELD(parameters) ANIMA_FIELD(count))
};

struct Experience {
  std::uint64_t tick = 0;
  Binary action;
  Outcome outcome = Outcome::kUnknown;
  Binary lesson;
  ANIMA_FIELDS(ANIMA_FIELD(tick) ANIMA_FIELD(action) ANIMA_FIELD(outcome) ANIMA_FIELD(lesson))
};

struct Belief {
  std::string claim;
  float confidence = 0.5F;
  std::vector<Digest> evidence;
  std::uint64_t formed_at = 0;
  std::uint64_t last_tested = 0;
  ANIMA_FIELDS(ANIMA_FIELD(claim) ANIMA_FIELD(confidence) ANIMA_FIELD(evidence)
                   ANIMA_FIELD(formed_at) ANIMA_FIELD(last_tested))
};

struct PeerModel {
  AgentId agent_id{};
  float competence = 0.5F;
  float reliability = 0.5F;
  std::vector<std::string> interests;  // newest last
  std::uint64_t last_interaction = 0;
  std::uint64_t successes = 0;
  std::uint64_t interactions = 0;
  ANIMA_FIELDS(ANIMA_FIELD(agent_id) ANIMA_FIELD(competence) ANIMA_FIELD(reliability)
                   ANIMA_FIELD(interests) ANIMA_FIELD(last_interaction) ANIMA_FIELD(successes)
                       ANIMA_FIELD(interactions))
};

struct KnowledgeNode {
  Digest id{};
  std::string label;
  std::string content;
  KnowledgeSource source = KnowledgeSource::kExperience;
  float confidence = 0.5F;
  ANIMA_FIELDS(ANIMA_FIELD(id) ANIMA_FIELD(label) ANIMA_FIELD(content) ANIMA_FIELD(source)
                   ANIMA_FIELD(confidence))
};
struct KnowledgeEdge {
  Digest from{}, to{};
  std::string relation;
  float weight = 1;
  ANIMA_FIELDS(ANIMA_FIELD(from) ANIMA_FIELD(to) ANIMA_FIELD(relation) ANIMA_FIELD(weight))
};
struct KnowledgeGraph {
  std::vector<KnowledgeNode> nodes;
  std::vector<KnowledgeEdge> edges;
  ANIMA_FIELDS(ANIMA_FIELD(nodes) ANIMA_FIELD(edges))
};

struct Goal {
  Digest id{};
  GoalLayer layer = GoalLayer::kTask;
  GoalSource source = GoalSource::kSurvival;
  std::string description;
  double priority = 0;
  GoalStatus status = GoalStatus::kPending;
  std::uint64_t created_at = 0;
  std::optional<std::uint64_t> deadline;
  ANIMA_FIELDS(ANIMA_FIELD(id) ANIMA_FIELD(layer) ANIMA_FIELD(source) ANIMA_FIELD(description)
                   ANIMA_FIELD(priority) ANIMA_FIELD(status) ANIMA_FIELD(created_at)
                       ANIMA_FIELD(deadline))
};
// What a goal is about, which its table has no columns for.
struct GoalNotes {
  std::string kind;               // "bounty", "review", "role", ..
  std::vector<std::string> tags;  // the main one first
  std::optional<Digest> subject;  // a bounty, a repository, ..
  std::optional<AgentId> partner;
  double reward = 0;  // of the bounty
  double social = 0.2;
  bool urgent = false;
  std::uint64_t effort = 0;  // ticks spent
  std::uint64_t earned = 0;
  std::uint32_t abandoned_plans = 0;
  ANIMA_FIELDS(ANIMA_FIELD(kind) ANIMA_FIELD(tags) ANIMA_FIELD(subject) ANIMA_FIELD(partner)
                   ANIMA_FIELD(reward) ANIMA_FIELD(social) ANIMA_FIELD(urgent) ANIMA_FIELD(effort)
                       ANIMA_FIELD(earned) ANIMA_FIELD(abandoned_plans))
};

struct GoalStack {
  std::vector<Goal> aspirations, objectives, tasks;
  std::vector<Goal>& layer(GoalLayer layer);
  const std::vector<Goal>& layer(GoalLayer layer) const;
  Goal* find(const Digest& id);
  const Goal* find(const Digest& id) const;
  // Pending or active ones of all layers.
  std::vector<const Goal*> live() const;
  ANIMA_FIELDS(ANIMA_FIELD(aspirations) ANIMA_FIELD(objectives) ANIMA_FIELD(tasks))
};

// What an agent does: as a model answers it.
struct AgentAction {
  std::string action;
  Json params;
  std::string reasoning;
  std::optional<Json> memory_update;
};

struct PlanStep {
  std::string action;                       // its name
  std::string params;                       // JSON; "$name" stands for what an earlier step brought
  std::optional<std::string> precondition;  // the name of what must be known before
  std::optional<std::string> postcondition;
  std::uint64_t estimated_ticks = 1;
  ANIMA_FIELDS(ANIMA_FIELD(action) ANIMA_FIELD(params) ANIMA_FIELD(precondition)
                   ANIMA_FIELD(postcondition) ANIMA_FIELD(estimated_ticks))
};
struct Plan {
  Digest goal{};
  std::vector<PlanStep> steps;
  std::vector<Digest> dependencies;
  std::uint64_t estimated_ticks = 0;
  std::uint64_t estimated_cost = 0;
  float risk_assessment = 0;
  PlanStatus status = PlanStatus::kDraft;
  // How far it is.
  std::uint64_t next_step = 0;
  std::uint64_t failures = 0;  // of that step
  std::uint64_t ticks_used = 0;
  std::uint64_t waiting_since = 0;  // the tick since which a precondition is unmet; 0: none is
  ANIMA_FIELDS(ANIMA_FIELD(goal) ANIMA_FIELD(steps) ANIMA_FIELD(dependencies)
                   ANIMA_FIELD(estimated_ticks) ANIMA_FIELD(estimated_cost)
                       ANIMA_FIELD(risk_assessment) ANIMA_FIELD(status) ANIMA_FIELD(next_step)
                           ANIMA_FIELD(failures) ANIMA_FIELD(ticks_used) ANIMA_FIELD(waiting_since))
};

struct Satisfaction {
  Digest goal{};
  Outcome outcome = Outcome::kUnknown;
  std::uint64_t reward_actual = 0;
  std::uint64_t reward_expected = 0;
  float reputation_delta = 0;
  float novelty_score = 0;
  std::uint64_t effort = 0;
  ANIMA_FIELDS(ANIMA_FIELD(goal) ANIMA_FIELD(outcome) ANIMA_FIELD(reward_actual)
                   ANIMA_FIELD(reward_expected) ANIMA_FIELD(reputation_delta)
                       ANIMA_FIELD(novelty_score) ANIMA_FIELD(effort))
};

struct Task {
  Digest goal_id{};
  std::optional<std::uint64_t> plan_step_index;
  std::string action;
  std::uint64_t ticks_used = 0;
  std::uint64_t tick_limit = kTicksPerCycle;
  ANIMA_FIELDS(ANIMA_FIELD(goal_id) ANIMA_FIELD(plan_step_index) ANIMA_FIELD(action)
                   ANIMA_FIELD(ticks_used) ANIMA_FIELD(tick_limit))
};

struct AgentMemory {
  std::string working;  // at most kWorkingMemoryMax bytes
  KnowledgeGraph knowledge;
  std::vector<Experience> experiences;
  std::vector<Belief> beliefs;
  std::optional<Plan> active_plan;
  std::vector<Plan> plan_history;  // the newest kPlanHistory
  std::map<AgentId, PeerModel> peer_model;
  ANIMA_FIELDS(ANIMA_FIELD(working) ANIMA_FIELD(knowledge) ANIMA_FIELD(experiences)
                   ANIMA_FIELD(beliefs) ANIMA_FIELD(active_plan) ANIMA_FIELD(plan_history)
                       ANIMA_FIELD(peer_model))
};
inline constexpr std::size_t kPlanHistory = 64;

// What an agent has heard of a bounty.
struct KnownBounty {
  AgentId creator{};
  AgentId claimer{};
  Digest submission{};
  std::uint64_t reward = 0;
  std::uint64_t difficulty = 0;
  std::uint64_t deadline = 0;
  std::uint64_t expected = 0;
  std::vector<std::string> tags;
  std::string state = "open";  // open, claimed, submitted, completed, expired
  ANIMA_FIELDS(ANIMA_FIELD(creator) ANIMA_FIELD(claimer) ANIMA_FIELD(submission) ANIMA_FIELD(reward)
                   ANIMA_FIELD(difficulty) ANIMA_FIELD(deadline) ANIMA_FIELD(expected)
                       ANIMA_FIELD(tags) ANIMA_FIELD(state))
};

// Beside the structures of the source: table agent.runtime_state.
struct RuntimeState {
  std::uint64_t spawn_tick = 0;
  AgentStatus status = AgentStatus::kEmbryo;
  Genome genome;
  float reputation = 0;
  std::int64_t balance = 0;
  std::uint64_t tick_budget = 0;
  std::uint64_t nop_count = 0;
  std::uint64_t sequence = 0;  // of messages sent
  std::uint64_t cycle = 0;
  Epoch epoch = 0;
  double cycles_without_new = 0;
  bool new_this_cycle = false;
  bool keep_working = false;
  std::optional<Task> task;
  std::map<Digest, GoalNotes> notes;
  std::map<std::string, double> learned_reward;  // by source and kind
  std::map<Digest, KnownBounty> bounties;
  std::map<Digest, std::string> entries;       // of others, not looked at: their titles
  std::map<Digest, std::string> proposals;     // open, not voted on: their titles
  std::map<std::string, std::string> results;  // what earlier steps brought: "object", "snap", ..
  // Of all experiences, also those that were merged: how often each "action/tag" was done, and how
  // often something with a tag succeeded.
  std::map<std::string, std::uint64_t> done, able;
  std::vector<std::string> recent;          // the newest actions, oldest first
  std::vector<Satisfaction> satisfactions;  // of the newest goals that ended
  std::uint64_t goals_completed = 0, goals_abandoned = 0;
  std::uint64_t asked_balance = 0;  // in this cycle (number + 1)
  ReplayGuard replays;
  std::vector<EventFilter> subscriptions;
  ANIMA_FIELDS(
      ANIMA_FIELD(spawn_tick) ANIMA_FIELD(status) ANIMA_FIELD(genome) ANIMA_FIELD(reputation)
          ANIMA_FIELD(balance) ANIMA_FIELD(tick_budget) ANIMA_FIELD(nop_count) ANIMA_FIELD(sequence)
              ANIMA_FIELD(cycle) ANIMA_FIELD(epoch) ANIMA_FIELD(cycles_without_new)
                  ANIMA_FIELD(new_this_cycle) ANIMA_FIELD(keep_working) ANIMA_FIELD(task)
                      ANIMA_FIELD(notes) ANIMA_FIELD(learned_reward) ANIMA_FIELD(bounties)
                          ANIMA_FIELD(entries) ANIMA_FIELD(proposals) ANIMA_FIELD(results)
                              ANIMA_FIELD(done) ANIMA_FIELD(able) ANIMA_FIELD(recent)
                                  ANIMA_FIELD(satisfactions) ANIMA_FIELD(goals_completed)
                                      ANIMA_FIELD(goals_abandoned) ANIMA_FIELD(asked_balance)
                                          ANIMA_FIELD(replays) ANIMA_FIELD(subscriptions))
};

struct Citizen {
  Identity identity;
  AgentMemory memory;
  GoalStack goals;
  RuntimeState state;
  const AgentId& id() const { return identity.id; }
};

}  // namespace anima::world
