#include "world/motives.h"

#include <algorithm>
#include <cmath>

#include "world/learning.h"

namespace anima::world {
namespace {

constexpr std::int64_t kPoor = 20;
constexpr float kLowReputation = 0.3F, kHighReputation = 0.7F;
constexpr std::uint64_t kLeastReward = 5;
constexpr double kLeastCapability = 0.3;
constexpr std::size_t kSatisfactions = 64;

std::size_t capacity(GoalLayer layer) {
  return layer == GoalLayer::kAspiration  ? kMaxAspirations
         : layer == GoalLayer::kObjective ? kMaxObjectives
                                          : kMaxTasks;
}

std::string reward_key(const Goal& goal, const GoalNotes& notes) {
  return std::string(to_string(goal.source)) + ":" + notes.kind;
}

GoalNotes notes_of(const Citizen& citizen, const Digest& goal) {
  const auto found = citizen.state.notes.find(goal);
  return found == citizen.state.notes.end() ? GoalNotes() : found->second;
}

struct RoleGoal {
  AgentRole role;
  std::string_view text;
  std::string_view tag;
};
constexpr RoleGoal kRoleGoals[] = {
    {AgentRole::kCompilerSmith, "build a better compiler", "compiler"},
    {AgentRole::kCompilerSmith, "create a new language", "language"},
    {AgentRole::kLibrarian, "increase Oracle coverage", "knowledge"},
    {AgentRole::kLibrarian, "build missing stdlib components", "library"},
    {AgentRole::kArchitect, "design system architecture", "design"},
    {AgentRole::kArchitect, "improve code quality ecosystem-wide", "quality"},
    {AgentRole::kExplorer, "try a novel approach", "novel"},
    {AgentRole::kExplorer, "experiment with unconventional techniques", "experiment"},
};

double capability(const Citizen& citizen, const std::vector<std::string>& tags) {
  if (tags.empty()) return 0.5;
  const std::vector<std::string> own = role_tags(citizen.state.genome.role);
  const auto count = std::count_if(tags.begin(), tags.end(), [&](const std::string& tag) {
    return citizen.state.able.contains(tag) || std::find(own.begin(), own.end(), tag) != own.end();
  });
  return static_cast<double>(count) / static_cast<double>(tags.size());
}

void inject_role(Citizen& citizen, std::uint64_t now) {
  const AgentRole role = citizen.state.genome.role;
  std::size_t place = 0;
  for (const RoleGoal& each : kRoleGoals) {
    // A generalist takes two of them, which follow from who it is.
    const std::uint8_t first = citizen.id()[0] % std::size(kRoleGoals);
    const std::uint8_t second = citizen.id()[1] % std::size(kRoleGoals);
    const bool sampled = role == AgentRole::kGeneralist && (place == first || place == second);
    ++place;
    if (each.role != role && !sampled) continue;
    GoalNotes notes;
    notes.kind = "role";
    notes.tags = {std::string(each.tag)};
    static_cast<void>(inject(
        citizen,
        {GoalLayer::kAspiration, GoalSource::kRole, std::string(each.text), {}, std::move(notes)},
        now));
  }
}

void inject_simple(Citizen& citizen, GoalLayer layer, GoalSource source, std::string text,
                   std::string kind, bool urgent, double social, std::uint64_t now) {
  GoalNotes notes;
  notes.tags = {kind};
  notes.kind = std::move(kind);
  notes.urgent = urgent;
  notes.social = social;
  static_cast<void>(inject(citizen, {layer, source, std::move(text), {}, std::move(notes)}, now));
}

void inject_bounties(Citizen& citizen, std::uint64_t now) {
  for (const auto& known : citizen.state.bounties) {
    const KnownBounty& bounty = known.second;
    const std::string name = to_hex(known.first).substr(0, 12);
    GoalNotes notes;
    notes.subject = known.first;
    notes.tags = bounty.tags;
    NewGoal goal{GoalLayer::kObjective, GoalSource::kOpportunity, {}, bounty.deadline, {}};
    if (bounty.state == "open" && accepts_bounty(citizen, bounty, now)) {
      goal.description = "earn bounty " + name;
      notes.kind = "bounty";
      notes.partner = bounty.creator;
      notes.reward = static_cast<double>(bounty.reward);
      notes.social = 0.7;
    } else if (bounty.state == "submitted" && bounty.creator == citizen.id()) {
      goal.description = "review what came for bounty " + name;
      notes.kind = "review";
      notes.partner = bounty.claimer;
      notes.social = 1.0;
      notes.urgent = true;
    } else {
      continue;
    }
    goal.notes = std::move(notes);
    static_cast<void>(inject(citizen, std::move(goal), now));
  }
}

}  // namespace

std::vector<std::string> role_tags(AgentRole role) {
  switch (role) {
    case AgentRole::kCompilerSmith:
      return {"compiler", "language", "arithmetic"};
    case AgentRole::kLibrarian:
      return {"knowledge", "library", "arithmetic"};
    case AgentRole::kArchitect:
      return {"design", "quality", "review"};
    case AgentRole::kExplorer:
      return {"novel", "experiment", "exploration"};
    case AgentRole::kGeneralist:
      return {"arithmetic", "knowledge"};
  }
  return {};
}

PriorityWeights priority_weights(const Traits& traits) {
  return {1.0, 0.5 + 0.5 * (1.0 - static_cast<double>(traits.quality_vs_speed)),
          0.5 + 0.5 * (1.0 - static_cast<double>(traits.depth_vs_breadth)),
          0.5 * static_cast<double>(traits.risk_tolerance),
          0.5 * static_cast<double>(traits.collaboration)};
}

double priority(const PriorityWeights& weights, const PriorityTerms& terms) {
  return weights.urgency * terms.urgency + weights.reward * terms.reward +
         weights.capability * terms.capability + weights.novelty * terms.novelty +
         weights.social * terms.social;
}

std::uint64_t experience_count(const Citizen& citizen, std::string_view kind,
                               std::string_view tag) {
  const auto found = citizen.state.done.find(experience_key(kind, tag));
  return found == citizen.state.done.end() ? 0 : found->second;
}

PriorityTerms priority_terms(const Citizen& citizen, const Goal& goal, std::uint64_t now) {
  const GoalNotes notes = notes_of(citizen, goal.id);
  PriorityTerms terms;
  if (notes.urgent || goal.source == GoalSource::kSurvival) {
    terms.urgency = 1;
  } else if (goal.deadline && *goal.deadline > goal.created_at) {
    terms.urgency = std::clamp(static_cast<double>(now - std::min(now, goal.created_at)) /
                                   static_cast<double>(*goal.deadline - goal.created_at),
                               0.0, 1.0);
  } else {
    terms.urgency = goal.layer == GoalLayer::kTask        ? 0.5
                    : goal.layer == GoalLayer::kObjective ? 0.3
                                                          : 0.1;
  }
  const auto learned = citizen.state.learned_reward.find(reward_key(goal, notes));
  const double reward = notes.reward > 0 ? notes.reward
                        : learned == citizen.state.learned_reward.end()
                            ? 0.0
                            : std::max(0.0, learned->second);
  terms.reward = reward / (reward + 50);
  terms.capability = capability(citizen, notes.tags);
  const std::string tag = notes.tags.empty() ? std::string() : notes.tags.front();
  terms.novelty = 1.0 / (1.0 + static_cast<double>(experience_count(citizen, notes.kind, tag)));
  terms.social = notes.social;
  return terms;
}

void prioritise(Citizen& citizen, std::uint64_t now) {
  const PriorityWeights weights = priority_weights(citizen.state.genome.traits);
  for (const GoalLayer layer : {GoalLayer::kAspiration, GoalLayer::kObjective, GoalLayer::kTask}) {
    std::vector<Goal>& goals = citizen.goals.layer(layer);
    for (Goal& goal : goals) goal.priority = priority(weights, priority_terms(citizen, goal, now));
    std::sort(goals.begin(), goals.end(), [](const Goal& a, const Goal& b) {
      if (a.priority != b.priority) return a.priority > b.priority;
      if (a.created_at != b.created_at) return a.created_at < b.created_at;
      return a.id < b.id;
    });
  }
}

const Goal* best_goal(const Citizen& citizen) {
  const Goal* best = nullptr;
  for (const Goal* goal : citizen.goals.live()) {
    if (best == nullptr || goal->priority > best->priority ||
        (goal->priority == best->priority &&
         (goal->created_at < best->created_at ||
          (goal->created_at == best->created_at && goal->id < best->id))))
      best = goal;
  }
  return best;
}

float curiosity_threshold(const Traits& traits) { return 10.0F + 20.0F * traits.risk_tolerance; }

Result<bool> inject(Citizen& citizen, NewGoal wanted, std::uint64_t now) {
  std::vector<Goal>& goals = citizen.goals.layer(wanted.layer);
  for (const Goal* live : citizen.goals.live()) {
    if (live->source == wanted.source && live->description == wanted.description) return false;
  }
  if (goals.size() >= capacity(wanted.layer))
    return fail(ErrorCode::kLimitExceeded,
                "the goals of a layer are full: " + std::string(to_string(wanted.layer)) +
                    " holds " + std::to_string(capacity(wanted.layer)));
  Goal goal;
  goal.id = Sha256()
                .update(bytes_of(citizen.id()))
                .update(big_endian(static_cast<std::uint64_t>(wanted.layer), 1))
                .update(big_endian(static_cast<std::uint64_t>(wanted.source), 1))
                .update(wanted.description)
                .update(big_endian(now, 8))
                .finish();
  if (citizen.goals.find(goal.id) != nullptr) return false;
  goal.layer = wanted.layer;
  goal.source = wanted.source;
  goal.description = std::move(wanted.description);
  goal.created_at = now;
  goal.deadline = wanted.deadline;
  citizen.state.notes[goal.id] = std::move(wanted.notes);
  goals.push_back(std::move(goal));
  return true;
}

bool accepts_bounty(const Citizen& citizen, const KnownBounty& bounty, std::uint64_t now) {
  return bounty.reward >= kLeastReward && bounty.creator != citizen.id() && bounty.deadline > now &&
         capability(citizen, bounty.tags) >= kLeastCapability;
}

void inject_from_sources(Citizen& citizen, std::uint64_t now) {
  RuntimeState& state = citizen.state;
  if (state.balance < kPoor)
    inject_simple(citizen, GoalLayer::kTask, GoalSource::kSurvival,
                  "earn currency: find a bounty or provide a service", "earn", true, 0.2, now);
  inject_role(citizen, now);
  inject_bounties(citizen, now);
  if (static_cast<float>(state.cycles_without_new) / curiosity_threshold(state.genome.traits) >
      1.0F)
    inject_simple(citizen, GoalLayer::kObjective, GoalSource::kCuriosity,
                  "explore something unfamiliar", "explore", false, 0.2, now);
  if (state.reputation < kLowReputation)
    inject_simple(citizen, GoalLayer::kObjective, GoalSource::kSocial,
                  "improve reputation through quality contributions", "reputation", false, 0.2,
                  now);
  if (state.reputation > kHighReputation)
    inject_simple(citizen, GoalLayer::kAspiration, GoalSource::kSocial, "help newer agents",
                  "mentor", false, 1.0, now);
}

Satisfaction end_goal(Citizen& citizen, const Digest& id, GoalStatus status, Outcome outcome,
                      std::uint64_t now) {
  Satisfaction signal;
  const Goal* goal = citizen.goals.find(id);
  if (goal == nullptr) return signal;
  RuntimeState& state = citizen.state;
  const GoalNotes notes = notes_of(citizen, id);
  const PriorityTerms terms = priority_terms(citizen, *goal, now);
  double& mean = state.learned_reward[reward_key(*goal, notes)];
  const double expected = std::max(0.0, notes.reward > 0 ? notes.reward : mean);
  const auto actual = static_cast<double>(notes.earned);
  signal.goal = id;
  signal.outcome = outcome;
  signal.reward_actual = notes.earned;
  signal.reward_expected = static_cast<std::uint64_t>(expected);
  signal.novelty_score = static_cast<float>(terms.novelty);
  signal.effort = notes.effort;
  const double surprise = (actual - expected) / std::max(1.0, expected);
  mean += 0.2 * (actual - mean);
  const std::string claim = reward_key(*goal, notes) + " pays";
  if (outcome == Outcome::kSuccess && surprise >= 0) support(citizen.memory, claim, id, now);
  if (outcome == Outcome::kFailure) contradict(citizen.memory, claim, id, now);
  if (signal.novelty_score > 0.5F) state.new_this_cycle = true;
  (status == GoalStatus::kCompleted ? state.goals_completed : state.goals_abandoned) += 1;
  state.satisfactions.push_back(signal);
  if (state.satisfactions.size() > kSatisfactions)
    state.satisfactions.erase(state.satisfactions.begin());
  std::vector<Goal>& list = citizen.goals.layer(goal->layer);
  list.erase(list.begin() + (goal - list.data()));
  state.notes.erase(id);
  return signal;
}

void drop_outdated(Citizen& citizen, std::uint64_t now) {
  std::vector<Digest> outdated;
  for (const Goal* goal : citizen.goals.live()) {
    const GoalNotes notes = notes_of(citizen, goal->id);
    bool drop = goal->deadline && *goal->deadline < now;
    if (goal->source == GoalSource::kSurvival && citizen.state.balance >= kPoor) drop = true;
    if (notes.kind == "bounty" && notes.subject) {
      const auto known = citizen.state.bounties.find(*notes.subject);
      const bool mine = known != citizen.state.bounties.end() &&
                        (known->second.state == "open" || known->second.claimer == citizen.id());
      drop = drop || !mine;
    }
    if (drop) outdated.push_back(goal->id);
  }
  for (const Digest& id : outdated) {
    std::optional<Plan>& plan = citizen.memory.active_plan;
    if (plan && plan->goal == id) retire_plan(citizen.memory, PlanStatus::kAbandoned);
    end_goal(citizen, id, GoalStatus::kAbandoned, Outcome::kUnknown, now);
  }
}

}  // namespace anima::world
