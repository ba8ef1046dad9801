// Short names for the numbers that the files of the Writer deal in. Thread-safety: constants and
// functions without state.
#pragma once

#include <cstdint>

#include "store/ids.h"

namespace anima::store::detail {

constexpr std::uint32_t code(EntityId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t code(GraphId id) { return static_cast<std::uint32_t>(id); }

// The predicate codes of a class lie in [class_first, class_last].
constexpr std::uint32_t class_first(PredicateClass kind) {
  return static_cast<std::uint32_t>(kind) << kTagShift;
}
constexpr std::uint32_t class_last(PredicateClass kind) { return class_first(kind) | kPayloadMask; }

}  // namespace anima::store::detail
