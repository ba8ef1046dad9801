// What the end of a turn keeps: reflection, goals taken apart, episodes, and the log entry itself.
#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "agent/loop/detail/agent_impl.h"
#include "agent/mind/detail/mind.h"
#include "agent/mind/episodes.h"
#include "memory/admission.h"

namespace anima::agent {
namespace {

using detail::Draft;

// Decides for each entry that is worth keeping how it is kept.
class Admitter {
 public:
  Admitter(const store::Snapshot& snapshot, const SessionState& state, Draft& draft)
      : snapshot_(snapshot), state_(state), draft_(draft) {
    for (const MemoryEntry& entry : state.memory.entries()) {
      if (entry.tool == kRecall) recalled_.emplace_back(summary_of(entry));
    }
  }

  void keep(const MemoryEntry& entry, const ConsolidationScore& score) {
    if (entry.tool == kRecall && entry.kind == EntryKind::kToolResult) {
      ++recalled;
      return;
    }
    std::vector<store::EntityId> subjects = entry.symbols;
    std::sort(subjects.begin(), subjects.end());
    subjects.erase(std::unique(subjects.begin(), subjects.end()), subjects.end());
    const std::string summary = summary_of(entry);
    memory::ComparedText text(summary);
    Known& known = known_about(subjects);
    const memory::Admission admission = memory::admit(text, subjects, recalled_, known.texts);
    const bool subjectless = admission.verdict == memory::AdmissionVerdict::kSubjectless;
    switch (admission.verdict) {
      case memory::AdmissionVerdict::kRecalled:
        ++recalled;
        return;
      case memory::AdmissionVerdict::kDuplicate:
        merge(places_[admission.duplicate_of], summary, subjects);
        ++merged;
        return;
      case memory::AdmissionVerdict::kSubjectless:
        ++quarantined;
        [[fallthrough]];
      case memory::AdmissionVerdict::kAdmit:
        // Those of this consolidation come before those of the graph.
        known.texts.insert(known.texts.begin() + known.drafted++,
                           {places_.size(), std::move(text), std::move(subjects)});
        places_.push_back({draft_.episodes.size(), {}});
        draft_.episodes.push_back({state_.session, entry, score, {}, subjectless});
    }
  }

  std::size_t recalled = 0, merged = 0, quarantined = 0;

 private:
  static constexpr std::string_view kRecall = "memory_recall";
  static constexpr std::size_t kLookedAt = 32;

  // Where a remembered text is: in the draft, or an episode of the graph.
  struct Place {
    std::size_t drafted = 0;
    std::optional<EpisodeMerge> stored;  // its text is empty
  };
  // What is remembered about the same symbols.
  struct Known {
    std::vector<memory::Remembered> texts;
    std::ptrdiff_t drafted = 0;  // that many at the front are of the draft
  };

  static std::string summary_of(const MemoryEntry& entry) {
    return std::string(cut_characters(entry.content, kSummaryCharacters));
  }

  Known& known_about(const std::vector<store::EntityId>& subjects) {
    const auto [found, fresh] = known_.try_emplace(subjects);
    Known& known = found->second;
    if (!fresh || subjects.empty()) return known;
    // The symbol that fewest episodes are about decides quickly; the first is the goal's own.
    for (const auto& episode :
         recall_episodes(snapshot_, std::span(&subjects.back(), 1), kLookedAt)) {
      std::vector<store::EntityId> of = episode.learned;
      std::sort(of.begin(), of.end());
      if (of != subjects) continue;
      known.texts.push_back({places_.size(), memory::ComparedText(episode.summary), std::move(of)});
      places_.push_back({0, EpisodeMerge{episode.entity, episode.label, {}}});
    }
    return known;
  }

  void merge(const Place& place, const std::string& summary,
             const std::vector<store::EntityId>& subjects) {
    if (!place.stored) {
      draft_.episodes[place.drafted].merged.push_back(summary);
      return;
    }
    draft_.merges.push_back(*place.stored);
    draft_.merges.back().text = summary;
    draft_.noted_from.insert(draft_.noted_from.end(), subjects.begin(), subjects.end());
  }

