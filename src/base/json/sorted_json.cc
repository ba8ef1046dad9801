#include "base/json/sorted_json.h"

#include <algorithm>
#include <utility>

namespace anima {
namespace {

Json sorted(const Json& json) {
  if (json.is_array()) {
    JsonArray items;
    for (const Json& item : json.as_array()) items.push_back(sorted(item));
    return Json(std::move(items));
  }
  if (!json.is_object()) return json;
  JsonObject members;
  for (const auto& [key, value] : json.as_object()) members.emplace_back(key, sorted(value));
  std::ranges::sort(members, {}, &JsonMember::first);
  return Json(std::move(members));
}

}  // namespace

std::string sorted_json(const Json& json) { return sorted(json).dump(); }

}  // namespace anima
