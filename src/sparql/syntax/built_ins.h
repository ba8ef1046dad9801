// The built-in functions and aggregates by name, with how many arguments they take. Pure functions.
// Source: SPARQL 1.1 Query Language, section 19.8, rules 121 to 127.
#pragma once

#include <cstddef>
#include <string_view>

namespace anima::sparql::syntax {

struct BuiltIn {
  std::string_view name;  // upper case
  std::size_t least = 1;
  std::size_t most = 1;
};

inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

// Null when there is none; `name` in upper case.
const BuiltIn* find_built_in(std::string_view name);
bool is_aggregate(std::string_view name);

}  // namespace anima::sparql::syntax
