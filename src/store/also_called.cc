#include "store/also_called.h"

#include <algorithm>
#include <string>

#include "base/json/json.h"

namespace anima::store {
namespace {

constexpr std::string_view kAliases = "aliases";

bool names_it(const ValueView& value, std::string_view name) {
  if (value.kind == ValueKind::kString) return value.text == name;
  const auto list = parse_json(value.text);
  if (!list || !list->is_array()) return false;
  return std::ranges::any_of(list->as_array(), [&](const Json& one) {
    return one.is_string() && one.as_string() == name;
  });
}

}  // namespace

std::optional<EntityId> find_by_alias(const Snapshot& snapshot, std::string_view name,
                                      std::optional<EntityId> type) {
  const auto key = snapshot.find_string(kAliases);
  if (!key) return std::nullopt;
  TextQuery query;
  query.text = name;
  query.type = type;
  query.prefix = query.fuzzy = false;
  std::optional<EntityId> found;
  for (const TextHit& hit : snapshot.search(query)) {
    Scratch scratch;
    const auto codes = snapshot.objects(hit.entity, Predicate::attribute(*key), scratch);
    const bool called_so = std::ranges::any_of(
        codes, [&](std::uint32_t code) { return names_it(snapshot.value(Term{code}), name); });
    if (!called_so) continue;
    if (found) return std::nullopt;
    found = hit.entity;
  }
  return found;
}

}  // namespace anima::store
