// What code that compares enumerators relies on, said where it compares them:
//
//   static_assert(follow_each_other({Kind::kInteger, Kind::kDecimal, Kind::kDouble}));
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace anima {

// Whether each enumerator is the number behind the one before it, so that the list is a whole
// range.
template <class E>
consteval bool follow_each_other(std::initializer_list<E> all) {
  using Number = std::underlying_type_t<E>;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (static_cast<Number>(all.begin()[i]) != static_cast<Number>(all.begin()[i - 1]) + 1)
      return false;
  }
  return true;
}

// Whether each enumerator is greater than the one before it.
template <class E>
consteval bool ascend(std::initializer_list<E> all) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all.begin()[i] <= all.begin()[i - 1]) return false;
  }
  return true;
}

}  // namespace anima
