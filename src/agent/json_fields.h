// Reading stored JSON members with a default for what is missing and an error for what is wrong.
// Thread-safety: functions without shared state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace anima::agent {

inline std::string text_of(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr && found->is_string() ? found->as_string() : std::string();
}

inline std::uint64_t count_of(const Json& json, std::string_view key, std::uint64_t missing = 0) {
  const Json* found = json.find(key);
  return found != nullptr && found->is_integer() && found->as_integer() >= 0
             ? static_cast<std::uint64_t>(found->as_integer())
             : missing;
}

inline double number_of(const Json& json, std::string_view key, double missing = 0) {
  const Json* found = json.find(key);
  return found != nullptr && found->is_number() ? found->as_number() : missing;
}

inline bool flag_of(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr && found->is_bool() && found->as_bool();
}

// The items of an array member; empty when it is missing or no array.
inline const JsonArray& items_of(const Json& json, std::string_view key) {
  static const JsonArray kNothing;
  const Json* found = json.find(key);
  return found != nullptr && found->is_array() ? found->as_array() : kNothing;
}

}  // namespace anima::agent
