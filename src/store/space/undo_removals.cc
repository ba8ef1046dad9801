#include "store/space/undo_removals.h"

#include <algorithm>
#include <utility>

#include "store/merged.h"
#include "store/state/versions.h"

namespace anima::store::detail {
namespace {

// When it stood: (from, to).
using Stood = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

void add_ends(const Snapshot& now, const Triple& statement, std::vector<Sequence>& ends) {
  Stood stood;
  visit_versions(now.state(), statement.subject, statement.predicate, statement.object,
                 [&](const Version& version) {
                   if (!version.quoted()) stood.emplace_back(version.born, version.died);
                 });
  for (const auto& [from, to] : stood) {
    const bool went_on = std::ranges::any_of(
        stood, [end = to](const auto& other) { return other.first <= end && end < other.second; });
    // An undo takes nothing away: it leaves what would be there.
    if (to != kAlive && !went_on && !now.state().entry(to).undo) ends.push_back(Sequence{to});
  }
}

void add_removals(const Snapshot& now, EntityId entity, std::vector<Sequence>& ends) {
  if (entity == EntityId::kNone) return;
  if (now.kind(entity) == EntityKind::kConcept) {
    if (merged_into(now, entity)) return;
    add_ends(now, {entity, kTypePredicate, Term::entity(now.type_of(entity))}, ends);
  } else if (now.kind(entity) == EntityKind::kProposition) {
    const Triple link = now.triple_of(entity);
    add_ends(now, link, ends);
    add_removals(now, link.subject, ends);
    if (link.object.is_entity()) add_removals(now, link.object.as_entity(), ends);
  }
}

}  // namespace

std::vector<Sequence> removals_of(const Snapshot& now, const WrittenKey& key) {
  std::vector<Sequence> ends;
  add_removals(now, key.subject, ends);
  if (names_link(key)) {
    add_removals(now, key.predicate.as_link(), ends);
    if (key.object.is_entity()) add_removals(now, key.object.as_entity(), ends);
  }
  return ends;
}

std::vector<WrittenKey> said_of_moved(const Snapshot& now, std::span<const Restore> restores,
                                      const Members& members) {
  std::vector<WrittenKey> keys;
  const auto add = [&](const Version& version) {
    const Predicate predicate = version.triple.predicate;
    if (version.quoted() || predicate == kNamePredicate) return;
    const bool one_object =
        predicate == kTypePredicate || predicate.predicate_class() == PredicateClass::kLink;
    now.state().each_context(version.set, [&](std::uint32_t, const Context& context) {
      keys.push_back({static_cast<GraphId>(context.graph), version.triple.subject, predicate,
                      one_object ? version.triple.object : Term{}});
    });
  };
  const auto add_link = [&](const Version& version) {
    if (version.triple.predicate.predicate_class() != PredicateClass::kLink) return;
    add(version);
    if (version.proposition != 0)
      visit_versions(now.state(), SubjectCode{version.proposition}, {}, {}, add);
  };
  for (const Restore& one : restores) {
    const bool goes = one.step == UndoStep::kRetractConcept && members.undo_something();
    if (one.step != UndoStep::kAssertConcept && !goes) continue;
    const auto code = static_cast<std::uint32_t>(one.key.subject);
    visit_versions(now.state(), SubjectCode{code}, {}, {}, [&](const Version& version) {
      version.triple.predicate.predicate_class() == PredicateClass::kLink ? add_link(version)
                                                                          : add(version);
    });
    visit_versions_of_object(now.state(), ObjectCode{code}, add_link);
  }
  return keys;
}

}  // namespace anima::store::detail
