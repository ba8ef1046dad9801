#include "ask/lexicon/statement_changes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace anima::ask {

using store::EntityId;
using store::PredicateClass;
using store::Snapshot;
using store::Triple;

namespace {

// In a view of what is trusted a thing may be there because of what is said of it.
void add_existence(const Snapshot& before, const Snapshot& now, EntityId entity,
                   StatementChanges& changes) {
  if (now.kind(entity) != store::EntityKind::kConcept) return;
  const Triple triple{entity, store::kTypePredicate, store::Term::entity(now.type_of(entity))};
  const bool is_now = now.contains(triple);
  if (before.contains(triple) != is_now) changes.statements.push_back({triple, is_now});
}

}  // namespace

StatementChanges changed_statements(const Snapshot& before, const Snapshot& now,
                                    const std::vector<store::WrittenKey>& keys) {
  StatementChanges changes;
  store::Scratch old_room, new_room;
  for (const store::WrittenKey& key : keys) {
    changes.written.push_back(key.subject);
    if (key.predicate == store::kNamePredicate) continue;
    switch (key.predicate.predicate_class()) {
      case PredicateClass::kMetadata:
        break;
      case PredicateClass::kAttribute: {
        const auto had = before.objects(key.subject, key.predicate, old_room);
        const auto has = now.objects(key.subject, key.predicate, new_room);
        const auto difference = [&](auto a, auto b, bool is_now) {
          std::vector<std::uint32_t> gone;
          std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(gone));
          for (const std::uint32_t code : gone)
            changes.statements.push_back({{key.subject, key.predicate, store::Term{code}}, is_now});
        };
        difference(had, has, false);
        difference(has, had, true);
        break;
      }
      default: {
        const Triple triple{key.subject, key.predicate, key.object};
        const bool is_now = now.contains(triple);
        if (before.contains(triple) != is_now) changes.statements.push_back({triple, is_now});
      }
    }
    add_existence(before, now, key.subject, changes);
    if (key.predicate.predicate_class() == PredicateClass::kLink && key.object.is_entity())
      add_existence(before, now, key.object.as_entity(), changes);
  }
  const auto less = [](const StatementChanges::One& a, const StatementChanges::One& b) {
    return a.triple < b.triple;
  };
  const auto same = [](const StatementChanges::One& a, const StatementChanges::One& b) {
    return a.triple == b.triple;
  };
  auto& list = changes.statements;
  std::sort(list.begin(), list.end(), less);
  list.erase(std::unique(list.begin(), list.end(), same), list.end());
  auto& written = changes.written;
  std::sort(written.begin(), written.end());
  written.erase(std::unique(written.begin(), written.end()), written.end());
  return changes;
}

}  // namespace anima::ask
