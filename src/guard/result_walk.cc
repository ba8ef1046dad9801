#include "guard/result_walk.h"

#include <algorithm>

namespace anima::guard {
namespace {

using govern::FieldStep;
using Kind = govern::FieldStep::Kind;

constexpr int kDeepestSchema = 32;

void walk_into(const Json& value, const Walk& visit, ScalarPlace& at) {
  if (value.is_array() && !value.as_array().empty()) {
    at.place.push_back({Kind::kItem});
    at.items.push_back(0);
    for (const Json& each : value.as_array()) {
      walk_into(each, visit, at);
      ++at.items.back();
    }
    at.items.pop_back();
    at.place.pop_back();
  } else if (value.is_object() && !value.as_object().empty()) {
    if (visit.object) visit.object(at, value);
    for (const auto& [name, each] : value.as_object()) {
      const bool known = visit.known == nullptr || visit.known->contains(name);
      if (visit.key && !known) {
        at.place.push_back({Kind::kKey});
        visit.key(at, Json(name));
        at.place.pop_back();
      }
      at.place.push_back({Kind::kMember, name});
      walk_into(each, visit, at);
      at.place.pop_back();
    }
  } else {
    visit.scalar(at, value);
  }
}

void add_scalars(const Json& value, std::vector<const Json*>& found) {
  if (value.is_array()) {
    for (const Json& each : value.as_array()) add_scalars(each, found);
  } else if (value.is_object()) {
    for (const auto& [name, each] : value.as_object()) add_scalars(each, found);
  } else {
    found.push_back(&value);
  }
}

// `bound`: the path has been that of `near` so far, whose next item is number `item`.
void find_scalars(const Json& value, std::span<const FieldStep> path, const ScalarPlace& near,
                  std::size_t step, std::size_t item, bool bound, std::vector<const Json*>& found) {
  if (step == path.size()) return add_scalars(value, found);
  const FieldStep& next = path[step];
  bound = bound && step < near.place.size() && near.place[step].kind == next.kind;
  if (next.kind == Kind::kMember) {
    bound = bound && near.place[step].name == next.name;
    if (const Json* member = value.find(next.name))
      find_scalars(*member, path, near, step + 1, item, bound, found);
  } else if (next.kind == Kind::kItem) {
    const JsonArray& items = value.as_array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!bound || i == near.items[item])
        find_scalars(items[i], path, near, step + 1, item + 1, bound, found);
    }
  } else if (next.kind == Kind::kAnyMember) {
    for (const auto& [name, each] : value.as_object())
      find_scalars(each, path, near, step + 1, item, false, found);
  }
}

void add_names(const Json& schema, int depth, std::set<std::string, std::less<>>& names) {
  if (depth > kDeepestSchema) return;
  if (schema.is_array()) {
    for (const Json& each : schema.as_array()) add_names(each, depth + 1, names);
  }
  for (const auto& [keyword, value] : schema.as_object()) {
    if (keyword == "properties") {
      for (const auto& [name, property] : value.as_object()) names.insert(name);
    }
    if (keyword != "enum" && keyword != "const" && keyword != "default")
      add_names(value, depth + 1, names);
  }
}

}  // namespace

void walk(const Json& value, const Walk& visit, ScalarPlace from) { walk_into(value, visit, from); }

std::vector<const Json*> scalars_at(const Json& root, const govern::FieldPath& path,
                                    const ScalarPlace& near) {
  std::vector<const Json*> found;
  find_scalars(root, path.steps(), near, 0, 0, true, found);
  return found;
}

void add_schema_names(const Json& schema, std::set<std::string, std::less<>>& names) {
  add_names(schema, 0, names);
}

}  // namespace anima::guard
