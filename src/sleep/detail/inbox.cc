// Phases 3 and 4: the inbox, and what has no domain at all.
#include <fmt/format.h>

#include <map>

#include "sleep/detail/actions.h"
#include "sleep/detail/phases.h"
#include "sleep/evidence/classifier.h"

namespace anima::sleep::detail {
namespace {

constexpr double kReclassified = 0.85;
constexpr double kResolved = 0.7;
constexpr double kForLater = 0.5;
// Domains are found together: a second look counts what the first has decided.
constexpr int kLooks = 3;

std::vector<EntityId> members_of_inbox(const Reading& reading) {
  std::vector<EntityId> members;
  const auto in_domain = reading.link("belongs_to_domain");
  if (!in_domain || reading.unsorted() == EntityId::kNone) return members;
  store::Scratch scratch;
  for (const std::uint32_t code :
       reading.snapshot().subjects(*in_domain, Term::entity(reading.unsorted()), scratch))
    members.push_back(EntityId{code});
  return members;
}

// Something that decides where it belongs has changed: itself, a neighbour, or a domain.
bool is_news(const WorkSet& work, const Reading& reading, EntityId item) {
  if (work.concepts().contains(item)) return true;
  store::Scratch scratch;
  const auto any = [&](const store::Edges& edges) {
    for (const std::uint32_t other : edges.others) {
      const EntityId entity{other};
      if (Term{other}.is_entity() && !reading.is_special_domain(entity) &&
          work.concepts().contains(entity))
        return true;
    }
    return false;
  };
  const Snapshot& snapshot = reading.snapshot();
  return any(snapshot.outgoing(item, store::PredicateClass::kLink, scratch)) ||
         any(snapshot.incoming(Term::entity(item), store::PredicateClass::kLink, scratch));
}

// The items that found a domain, in the order given; `why` says for the others why not.
std::vector<std::pair<EntityId, Classification>> classify_together(
    const Reading& reading, std::vector<EntityId> items, std::map<EntityId, std::string>* why) {
  Classifier classifier(reading);
  std::map<EntityId, Classification> found;
  for (int look = 0; look < kLooks; ++look) {
    const std::size_t before = found.size();
    for (const EntityId item : items) {
      if (found.contains(item)) continue;
      Classification result = classifier.classify(item);
      (*why)[item] = result.reason;
      if (result.domain == EntityId::kNone) continue;
      classifier.decided(item, result.domain);
      found.emplace(item, std::move(result));
    }
    if (found.size() == before) break;
  }
  std::vector<std::pair<EntityId, Classification>> list;
  for (const EntityId item : items) {
    if (const auto it = found.find(item); it != found.end()) list.emplace_back(item, it->second);
  }
  return list;
}

}  // namespace

Status sort_inbox(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  if (cycle.work().empty()) return {};
  std::vector<EntityId> items;
  for (const EntityId item : members_of_inbox(reading)) {
    if (reading.is_protected(item) || !reading.is_concept(item)) {
      cycle.leave("left in Unsorted", reading.title(item), "it is protected");
      continue;
    }
    if (cycle.work().is_everything() || is_news(cycle.work(), reading, item)) items.push_back(item);
  }
  std::map<EntityId, std::string> why;
  const auto found = classify_together(reading, items, &why);
  for (const auto& [item, result] : found) {
    Action action{"filed", reading.title(item), result.reason, {}, reading.trust(item)};
    action.statements.push_back(
        put_into(reading, item, result.domain, "SleepReclassification", kReclassified));
    action.statements.push_back(take_out_of(reading, item, reading.unsorted()));
    if (!cycle.act(std::move(action))) return {};
    why.erase(item);
  }
  for (const EntityId item : items) {
    if (const auto it = why.find(item); it != why.end())
      cycle.leave("left in Unsorted", reading.title(item), it->second);
  }
  return {};
}

namespace {

constexpr std::string_view kNewDomain =
    "UPSERT { CONCEPT { {type: \"Domain\", name: :name} SET ATTRIBUTES {description: "
    ":description, made_by: \"$system\"} } } WITH METADATA {source: \"OrphanResolution\", author: "
    "\"$system\", confidence: 0.7}";
constexpr std::string_view kPutIntoNew =
    "UPSERT { PROPOSITION { ({id: :item}, \"belongs_to_domain\", {type: \"Domain\", name: "
    ":domain}) } WITH METADATA {source: \"OrphanResolution\", author: \"$system\", confidence: "
    "0.7} }";

// Orphans of the cycle's work: no events that the next phase is going to archive.
std::vector<EntityId> orphans_of(const Cycle& cycle, const Reading& reading) {
  const std::int64_t cutoff =
      cycle.time().microseconds - cycle.policy().stale_after_days * kMicrosecondsPerDay;
  std::vector<EntityId> orphans;
  for (const EntityId item : cycle.work().concepts()) {
    if (!reading.is_orphan(item)) continue;
    if (reading.snapshot().type_of(item) == reading.event_type()) {
      const auto began = reading.time(item, "start_time");
      if (began && began->microseconds < cutoff && reading.is_waiting_event(item)) continue;
    }
    orphans.push_back(item);
  }
  return orphans;
}

// Enough concepts of one type that nobody has a domain for get one by the name of the type.
bool give_them_a_domain(Cycle& cycle, const Reading& reading, EntityId type,
                        std::span<const EntityId> items) {
  const std::string name(reading.snapshot().name(type));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const EntityId item = items[i];
    Action action{
        "filed",
        reading.title(item),
        fmt::format("{} concepts of type {} had no domain; they share one", items.size(), name),
        {},
        reading.trust(item)};
    action.statements.push_back(
        {kNewDomain, Json::object({{"name", name}, {"description", "Concepts of type " + name}})});
    action.statements.push_back(
        {kPutIntoNew, Json::object({{"item", reading.id(item)}, {"domain", name}})});
    if (!cycle.act(std::move(action))) return false;
  }
  return true;
}

// One that sleep made before is used for a single newcomer, too.
bool deserves_a_domain(const Cycle& cycle, const Reading& reading, EntityId type,
                       std::size_t items) {
  const EntityId known = reading.domain(reading.snapshot().name(type));
  if (known == EntityId::kNone) return items >= cycle.policy().fewest_for_a_domain;
  return reading.text(known, "made_by") == "$system" && reading.domains_of(known).empty();
}

}  // namespace