  const store::Snapshot& snapshot_;
  const SessionState& state_;
  Draft& draft_;
  std::vector<memory::ComparedText> recalled_;
  std::vector<Place> places_;
  std::map<std::vector<store::EntityId>, Known> known_;
};

}  // namespace

void Agent::Impl::reflect(Draft& draft, CycleReport& report) {
  std::vector<ToolUse> uses;
  for (const auto& [tool, use] : state_.uses) uses.push_back(use);
  Reflection reflection = agent::reflect(uses, state_.goals.all(), state_.memory.pressure(),
                                         state_.cycle, config_.reflection);
  apply_priorities(reflection, state_.goals);
  for (const Adjustment& adjustment : reflection.adjustments) {
    draft.goals.insert(adjustment.goal);
  }
  if (config_.psyche) {
    report.evolution = state_.psyche.evolve(uses, reflection.abandon_suggestions(), state_.cycle);
    draft.evolved(report.evolution, state_.cycle);
  }
  state_.uses.clear();
  MemoryEntry entry;
  entry.kind = EntryKind::kInference;
  entry.relevance = 0.8;
  entry.content = reflection.summary();
  push(std::move(entry));
  report.reflection = std::move(reflection);
}

void Agent::Impl::take_stalled_apart(Draft& draft, CycleReport& report) {
  std::vector<std::string> stalled;
  for (const Goal* goal : state_.goals.active()) {
    if (goal->children.empty() && goal->parent.empty() && GoalList::stalled(*goal, state_.cycle)) {
      stalled.push_back(goal->label);
    }
  }
  for (const std::string& label : stalled) {
    draft.goals.insert(label);
    for (const std::string& child :
         state_.goals.take_apart(label, call_->record.now, state_.cycle)) {
      draft.goals.insert(child);
      report.new_goals.push_back(child);
    }
  }
}

WorkingMemory::Outcome Agent::Impl::consolidate(const store::Snapshot& snapshot, Draft& draft) {
  std::vector<const Goal*> active;
  for (const Goal* goal : state_.goals.active()) active.push_back(goal);
  Admitter admitter(snapshot, state_, draft);
  WorkingMemory::Outcome outcome =
      state_.memory.consolidate(state_.cycle, detail::graph_view(snapshot, active),
                                [&](const MemoryEntry& entry, const ConsolidationScore& score) {
                                  admitter.keep(entry, score);
                                  return true;
                                });
  outcome.recalled = admitter.recalled;
  outcome.merged = admitter.merged;
  outcome.quarantined = admitter.quarantined;
  outcome.persisted -= outcome.recalled + outcome.merged + outcome.quarantined;
  return outcome;
}

Json Agent::Impl::setup() const {
  Json outside = Json::array();
  for (const tools::Tool* tool : tools_.all()) {
    if (detail::is_outside(tool->info())) outside.push_back(detail::to_json(tool->info()));
  }
  Json setup = Json::object({{"agent", config_.name},
                             {"memory_capacity", config_.memory_capacity},
                             {"reflect_every", config_.reflection.every_n_cycles},
                             {"min_success_rate", config_.reflection.min_success_rate},
                             {"stagnation_threshold", config_.reflection.stagnation_threshold},
                             {"psyche", config_.psyche},
                             {"fresh", config_.fresh},
                             {"opened", opened_},
                             {"trust", static_cast<int>(config_.origin.trust)},
                             {"outside_tools", std::move(outside)}});
  if (config_.avoid.empty()) return setup;
  Json avoid = Json::array();
  for (const AvoidedAction& each : config_.avoid) avoid.push_back(to_json(each));
  setup.set("avoid", std::move(avoid));
  return setup;
}

Result<store::Sequence> Agent::Impl::commit(const Draft& draft, const Json& decision) {
  detail::RunRecord& record = call_->record;
  record.run = run_;
  record.step = step_ + 1;
  if (run_ == 0) record.setup = setup();
  const auto change = [&](store::Transaction& transaction) -> Status {
    ANIMA_TRY(detail::write_draft(transaction, draft, state_));
    if (!decision.is_null()) {
      ANIMA_TRY(transaction.attach(store::RecordKind::kDecision, decision.dump()));
    }
    for (const detail::OutsideAnswer& answer : call_->answers) {
      ANIMA_TRY(transaction.attach(record_kind(answer.answerer), to_json(answer).dump()));
    }
    ANIMA_TRY(transaction.attach(store::RecordKind::kRun, to_json(record).dump()));
    return write_session(transaction, config_.name, state_);
  };
  store::Origin origin = config_.origin;
  if (origin.source.empty()) origin.source = "agent:" + config_.name;
  for (const detail::DraftedProposal& draft_of : draft.proposals) {
    origin.trust = std::min(origin.trust, draft_of.proposal.trust);
  }
  if (config_.before_write) ANIMA_TRY(config_.before_write());
  ANIMA_ASSIGN(const store::Receipt receipt, space_.write(origin, change));
  settle(state_, receipt.sequence);
  state_.psyche_stored = true;
  if (run_ == 0) run_ = static_cast<std::uint64_t>(receipt.sequence);
  ++step_;
  return receipt.sequence;
}

}  // namespace anima::agent
