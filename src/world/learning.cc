#include "world/learning.h"

#include <algorithm>
#include <cmath>

#include "base/json/message_pack_fields.h"

namespace anima::world {
namespace {

constexpr std::size_t kMaxEvidence = 32;
constexpr std::size_t kMaxInterests = 8;
constexpr float kForgotten = 0.05F;

Belief& belief_of(AgentMemory& memory, std::string_view claim, std::uint64_t now) {
  for (Belief& belief : memory.beliefs) {
    if (belief.claim == claim) return belief;
  }
  Belief& fresh = memory.beliefs.emplace_back();
  fresh.claim = std::string(claim);
  fresh.formed_at = now;
  return fresh;
}

void tested(Belief& belief, const Digest& evidence, std::uint64_t now) {
  belief.last_tested = now;
  if (std::find(belief.evidence.begin(), belief.evidence.end(), evidence) != belief.evidence.end())
    return;
  belief.evidence.push_back(evidence);
  if (belief.evidence.size() > kMaxEvidence) belief.evidence.erase(belief.evidence.begin());
}

void merge_oldest(AgentMemory& memory) {
  struct Summary {
    Experience experience;
    ActionRecord record;
    std::map<std::string, std::uint64_t> lessons;
  };
  std::map<std::pair<std::string, Outcome>, Summary> summaries;
  const auto end = memory.experiences.begin() + kMerged;
  for (auto each = memory.experiences.begin(); each != end; ++each) {
    const auto record = unpack_bytes<ActionRecord>(each->action.bytes);
    if (!record) continue;
    Summary& summary = summaries[{record->kind, each->outcome}];
    if (summary.lessons.empty()) {
      summary.record = *record;
      summary.record.count = 0;
      summary.experience.outcome = each->outcome;
    }
    summary.record.count += record->count;
    summary.experience.tick = std::max(summary.experience.tick, each->tick);
    summary.lessons[each->lesson.bytes] += record->count;
  }
  std::vector<Experience> kept;
  for (auto& each : summaries) {
    Summary& summary = each.second;
    summary.experience.action.bytes = pack(summary.record).encode();
    summary.experience.lesson.bytes =
        std::max_element(summary.lessons.begin(), summary.lessons.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    kept.push_back(std::move(summary.experience));
  }
  std::sort(kept.begin(), kept.end(),
            [](const Experience& a, const Experience& b) { return a.tick < b.tick; });
  kept.insert(kept.end(), end, memory.experiences.end());
  memory.experiences = std::move(kept);
}

}  // namespace

double trust(const PeerModel& peer, std::uint64_t now) {
  if (peer.interactions == 0) return 0;
  const auto age = static_cast<double>(now - std::min(now, peer.last_interaction));
  return static_cast<double>(peer.successes) / static_cast<double>(peer.interactions) *
         std::exp(-0.001 * age);
}

void support(AgentMemory& memory, std::string_view claim, const Digest& evidence,
             std::uint64_t now) {
  Belief& belief = belief_of(memory, claim, now);
  belief.confidence += 0.2F * (1.0F - belief.confidence);
  tested(belief, evidence, now);
}

void contradict(AgentMemory& memory, std::string_view claim, const Digest& evidence,
                std::uint64_t now) {
  Belief& belief = belief_of(memory, claim, now);
  belief.confidence -= 0.3F * belief.confidence;
  tested(belief, evidence, now);
}

void fade_beliefs(AgentMemory& memory, std::uint64_t now) {
  for (Belief& belief : memory.beliefs) {
    if (now - std::min(now, belief.last_tested) >= 10 * kTicksPerCycle)
      belief.confidence = 0.5F + 0.9F * (belief.confidence - 0.5F);
  }
  std::erase_if(memory.beliefs,
                [](const Belief& belief) { return belief.confidence < kForgotten; });
}

void met_peer(AgentMemory& memory, const AgentId& peer, Outcome done, bool delivered,
              std::string_view interest, std::uint64_t now) {
  PeerModel& model = memory.peer_model[peer];
  model.agent_id = peer;
  const float quality = done == Outcome::kSuccess ? 1.0F : done == Outcome::kPartial ? 0.5F : 0.0F;
  model.competence += 0.2F * (quality - model.competence);
  model.reliability += 0.2F * ((delivered ? 1.0F : 0.0F) - model.reliability);
  model.last_interaction = now;
  ++model.interactions;
  if (done == Outcome::kSuccess) ++model.successes;
  if (interest.empty()) return;
  std::erase(model.interests, std::string(interest));
  model.interests.emplace_back(interest);
  if (model.interests.size() > kMaxInterests) model.interests.erase(model.interests.begin());
}

std::string experience_key(std::string_view action, std::string_view tag) {
  return std::string(action) + "/" + std::string(tag);
}

void remember(Citizen& citizen, std::uint64_t tick, const ActionRecord& action, Outcome outcome,
              std::string_view lesson) {
  AgentMemory& memory = citizen.memory;
  ++citizen.state.done[experience_key(action.kind, action.tag)];
  if (outcome == Outcome::kSuccess) ++citizen.state.able[action.tag];
  memory.experiences.push_back(
      {tick, {pack(action).encode()}, outcome, {MessagePack(lesson).encode()}});
  if (memory.experiences.size() > kMaxExperiences) merge_oldest(memory);
}

std::uint64_t total_experiences(const AgentMemory& memory) {
  std::uint64_t total = 0;
  for (const Experience& experience : memory.experiences) {
    const auto record = unpack_bytes<ActionRecord>(experience.action.bytes);
    total += record ? record->count : 1;
  }
  return total;
}

Status write_working(Citizen& citizen, std::string text) {
  if (text.size() > kWorkingMemoryMax)
    return fail(ErrorCode::kLimitExceeded, "working memory of " + std::to_string(text.size()) +
                                               " bytes exceeds " +
                                               std::to_string(kWorkingMemoryMax) + " bytes");
  citizen.memory.working = std::move(text);
  citizen.state.keep_working = true;
  return {};
}

void end_cycle_memory(Citizen& citizen, std::uint64_t now) {
  if (!citizen.state.keep_working) citizen.memory.working.clear();
  citizen.state.keep_working = false;
  fade_beliefs(citizen.memory, now);
  citizen.state.cycles_without_new =
      citizen.state.new_this_cycle ? 0 : citizen.state.cycles_without_new + 1;
  citizen.state.new_this_cycle = false;
}

void retire_plan(AgentMemory& memory, PlanStatus status) {
  if (!memory.active_plan) return;
  memory.active_plan->status = status;
  memory.plan_history.push_back(std::move(*memory.active_plan));
  memory.active_plan.reset();
  if (memory.plan_history.size() > kPlanHistory)
    memory.plan_history.erase(memory.plan_history.begin());
}

}  // namespace anima::world
