// Phase 8: domains that are too small for a shelf of their own, or too large to be one.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sleep/detail/actions.h"
#include "sleep/detail/phases.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kSubdomain =
    "UPSERT { CONCEPT ?part { {type: \"Domain\", name: :name} SET ATTRIBUTES {description: "
    ":description, made_by: \"$system\"} SET PROPOSITIONS { (\"belongs_to_domain\", {id: :parent}) "
    "} } } WITH METADATA {source: \"SleepDomainHealth\", author: \"$system\"}";
constexpr std::string_view kIntoPart =
    "UPSERT { PROPOSITION { ({id: :item}, \"belongs_to_domain\", {type: \"Domain\", name: :part}) "
    "} } WITH METADATA {source: \"SleepDomainHealth\", author: \"$system\", confidence: 0.85}";
// A part of a part, and one of that: enough for a million concepts.
constexpr int kRounds = 3;

struct Shelf {
  EntityId domain;
  std::vector<EntityId> members;  // but domains and events
  std::size_t parts = 0;          // domains in it
  std::size_t events = 0;         // which leave it by themselves
};

std::vector<EntityId> all_domains(const Reading& reading) {
  std::vector<EntityId> domains;
  if (reading.domain_type() == EntityId::kNone) return domains;
  store::Scratch scratch;
  for (const std::uint32_t code : reading.snapshot().subjects(
           store::kTypePredicate, Term::entity(reading.domain_type()), scratch))
    domains.push_back(EntityId{code});
  return domains;
}

bool is_tended(const Reading& reading, EntityId domain) {
  if (reading.is_protected(domain) || reading.is_shared(domain)) return false;
  const auto above = reading.domains_of(domain);
  return std::find(above.begin(), above.end(), reading.archived()) == above.end();
}

Shelf shelf_of(const Reading& reading, EntityId domain) {
  Shelf shelf{domain, {}, 0, 0};
  store::Scratch scratch;
  for (const std::uint32_t code : reading.snapshot().subjects(*reading.link("belongs_to_domain"),
                                                              Term::entity(domain), scratch)) {
    const bool plain = reading.snapshot().kind(EntityId{code}) == store::EntityKind::kConcept;
    const EntityId type = plain ? reading.snapshot().type_of(EntityId{code}) : EntityId::kNone;
    if (plain && type == reading.domain_type()) {
      ++shelf.parts;
    } else if (plain && type == reading.event_type()) {
      ++shelf.events;
    } else {
      shelf.members.push_back(EntityId{code});
    }
  }
  return shelf;
}

EntityId parent_of(const Reading& reading, EntityId domain) {
  for (const EntityId above : reading.domains_of(domain)) {
    if (above != domain && !reading.is_special_domain(above)) return above;
  }
  return EntityId::kNone;
}

// The domain of a type, and that of the quarter's digests.
bool fills_again(const Reading& reading, const Shelf& shelf) {
  const std::string_view name = reading.snapshot().name(shelf.domain);
  return reading.type(name) != EntityId::kNone ||
         (name.starts_with("Digests ") && !shelf.members.empty());
}

// Its members move to the broader domain; it is archived, never deleted.
bool tend_small(Cycle& cycle, const Reading& reading, const Shelf& shelf) {
  const EntityId parent = parent_of(reading, shelf.domain);
  const std::string members = fmt::format("only {} members", shelf.members.size());
  const bool made_here = reading.text(shelf.domain, "made_by") == "$system";
  if (made_here && fills_again(reading, shelf)) return true;
  if (shelf.parts != 0 || (parent == EntityId::kNone && !(made_here && shelf.members.empty()))) {
    cycle.leave("small domain kept", reading.title(shelf.domain),
                members + (shelf.parts != 0 ? ", but domains of its own"
                                            : ", and no broader domain; for review"));
    return true;
  }
  Action action{"merged into its parent",
                reading.title(shelf.domain),
                members,
                {},
                reading.trust(shelf.domain)};
  for (const EntityId item : shelf.members) {
    action.trust = std::min(action.trust, reading.trust(item));
    action.statements.push_back(put_into(reading, item, parent, "SleepDomainHealth", 0.85));
    action.statements.push_back(take_out_of(reading, item, shelf.domain));
  }
  for (Statement& statement : archive(cycle, reading, shelf.domain))
    action.statements.push_back(std::move(statement));
  return cycle.act(std::move(action));
}

using Parts = std::map<std::string, std::vector<EntityId>>;

