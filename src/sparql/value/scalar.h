// Scalar functions: one row at a time, from the codes of the arguments to the code of the result.
//
// What every function shares is here: which of them there are, and how they read their arguments.
// Thread-safety: as Values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "query/values.h"
#include "sparql/value/functions.h"
#include "sparql/value/value.h"

namespace anima::sparql::value {

struct Call {
  query::Values& values;
  const ExpressionContext& context;
  std::span<const std::uint32_t> cells;

  std::uint32_t boolean(bool value) const { return values.boolean(value).code; }
};

using Scalar = std::uint32_t (*)(const Call& call);

struct ScalarEntry {
  std::string_view name;
  Scalar apply = nullptr;
  bool sees_errors = false;  // it is called also where an argument is an error
  bool varies = false;
};

// Sorted by nothing; a handful each.
std::span<const ScalarEntry> term_functions();      // 17.4.1 and 17.4.2
std::span<const ScalarEntry> string_functions();    // 17.4.3
std::span<const ScalarEntry> number_functions();    // 17.4.4
std::span<const ScalarEntry> calendar_functions();  // 17.4.5
std::span<const ScalarEntry> hash_functions();      // 17.4.6

// + - * / of two terms, and + - of one; 0 when there is no such number.
enum class Arithmetic : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide };
std::uint32_t compute(query::Values& values, Arithmetic operation, std::uint32_t a,
                      std::uint32_t b);
std::optional<Value> compute(Arithmetic operation, const Value& a, const Value& b);
std::uint32_t negate(query::Values& values, std::uint32_t code);

// The term as a datatype of XML Schema; 0 when it cannot be. Null: there is no such cast.
const Datatype* find_cast(std::string_view iri);
std::uint32_t cast(query::Values& values, const Datatype& type, std::uint32_t code);

// True, false, or nullopt for an error.
std::optional<bool> effective_boolean(query::Values& values, std::uint32_t code);

}  // namespace anima::sparql::value
