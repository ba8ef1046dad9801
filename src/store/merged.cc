#include "store/merged.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "store/state/versions.h"
#include "store/symbols.h"

namespace anima::store {

std::optional<EntityId> called_by_name_of(const Snapshot& now, EntityId entity) {
  const auto other = find_by_alias(now, now.name(entity), now.type_of(entity));
  return other == entity ? std::nullopt : other;
}

std::optional<EntityId> merged_into(const Snapshot& now, EntityId entity) {
  return now.exists(entity) ? std::nullopt : called_by_name_of(now, entity);
}

std::optional<Sequence> made_anew(const Snapshot& now, EntityId entity) {
  if (now.kind(entity) != EntityKind::kConcept || !now.exists(entity)) return std::nullopt;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stood;  // (from, to)
  detail::visit_versions(now.state(), entity, kTypePredicate, Term::entity(now.type_of(entity)),
                         [&](const detail::Version& version) {
                           if (!version.quoted()) stood.emplace_back(version.born, version.died);
                         });
  std::ranges::sort(stood, std::greater(), [](const auto& one) { return one.second; });
  std::uint64_t since = detail::kAlive;
  for (const auto& [from, to] : stood) {
    if (to < since) return since == detail::kAlive ? std::nullopt : std::optional(Sequence{since});
    since = std::min(since, from);
  }
  return std::nullopt;
}

std::optional<EntityId> merged_since(const Snapshot& now, EntityId entity, Sequence entry) {
  if (now.kind(entity) != EntityKind::kConcept) return std::nullopt;
  if (!now.exists(entity)) return called_by_name_of(now, entity);
  const auto anew = made_anew(now, entity);
  return anew && entry < *anew ? called_by_name_of(now, entity) : std::nullopt;
}

}  // namespace anima::store
