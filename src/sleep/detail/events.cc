// Phase 5: old events, and what they have changed of what was believed before.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "memory/contradiction.h"
#include "sleep/detail/consolidation.h"
#include "sleep/detail/digests.h"
#include "sleep/detail/phases.h"
#include "sleep/detail/proposals.h"
#include "sleep/detail/supersede.h"
#include "store/holds.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kSupersede =
    "UPSERT { PROPOSITION { ((id: :newer), \"supersedes\", (id: :older)) } } WITH METADATA "
    "{source: \"SleepConsolidation\", author: \"$system\"}";
constexpr std::string_view kNoLonger =
    "DELETE PROPOSITIONS ?l WHERE { ?l ((id: :older), \"supersedes\", (id: :newer)) }";
constexpr std::string_view kEndOfValidity =
    "UPDATE ?l SET METADATA {valid_to: :at, superseded_by: :newer} WHERE { ?l (id: :older) }";
constexpr std::string_view kStartOfValidity =
    "UPDATE ?l SET METADATA {valid_from: :at} WHERE { ?l (id: :newer) }";
constexpr std::string_view kRemove =
    "DELETE CONCEPT ?it DETACH WHERE { ?it {id: :item} FILTER(?it.attributes.status == "
    "\"archived\") }";

struct Waiting {
  std::vector<EntityId> stale;
  std::vector<EntityId> young;
};

// The events of the cycle's work and those that were too young before.
Waiting waiting_events(const Cycle& cycle, const Reading& reading) {
  const std::int64_t cutoff =
      cycle.time().microseconds - cycle.policy().stale_after_days * kMicrosecondsPerDay;
  std::set<EntityId> candidates(cycle.young().begin(), cycle.young().end());
  for (const EntityId item : cycle.work().concepts()) {
    if (reading.snapshot().kind(item) == store::EntityKind::kConcept &&
        reading.snapshot().type_of(item) == reading.event_type())
      candidates.insert(item);
  }
  std::vector<std::pair<std::int64_t, EntityId>> stale;
  Waiting waiting;
  for (const EntityId event : candidates) {
    if (!reading.is_waiting_event(event) || reading.is_shared(event)) continue;
    const std::int64_t at = reading.began(event).microseconds;
    if (at < cutoff) {
      stale.emplace_back(at, event);
    } else {
      waiting.young.push_back(event);
    }
  }
  std::sort(stale.begin(), stale.end());
  for (const auto& [at, event] : stale) waiting.stale.push_back(event);
  return waiting;
}

Status consolidate(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  Waiting waiting = waiting_events(cycle, reading);
  cycle.still_young = std::move(waiting.young);
  Consolidation consolidation(cycle, reading);
  add_proposed_facts(cycle, reading, consolidation, waiting.stale);
  if (auto definitions = consolidation.definitions(waiting.stale)) {
    if (!cycle.act(std::move(*definitions))) return {};
    ANIMA_TRY(cycle.flush());
  }
  std::vector<EntityId> others;
  for (const EntityId event : waiting.stale) {
    auto action = consolidation.facts_of(event);
    if (!action) {
      others.push_back(event);
      continue;
    }
    if (!cycle.act(std::move(*action))) return {};
  }
  for (Action& action : consolidation.digests_of(std::move(others))) {
    if (!cycle.act(std::move(action))) return {};
  }
  return cycle.flush();
}

// --- what changed

}  // namespace

std::string observed(const Reading& reading, EntityId link) {
  const auto standing = store::standing_of(reading.snapshot(), reading.snapshot().triple_of(link));
  return standing.asserted == store::Sequence::kNone ? std::string()
                                                     : format_timestamp(standing.observed);
}

namespace {

// What is said to be seen in the future holds since it was said.
std::string seen_first(const Cycle& cycle, const Reading& reading, EntityId link) {
  const auto standing = store::standing_of(reading.snapshot(), reading.snapshot().triple_of(link));
  if (standing.observed <= cycle.time()) return observed(reading, link);
  return format_timestamp(reading.snapshot().entry(standing.asserted).time);
}

}  // namespace