// By type, where there are several; else by the thing that most members are linked to.
Parts parts_of(const Reading& reading, const Shelf& shelf, const Policy& policy) {
  const Snapshot& snapshot = reading.snapshot();
  Parts by_type;
  for (const EntityId item : shelf.members)
    by_type[std::string(snapshot.name(snapshot.type_of(item)))].push_back(item);
  std::erase_if(by_type,
                [&](const auto& part) { return part.second.size() < policy.fewest_for_a_domain; });
  if (by_type.size() >= 2) return by_type;
  std::map<EntityId, std::vector<EntityId>> hubs;
  store::Scratch scratch;
  for (const EntityId item : shelf.members) {
    std::set<EntityId> others;
    const auto each = [&](const store::Edges& edges) {
      for (std::size_t i = 0; i < edges.size() && others.size() < 32; ++i) {
        const Term other{edges.others[i]};
        if (other.is_entity() && !reading.is_bookkeeping(Predicate{edges.predicates[i]}))
          others.insert(other.as_entity());
      }
    };
    each(snapshot.outgoing(item, store::PredicateClass::kLink, scratch));
    each(snapshot.incoming(Term::entity(item), store::PredicateClass::kLink, scratch));
    for (const EntityId other : others) hubs[other].push_back(item);
  }
  std::vector<std::pair<std::size_t, EntityId>> ranked;
  for (const auto& [hub, items] : hubs) {
    if (snapshot.kind(hub) == store::EntityKind::kConcept && reading.is_concept(hub) &&
        items.size() >= policy.fewest_for_a_domain && items.size() <= policy.large_domain)
      ranked.emplace_back(items.size(), hub);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  Parts parts;
  std::set<EntityId> placed;
  std::size_t left = shelf.members.size();
  for (const auto& [size, hub] : ranked) {
    if (left <= policy.large_domain) break;
    std::vector<EntityId> items;
    for (const EntityId item : hubs[hub]) {
      if (!placed.contains(item)) items.push_back(item);
    }
    if (items.size() < policy.fewest_for_a_domain) continue;
    placed.insert(items.begin(), items.end());
    left -= items.size();
    parts[std::string(snapshot.name(hub))] = std::move(items);
  }
  return parts;
}

bool tend_large(Cycle& cycle, const Reading& reading, const Shelf& shelf) {
  const Parts parts = parts_of(reading, shelf, cycle.policy());
  if (parts.empty()) {
    cycle.leave("large domain kept", reading.title(shelf.domain),
                fmt::format("{} members, and nothing that divides them", shelf.members.size()));
    return true;
  }
  const std::string parent(reading.snapshot().name(shelf.domain));
  for (const auto& [name, items] : parts) {
    Action action{"divided",
                  reading.title(shelf.domain),
                  fmt::format("{} members; {} go to \"{}: {}\"", shelf.members.size(), items.size(),
                              parent, name),
                  {},
                  reading.trust(shelf.domain),
                  items.size()};
    const std::string part = parent + ": " + name;
    action.statements.push_back(
        {kSubdomain,
         Json::object({{"name", part},
                       {"description", "Of " + parent + ", what has to do with " + name},
                       {"parent", reading.id(shelf.domain)}})});
    for (const EntityId item : items) {
      action.trust = std::min(action.trust, reading.trust(item));
      action.statements.push_back(
          {kIntoPart, Json::object({{"item", reading.id(item)}, {"part", part}})});
      action.statements.push_back(take_out_of(reading, item, shelf.domain));
    }
    if (!cycle.act(std::move(action))) return false;
  }
  return true;
}

// The domains to look at: those that the work belongs to, and their new parts.
std::vector<EntityId> domains_to_tend(const Cycle& cycle, const Reading& reading) {
  if (cycle.work().is_everything()) return all_domains(reading);
  std::set<EntityId> domains;
  for (const EntityId item : cycle.work().concepts()) {
    if (!reading.is_concept(item)) continue;
    if (reading.snapshot().type_of(item) == reading.domain_type()) domains.insert(item);
    for (const EntityId domain : reading.domains_of(item)) domains.insert(domain);
  }
  return {domains.begin(), domains.end()};
}

}  // namespace

Status tend_domains(Cycle& cycle) {
  for (int round = 0; round < kRounds && !cycle.cut(); ++round) {
    ANIMA_ASSIGN(const Reading reading, cycle.read());
    if (!reading.link("belongs_to_domain") || cycle.work().empty()) return {};
    const std::size_t before = cycle.changes();
    for (const EntityId domain : domains_to_tend(cycle, reading)) {
      if (!is_tended(reading, domain)) continue;
      const Shelf shelf = shelf_of(reading, domain);
      const bool last_round = round + 1 == kRounds;
      if (shelf.members.size() <= cycle.policy().small_domain) {
        if (round == 0 && shelf.events == 0 && !tend_small(cycle, reading, shelf)) return {};
      } else if (shelf.members.size() > cycle.policy().large_domain) {
        if (!last_round && !tend_large(cycle, reading, shelf)) return {};
      }
    }
    ANIMA_TRY(cycle.flush());
    if (cycle.changes() == before) return {};
  }
  return {};
}

}  // namespace anima::sleep::detail
