#include "guard/planned_values.h"

#include "guard/normal_value.h"

namespace anima::guard {
namespace {

JsonArray list_of(const Json* values) {
  if (values == nullptr) return {Json()};
  return values->is_array() ? values->as_array() : JsonArray{*values};
}

}  // namespace

PlannedValues::PlannedValues(const Json& arguments) {
  if (!arguments.is_object()) return;
  for (const auto& [name, given] : arguments.as_object()) {
    Values& values = values_[name];
    for (const Json& each : list_of(&given)) {
      const std::string normal = normal_value(each);
      if (normal.empty()) {
        values.whole = false;
      } else {
        values.normal.insert(normal);
      }
    }
  }
}

bool PlannedValues::has(std::string_view argument, const std::string& normal) const {
  const auto found = values_.find(argument);
  return found != values_.end() && found->second.normal.contains(normal);
}

bool PlannedValues::is_whole(std::string_view argument) const {
  const auto found = values_.find(argument);
  return found != values_.end() && found->second.whole;
}

Json planned_in_both(const Json& a, const Json& b) {
  Json both = Json::object();
  const auto add = [&](const Json& from, const Json& other) {
    if (!from.is_object()) return;
    for (const auto& [name, values] : from.as_object()) {
      if (both.find(name) != nullptr) continue;
      Json all(list_of(&values));
      const Json* others = other.is_object() ? other.find(name) : nullptr;
      for (Json& each : list_of(others)) all.push_back(std::move(each));
      both.set(name, std::move(all));
    }
  };
  add(a, b);
  add(b, a);
  return both;
}

}  // namespace anima::guard