bool supersede(Cycle& cycle, const Reading& reading, EntityId older, EntityId newer,
               const std::string& evidence) {
  const auto predicate = reading.link("supersedes");
  const Snapshot& snapshot = reading.snapshot();
  if (!predicate || snapshot.contains({newer, *predicate, Term::entity(older)})) return true;
  const auto before = store::standing_of(snapshot, snapshot.triple_of(older));
  const auto after = store::standing_of(snapshot, snapshot.triple_of(newer));
  if (reading.is_shared(older) || reading.is_shared(newer)) {
    const bool brought = reading.is_brought(older) || reading.is_brought(newer);
    if (store::overlap(before, after))
      cycle.leave(
          "contradiction", reading.title(older),
          brought ? "a compartment states it, too" : "it was told; say again which is right");
    return true;
  }
  if (after.trust < before.trust || after.observed < before.observed) {
    const bool outranked = before.trust < after.trust;  // the one that holds is the newer
    cycle.leave("contradiction", reading.title(outranked ? newer : older),
                reading.title(outranked ? older : newer) + " was seen later, but is trusted less");
    return true;
  }
  if (!store::outranks(after, before)) {
    cycle.leave("contradiction", reading.title(older),
                reading.title(newer) + " was said with it, and nothing tells which is right");
    return true;
  }
  Action action{"superseded",
                reading.title(older),
                "by " + reading.title(newer) + ", which was seen later" +
                    (evidence.empty() ? "" : "; " + evidence),
                {},
                reading.trust(older)};
  action.statements.push_back(
      {kSupersede, Json::object({{"newer", reading.id(newer)}, {"older", reading.id(older)}})});
  // It was the other way round before.
  if (reading.snapshot().contains({older, *predicate, Term::entity(newer)}))
    action.statements.push_back(
        {kNoLonger, Json::object({{"newer", reading.id(newer)}, {"older", reading.id(older)}})});
  std::string from = reading.metadata_text(newer, "valid_from");
  if (from.empty()) {
    from = seen_first(cycle, reading, newer);
    action.statements.push_back(
        {kStartOfValidity, Json::object({{"newer", reading.id(newer)}, {"at", from}})});
  }
  if (reading.metadata_text(older, "valid_to").empty())
    action.statements.push_back({kEndOfValidity, Json::object({{"older", reading.id(older)},
                                                               {"newer", reading.id(newer)},
                                                               {"at", std::move(from)}})});
  return cycle.act(std::move(action));
}

namespace {

// The links of a conflict, the effective one last.
std::vector<EntityId> chain_of(const Reading& reading, const memory::Contradictions& contradictions,
                               EntityId link) {
  std::map<EntityId, int> wins;
  std::set<EntityId> members{link};
  const auto each = [&](const store::Triple& triple) {
    const auto found = reading.snapshot().find_proposition(triple);
    return found.value_or(EntityId::kNone);
  };
  for (const memory::Conflict& conflict :
       contradictions.conflicts_of(reading.snapshot().triple_of(link))) {
    members.insert(each(conflict.effective));
    members.insert(each(conflict.superseded));
  }
  members.erase(EntityId::kNone);
  for (const EntityId member : members) {
    for (const memory::Conflict& conflict :
         contradictions.conflicts_of(reading.snapshot().triple_of(member)))
      wins[member] += each(conflict.effective) == member ? 1 : 0;
  }
  std::vector<EntityId> chain(members.begin(), members.end());
  std::stable_sort(chain.begin(), chain.end(),
                   [&](EntityId a, EntityId b) { return wins[a] < wins[b]; });
  return chain;
}

// What takes the place of the member: the first behind it that does not stand beside it.
EntityId next_of(const Reading& reading, const std::vector<EntityId>& chain, std::size_t at) {
  const auto standing = [&](EntityId link) {
    return store::standing_of(reading.snapshot(), reading.snapshot().triple_of(link));
  };
  const store::Standing own = standing(chain[at]);
  for (std::size_t next = at + 1; next < chain.size(); ++next) {
    const store::Standing other = standing(chain[next]);
    if (store::outranks(other, own) || store::outranks(own, other)) return chain[next];
  }
  return chain[at + 1];
}

Status supersede_all(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  const memory::Contradictions contradictions(reading.snapshot());
  if (!contradictions.declared()) return {};
  std::set<std::vector<EntityId>> seen;
  for (const EntityId link : cycle.work().links()) {
    if (!reading.is_link(link)) continue;
    const store::Triple triple = reading.snapshot().triple_of(link);
    if (contradictions.conflicts_of(triple).empty()) continue;
    std::vector<EntityId> chain = chain_of(reading, contradictions, link);
    if (!seen.insert(chain).second) continue;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      if (!supersede(cycle, reading, chain[i], next_of(reading, chain, i), {})) return {};
    }
  }
  return cycle.flush();
}

// --- what was archived long enough ago

Status remove_archived(Cycle& cycle) {
  const std::int64_t days = cycle.policy().remove_archived_after_days;
  if (days <= 0) return {};
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  const auto in_domain = reading.link("belongs_to_domain");
  if (!in_domain) return {};
  const std::int64_t cutoff = cycle.time().microseconds - days * kMicrosecondsPerDay;
  store::Scratch scratch;
  for (const std::uint32_t code :
       reading.snapshot().subjects(*in_domain, Term::entity(reading.archived()), scratch)) {
    const EntityId item{code};
    if (reading.snapshot().kind(item) != store::EntityKind::kConcept ||
        reading.snapshot().type_of(item) != reading.event_type() ||
        reading.is_waiting_event(item) || reading.text(item, "archived_by") != "$system")
      continue;
    const auto at = reading.time(item, "archived_at");
    if (!at || at->microseconds >= cutoff) continue;
    Action action{"removed",
                  reading.title(item),
                  fmt::format("archived for more than {} days, and consolidated", days),
                  {},
                  reading.trust(item)};
    action.statements.push_back({kRemove, Json::object({{"item", reading.id(item)}})});
    if (!cycle.act(std::move(action))) return {};
  }
  return {};
}

}  // namespace

Status consolidate_events(Cycle& cycle) {
  ANIMA_TRY(consolidate(cycle));
  if (cycle.cut()) return {};
  ANIMA_TRY(supersede_all(cycle));
  if (cycle.cut()) return {};
  ANIMA_TRY(remove_archived(cycle));
  if (cycle.cut()) return {};
  return fold_old_digests(cycle);
}

}  // namespace anima::sleep::detail
