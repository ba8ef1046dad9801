#include "agent/loop/detail/effects.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/text_array.h"
#include "memory/contradiction.h"
#include "store/symbols.h"
#include "tools/graph.h"

namespace anima::agent {
namespace detail {
namespace {

constexpr std::size_t kMaxConflicts = 20;

// The proposals as statements of the branch.
Result<std::vector<store::Triple>> try_out(store::Transaction& transaction,
                                           const std::vector<tools::Proposal>& proposals) {
  std::vector<store::Triple> triples;
  store::SymbolWriter symbols(transaction, {});
  for (const tools::Proposal& proposal : proposals) {
    ANIMA_ASSIGN(const store::Triple triple,
                 symbols.link(proposal.subject, proposal.predicate, proposal.object));
    store::AssertOptions options;
    options.confidence = proposal.confidence;
    ANIMA_TRY(transaction.assert_link(triple, options).map([](store::EntityId) {}));
    triples.push_back(triple);
  }
  return triples;
}

void find_conflicts(const store::Snapshot& after, const std::vector<store::Triple>& triples,
                    Effects& effects) {
  const memory::Contradictions contradictions(after);
  if (!contradictions.declared()) return;
  for (const store::Triple& triple : triples) {
    for (const memory::Conflict& conflict : contradictions.conflicts_of(triple)) {
      if (effects.contradictions.size() >= kMaxConflicts) return;
      effects.contradictions.push_back(conflict.reason);
    }
  }
}

// The first pattern that one of the facts fires.
void find_veto(const Psyche& psyche, const std::vector<std::string>& facts, Effects& effects) {
  for (const std::string& fact : facts) {
    const ShadowPattern* veto = psyche.check_veto(describe_action("effect", {{"fact", fact}}));
    if (veto == nullptr) continue;
    effects.vetoed_by = veto->name;
    effects.vetoed_fact = fact;
    return;
  }
}

}  // namespace

Result<Effects> foresee(store::Space& space, const store::Snapshot& snapshot,
                        const std::vector<tools::Proposal>& proposals, memory::RuleKeeper& rules,
                        Timestamp now, const Psyche& psyche) {
  Effects effects;
  effects.statements = proposals.size();
  const auto branch = space.what_if(snapshot);
  ANIMA_ASSIGN(const std::vector<store::Triple> triples, try_out(branch->transaction(), proposals));
  const store::Snapshot after = branch->view();
  std::vector<std::string> changed, facts;
  for (const tools::Proposal& proposal : proposals) {
    if (std::find(changed.begin(), changed.end(), proposal.predicate) == changed.end()) {
      changed.push_back(proposal.predicate);
    }
    if (!tools::is_bookkeeping(proposal.subject) && !tools::is_bookkeeping(proposal.object)) {
      facts.push_back(
          fmt::format("{} {} {}", proposal.subject, proposal.predicate, proposal.object));
    }
  }
  if (const auto derived = rules.effects(snapshot, now, after, triples, changed)) {
    effects.gained = derived->gained;
    effects.lost = derived->lost;
    effects.gained_total = derived->gained_total;
    effects.lost_total = derived->lost_total;
    facts.insert(facts.end(), derived->gained.begin(), derived->gained.end());
  } else {
    effects.note = "the rules cannot be run: " + derived.error().describe();
  }
  find_conflicts(after, triples, effects);
  find_veto(psyche, facts, effects);
  return effects;
}

}  // namespace detail

Json Effects::to_json() const {
  Json json = Json::object({{"statements", static_cast<std::uint64_t>(statements)},
                            {"gained", gained_total},
                            {"lost", lost_total},
                            {"gained_facts", text_array(gained)},
                            {"lost_facts", text_array(lost)},
                            {"contradictions", text_array(contradictions)},
                            {"vetoed_by", vetoed_by.empty() ? Json() : Json(vetoed_by)}});
  if (!vetoed_fact.empty()) json.set("vetoed_fact", vetoed_fact);
  if (!note.empty()) json.set("note", note);
  return json;
}

}  // namespace anima::agent
