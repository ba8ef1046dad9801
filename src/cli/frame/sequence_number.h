// The number of an entry, as people read and type it. Thread-safety: a function without state.
#pragma once

#include <cstdint>

#include "store/ids.h"

namespace anima::cli {

constexpr std::uint64_t sequence_number(store::Sequence sequence) {
  return static_cast<std::uint64_t>(sequence);
}

}  // namespace anima::cli
