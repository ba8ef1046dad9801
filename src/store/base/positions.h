// Codes that know their place in a statement. A call that hands a predicate over where an object is
// wanted does not compile; reading the number back is free and needs no word.
// Thread-safety: plain values.
#pragma once

#include <compare>
#include <cstdint>

#include "store/ids.h"

namespace anima::store {

constexpr std::uint32_t code_of(EntityId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t code_of(Predicate predicate) { return predicate.code; }
constexpr std::uint32_t code_of(Term term) { return term.code; }

// Typed is what the public interface says in this place of a statement.
template <typename Typed>
struct CodeAt {
  std::uint32_t value = 0;  // 0: none, or any

  constexpr CodeAt() = default;
  constexpr explicit CodeAt(std::uint32_t code) : value(code) {}
  constexpr CodeAt(Typed typed) : value(code_of(typed)) {}    // NOLINT(google-explicit-constructor)
  constexpr operator std::uint32_t() const { return value; }  // NOLINT(google-explicit-constructor)
  constexpr Typed typed() const { return Typed{value}; }
  auto operator<=>(const CodeAt&) const = default;
};

using SubjectCode = CodeAt<EntityId>;
using PredicateCode = CodeAt<Predicate>;
using ObjectCode = CodeAt<Term>;

}  // namespace anima::store
