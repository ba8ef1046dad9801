// Short names for the numbers that the files of the Writer deal in. Thread-safety: constants and
// functions without state.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "store/ids.h"

namespace anima::store::detail {

inline constexpr std::uint32_t kMaxId = kPayloadMask;

constexpr std::uint32_t code(EntityId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t code(GraphId id) { return static_cast<std::uint32_t>(id); }

// The predicate codes of a class lie in [class_first, class_last].
constexpr std::uint32_t class_first(PredicateClass kind) {
  return static_cast<std::uint32_t>(kind) << kTagShift;
}
constexpr std::uint32_t class_last(PredicateClass kind) { return class_first(kind) | kPayloadMask; }

inline tl::unexpected<Error> space_full() {
  return fail(ErrorCode::kLimitExceeded, "the space is full (2^30 entities)");
}

}  // namespace anima::store::detail