Status resolve_orphans(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  const std::vector<EntityId> orphans = orphans_of(cycle, reading);
  std::map<EntityId, std::string> why;
  std::vector<EntityId> plain;
  for (const EntityId item : orphans) {
    if (!reading.is_definition(item)) {
      plain.push_back(item);
      continue;
    }
    Action action{
        "filed", reading.title(item), "definitions belong to CoreSchema", {}, reading.trust(item)};
    action.statements.push_back(
        put_into(reading, item, reading.core(), "OrphanResolution", kResolved));
    if (!cycle.act(std::move(action))) return {};
  }
  for (const auto& [item, result] : classify_together(reading, plain, &why)) {
    Action action{"filed", reading.title(item), result.reason, {}, reading.trust(item)};
    action.statements.push_back(
        put_into(reading, item, result.domain, "OrphanResolution", kResolved));
    if (!cycle.act(std::move(action))) return {};
    why.erase(item);
  }
  std::map<EntityId, std::vector<EntityId>> by_type;
  for (const EntityId item : plain) {
    if (why.contains(item)) by_type[reading.snapshot().type_of(item)].push_back(item);
  }
  for (const auto& [type, items] : by_type) {
    if (deserves_a_domain(cycle, reading, type, items.size())) {
      if (!give_them_a_domain(cycle, reading, type, items)) return {};
      continue;
    }
    for (const EntityId item : items) {
      Action action{"put into Unsorted", reading.title(item), why[item], {}, reading.trust(item)};
      action.statements.push_back(
          put_into(reading, item, reading.unsorted(), "OrphanResolution", kForLater));
      if (!cycle.act(std::move(action))) return {};
    }
  }
  return {};
}

}  // namespace anima::sleep::detail
