// What the end of a turn keeps: reflection, goals taken apart, episodes, and the log entry itself.
#include <algorithm>

#include "agent/detail/agent_impl.h"
#include "agent/detail/mind.h"
#include "agent/episodes.h"
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
      if (entry.tool == kRecall) recalled_.push_back(summary_of(entry));
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
    find_known(subjects);
    const memory::Admission admission = memory::admit(summary, subjects, recalled_, known_);
    switch (admission.verdict) {
      case memory::AdmissionVerdict::kRecalled:
        ++recalled;
        return;
      case memory::AdmissionVerdict::kDuplicate:
        merge(admission.duplicate_of, summary);
        ++merged;
        return;
      case memory::AdmissionVerdict::kSubjectless:
        ++quarantined;
        [[fallthrough]];
      case memory::AdmissionVerdict::kAdmit:
        draft_.episodes.push_back({state_.session,
                                   entry,
                                   score,
                                   {},
                                   admission.verdict == memory::AdmissionVerdict::kSubjectless});
    }
  }

  std::size_t recalled = 0, merged = 0, quarantined = 0;

 private:
  static constexpr std::string_view kRecall = "memory_recall";
  static constexpr std::size_t kLookedAt = 32;

  static std::string summary_of(const MemoryEntry& entry) {
    return std::string(cut_characters(entry.content, kSummaryCharacters));
  }

  // Episodes about the same symbols: those of this consolidation, then those of the graph.
  void find_known(const std::vector<store::EntityId>& subjects) {
    known_.clear();
    for (std::size_t i = 0; i < draft_.episodes.size(); ++i) {
      std::vector<store::EntityId> of = draft_.episodes[i].entry.symbols;
      std::sort(of.begin(), of.end());
      of.erase(std::unique(of.begin(), of.end()), of.end());
      known_.push_back({i, summary_of(draft_.episodes[i].entry), std::move(of)});
    }
    stored_.clear();
    // The symbol that fewest episodes are about decides quickly; the first is the goal's own.
    if (subjects.empty()) return;
    stored_ = recall_episodes(snapshot_, std::span(&subjects.back(), 1), kLookedAt);
    for (std::size_t i = 0; i < stored_.size(); ++i) {
      std::vector<store::EntityId> of = stored_[i].learned;
      std::sort(of.begin(), of.end());
      known_.push_back({draft_.episodes.size() + i, stored_[i].summary, std::move(of)});
    }
  }

  void merge(std::size_t place, const std::string& summary) {
    if (place < draft_.episodes.size()) {
      draft_.episodes[place].merged.push_back(summary);
      return;
    }
    const tools::RecalledEpisode& into = stored_[place - draft_.episodes.size()];
    draft_.merges.push_back({into.entity, into.label, summary});
  }

  const store::Snapshot& snapshot_;
  const SessionState& state_;
  Draft& draft_;
  std::vector<std::string> recalled_;
  std::vector<memory::Remembered> known_;
  std::vector<tools::RecalledEpisode> stored_;
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
  return Json::object({{"agent", config_.name},
                       {"memory_capacity", config_.memory_capacity},
                       {"reflect_every", config_.reflection.every_n_cycles},
                       {"min_success_rate", config_.reflection.min_success_rate},
                       {"stagnation_threshold", config_.reflection.stagnation_threshold},
                       {"psyche", config_.psyche},
                       {"fresh", config_.fresh},
                       {"opened", opened_},
                       {"trust", static_cast<int>(config_.origin.trust)},
                       {"outside_tools", std::move(outside)}});
}

Status Agent::Impl::commit(const Draft& draft, CycleReport* report) {
  detail::RunRecord& record = call_->record;
  record.run = run_;
  record.step = step_ + 1;
  if (run_ == 0) record.setup = setup();
  const auto change = [&](store::Transaction& transaction) -> Status {
    ANIMA_TRY(detail::write_draft(transaction, draft, state_));
    if (report != nullptr) {
      ANIMA_TRY(transaction.record(store::RecordKind::kDecision, report->to_json().dump()));
    }
    for (const std::string& answer : call_->answers) {
      ANIMA_TRY(transaction.record(store::RecordKind::kToolOutput, answer));
    }
    ANIMA_TRY(transaction.record(store::RecordKind::kRun, to_json(record).dump()));
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
  if (report != nullptr) report->sequence = receipt.sequence;
  return {};
}

}  // namespace anima::agent
