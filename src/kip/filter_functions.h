// The functions of FILTER: one row each, from which the parser, the writer of canonical text, the
// prompt's completion and its help are fed. A new function is a row here, a kind of condition
// (syntax.h) and its evaluation (detail/functions.h). Thread-safety: constants.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kip/syntax.h"

namespace anima::kip {

enum class FilterArguments : std::uint8_t {
  kOne,       // IS_NULL(?x.name)
  kTwo,       // CONTAINS(?x.name, "a")
  kValueList  // IN(?x.name, ["a", "b"]); the list may be one placeholder
};

struct FilterFunction {
  std::string_view name;
  Condition::Kind kind;
  FilterArguments arguments;
  std::string_view help;  // a phrase, without a full stop
};

inline constexpr std::array<FilterFunction, 7> kFilterFunctions = {{
    {"CONTAINS", Condition::Kind::kContains, FilterArguments::kTwo,
     "the first text holds the second"},
    {"STARTS_WITH", Condition::Kind::kStartsWith, FilterArguments::kTwo,
     "the first text begins with the second"},
    {"ENDS_WITH", Condition::Kind::kEndsWith, FilterArguments::kTwo,
     "the first text ends with the second"},
    {"REGEX", Condition::Kind::kRegex, FilterArguments::kTwo,
     "the text has a match of the pattern (RE2)"},
    {"IN", Condition::Kind::kIn, FilterArguments::kValueList, "the value is one of the list"},
    {"IS_NULL", Condition::Kind::kIsNull, FilterArguments::kOne, "there is no such value"},
    {"IS_NOT_NULL", Condition::Kind::kIsNotNull, FilterArguments::kOne, "there is such a value"},
}};

// Null: no function of FILTER. Complexity: O(functions).
constexpr const FilterFunction* find_filter_function(std::string_view name) {
  for (const FilterFunction& each : kFilterFunctions)
    if (each.name == name) return &each;
  return nullptr;
}
constexpr const FilterFunction* find_filter_function(Condition::Kind kind) {
  for (const FilterFunction& each : kFilterFunctions)
    if (each.kind == kind) return &each;
  return nullptr;
}

// The writer takes every condition between these for a call.
static_assert([] {
  for (auto kind = static_cast<int>(Condition::Kind::kContains);
       kind <= static_cast<int>(Condition::Kind::kIsNotNull); ++kind)
    if (find_filter_function(static_cast<Condition::Kind>(kind)) == nullptr) return false;
  return true;
}());

}  // namespace anima::kip
