#include "agent/loop/detail/record.h"

#include <fmt/format.h>

#include <tuple>

#include "agent/detail/attributes.h"
#include "agent/loop/cycle.h"
#include "base/json/text_array.h"
#include "memory/names.h"
#include "store/symbols.h"
#include "tools/fact_labels.h"
#include "tools/graph.h"

namespace anima::agent {
namespace detail {
namespace {

using memory::ProvenanceKind;
using memory::ProvenanceRecord;
using store::EntityId;

constexpr double kDecisionConfidence = 0.8;
constexpr std::string_view kDerivedFrom = "derived_from";

Status write_goal(store::Transaction& transaction, Goal& goal, const GoalList& goals,
                  const store::AssertOptions& options) {
  ANIMA_ASSIGN(goal.symbol, transaction.upsert_concept(store::kEntityType, goal.label, options));
  const auto text = [&](std::string_view key, std::string_view value) -> Status {
    if (value.empty()) return {};
    return set_value(transaction, goal.symbol, key, store::Value::string(value), options);
  };
  ANIMA_TRY(text("agent:has_description", goal.description));
  ANIMA_TRY(text(kGoalStatusKey, to_string(goal.status)));
  ANIMA_TRY(text("agent:has_criteria", goal.criteria));
  ANIMA_TRY(text("agent:has_answer", goal.answer));
  ANIMA_TRY(set_value(transaction, goal.symbol, "agent:has_priority",
                      store::Value::of(static_cast<std::int64_t>(goal.priority)), options));
  const Goal* parent = goal.parent.empty() ? nullptr : goals.find(goal.parent);
  if (parent == nullptr || parent->symbol == EntityId::kNone) return {};
  for (const auto& [relation, from, to] :
       {std::tuple{"agent:parent_goal", goal.symbol, parent->symbol},
        std::tuple{"agent:child_goal", parent->symbol, goal.symbol}}) {
    ANIMA_ASSIGN(const EntityId predicate, transaction.upsert_predicate(relation, options));
    ANIMA_TRY(transaction
                  .assert_link({from, store::Predicate::link(predicate), store::Term::entity(to)},
                               options)
                  .map([](EntityId) {}));
  }
  return {};
}

// Facts about the agent's own things stay in its graph.
bool is_own(const tools::Proposal& proposal) {
  return tools::is_bookkeeping(proposal.subject) || tools::is_bookkeeping(proposal.object);
}

// The proposition rests on its premises: a link of the agent's books for each, so that it can be
// asked what something was derived from, and an undo of a premise knows what depends on it.
Status write_premises(store::Transaction& transaction, EntityId derived,
                      const std::vector<tools::Labels>& premises,
                      const store::AssertOptions& options) {
  if (premises.empty()) return {};
  ANIMA_ASSIGN(const EntityId predicate, transaction.upsert_predicate(kDerivedFrom, options));
  for (const tools::Labels& each : premises) {
    const store::Snapshot& now = transaction.live();
    const auto subject = store::find_symbol(now, each.subject);
    const auto relation = store::find_relation(now, each.predicate);
    const auto object = store::find_symbol(now, each.object);
    if (!subject || !relation || !object) continue;
    const auto premise = now.find_proposition(
        {*subject, store::Predicate::link(*relation), store::Term::entity(*object)});
    if (!premise) continue;
    ANIMA_TRY(transaction
                  .assert_link(
                      {derived, store::Predicate::link(predicate), store::Term::entity(*premise)},
                      options)
                  .map([](EntityId) {}));
  }
  return {};
}

Status write_proposals(store::Transaction& transaction, const std::vector<DraftedProposal>& drafts,
                       memory::ProvenanceBatch& provenance) {
  if (drafts.empty()) return {};
  store::AssertOptions knowledge, own;
  own.graph = transaction.graph(memory::kAgentGraph);
  store::SymbolWriter in_knowledge(transaction, knowledge), in_own(transaction, own);
  for (const DraftedProposal& draft : drafts) {
    const tools::Proposal& proposal = draft.proposal;
    const bool mine = is_own(proposal);
    store::SymbolWriter& symbols = mine ? in_own : in_knowledge;
    ANIMA_ASSIGN(const store::Triple triple,
                 symbols.link(proposal.subject, proposal.predicate, proposal.object));
    ProvenanceRecord record;
    record.derived = triple.subject;
    record.confidence = proposal.confidence;
    record.cycle = draft.cycle;
    if (proposal.rule.empty()) {
      record.kind = ProvenanceKind::kToolAssertion;
      record.text = draft.tool;
      record.sources = {triple.predicate.as_link(), triple.object.as_entity()};
    } else {
      record.kind = ProvenanceKind::kRuleInference;
      record.text = proposal.rule;
      record.sources = proposal.antecedents;
      record.depth = 1;
    }
    store::AssertOptions options = mine ? own : knowledge;
    options.confidence = proposal.confidence;
    options.provenance = provenance.add(std::move(record));
    ANIMA_ASSIGN(const EntityId written, transaction.assert_link(triple, options));
    ANIMA_TRY(write_premises(transaction, written, proposal.derived_from, own));
  }
  return {};
}

Status write_episodes(store::Transaction& transaction, const std::vector<Episode>& episodes,
                      memory::ProvenanceBatch& provenance) {
  for (const Episode& episode : episodes) {
    ANIMA_ASSIGN(const EntityId entity, write_episode(transaction, episode));
    ProvenanceRecord record;
    record.kind = ProvenanceKind::kAgentConsolidation;
    record.derived = entity;
    record.sources = episode.entry.symbols;
    record.text = fmt::format("{} from cycle {}", episode.quarantined ? "quarantined" : "kept",
                              episode.entry.source_cycle);
    record.number = episode.score.total();
    record.confidence = episode.score.total();
    record.cycle = episode.entry.source_cycle;
    provenance.add(std::move(record));
  }
  return {};
}

// What is noted of statements is trusted no further than they are.
Status trust_as_read(store::Transaction& transaction, const Draft& draft) {
  std::vector<EntityId> read = draft.noted_from;
  for (const Episode& episode : draft.episodes)
    read.insert(read.end(), episode.entry.symbols.begin(), episode.entry.symbols.end());
  const auto least = tools::least_trust_among(transaction.live(), read);
  return least ? transaction.lower_trust(*least) : Status();
}

Status write_merges(store::Transaction& transaction, const std::vector<EpisodeMerge>& merges,
                    memory::ProvenanceBatch& provenance) {
  for (const EpisodeMerge& merge : merges) {
    ANIMA_TRY(write_merge(transaction, merge));
    ProvenanceRecord record;
    record.kind = ProvenanceKind::kAgentConsolidation;
    record.derived = merge.episode;
    record.text = "a near-duplicate was merged into " + merge.label;
    provenance.add(std::move(record));
  }
  return {};
}

}  // namespace

void Draft::decided(const Goal& goal, std::uint64_t cycle) {
  ProvenanceRecord record;
  record.kind = ProvenanceKind::kAgentDecision;
  record.derived = goal.symbol;
  record.text = goal.label;
  record.cycle = cycle;
  record.confidence = kDecisionConfidence;
  provenance.push_back(std::move(record));
}

void Draft::vetoed(const Goal& goal, const ShadowPattern& pattern, std::uint64_t cycle) {
  ProvenanceRecord record;
  record.kind = ProvenanceKind::kShadowVeto;
  record.derived = goal.symbol;
  record.text = pattern.name;
  record.number = pattern.severity;
  record.cycle = cycle;
  provenance.push_back(std::move(record));
}

void Draft::contradicted(const Goal& goal, const std::string& reason, std::uint64_t cycle) {
  ProvenanceRecord record;
  record.kind = ProvenanceKind::kContradiction;
  record.derived = goal.symbol;
  record.text = reason;
  record.cycle = cycle;
  provenance.push_back(std::move(record));
}

void Draft::evolved(const std::string& trigger, std::uint64_t cycle) {
  ProvenanceRecord record;
  record.kind = ProvenanceKind::kPsycheEvolution;
  record.text = trigger;
  record.cycle = cycle;
  provenance.push_back(std::move(record));
}

Status write_draft(store::Transaction& transaction, const Draft& draft, SessionState& state) {
  store::AssertOptions options;
  options.graph = transaction.graph(memory::kAgentGraph);
  for (const std::string& label : draft.goals) {
    Goal* goal = state.goals.find(label);
    if (goal != nullptr) ANIMA_TRY(write_goal(transaction, *goal, state.goals, options));
  }
  ANIMA_TRY(trust_as_read(transaction, draft));
  memory::ProvenanceBatch provenance(transaction);
  ANIMA_TRY(write_proposals(transaction, draft.proposals, provenance));
  ANIMA_TRY(write_episodes(transaction, draft.episodes, provenance));
  ANIMA_TRY(write_merges(transaction, draft.merges, provenance));
  for (const ProvenanceRecord& record : draft.provenance) provenance.add(record);
  return provenance.write();
}

}  // namespace detail

Json CycleReport::to_json() const {
  Json candidates = Json::array();
  for (const Candidate& candidate : decision.candidates) {
    Json input = Json::object();
    for (const auto& [key, value] : candidate.input) input.set(key, value);
    candidates.push_back(Json::object({{"tool", candidate.tool},
                                       {"input", std::move(input)},
                                       {"score", candidate.terms.total()},
                                       {"base", candidate.terms.base},
                                       {"recency", candidate.terms.recency},
                                       {"novelty", candidate.terms.novelty},
                                       {"episodic", candidate.terms.episodic},
                                       {"pressure", candidate.terms.pressure},
                                       {"archetype", candidate.terms.archetype},
                                       {"planned", candidate.planned},
                                       {"reasoning", reasoning(candidate)}}));
  }
  static constexpr std::string_view kProgress[] = {"no_change", "advanced", "completed", "failed"};
  Json out =
      Json::object({{"type", "cycle"},
                    {"cycle", cycle},
                    {"goal", description},
                    {"strategy", strategy},
                    {"observation", Json::object({{"active_goals", observation.active_goals},
                                                  {"memory_size", observation.memory_size},
                                                  {"episodes", observation.episodes.size()}})},
                    {"orientation", Json::object({{"knowledge", knowledge},
                                                  {"inferences", inferences},
                                                  {"pressure", pressure}})},
                    {"candidates", std::move(candidates)},
                    {"impasse", decision.impasse ? Json(decision.impasse_reason) : Json()},
                    {"tool", chosen().tool},
                    {"vetoed_by", vetoed_by.empty() ? Json() : Json(vetoed_by)},
                    {"bias", bias},
                    {"success", success},
                    {"result", std::string(cut_text(result, kMaxResultBytes))},
                    {"progress", kProgress[static_cast<std::size_t>(progress.kind)]},
                    {"progress_reason", progress.reason},
                    {"goal_status", to_string(goal_status)},
                    {"facts_written", static_cast<std::uint64_t>(written.size())}});
  if (!set_aside.empty()) {
    Json aside = Json::array();
    for (const AvoidedAction& each : set_aside) aside.push_back(agent::to_json(each));
    out.set("set_aside", std::move(aside));
  }
  if (effects) out.set("effects", effects->to_json());
  if (reflection) out.set("reflection", reflection->to_json());
  if (!evolution.empty()) out.set("evolution", evolution);
  if (!new_plan.empty()) out.set("new_plan", new_plan);
  if (!new_goals.empty()) {
    out.set("new_goals", text_array(new_goals));
  }
  return out;
}

}  // namespace anima::agent
