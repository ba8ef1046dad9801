// Typed numbers: a ConceptId and a Sequence share a representation but never an interface.
//
//   struct SequenceTag;
//   using Sequence = Strong<SequenceTag, std::uint64_t>;
//
// A Strong is as cheap as its number, ordered and hashable, and never converts by itself.
// Thread-safety: plain values.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>

namespace anima {

template <typename Tag, std::integral T>
struct Strong {
  using Value = T;

  T value{};

  constexpr Strong() = default;
  constexpr explicit Strong(T initial) : value(initial) {}
  constexpr auto operator<=>(const Strong&) const = default;
  constexpr Strong next() const { return Strong(static_cast<T>(value + 1)); }
};

}  // namespace anima

template <typename Tag, typename T>
struct std::hash<anima::Strong<Tag, T>> {
  std::size_t operator()(const anima::Strong<Tag, T>& id) const noexcept {
    return std::hash<T>{}(id.value);
  }
};
