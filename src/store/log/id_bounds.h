// What a finished transaction hands to the log, and how far it gave out ids. Thread-safety: plain
// values.
#pragma once

#include <cstdint>
#include <string>

#include "store/ids.h"
#include "store/log.h"

namespace anima::store::detail {

// How far ids were given out after an entry; kept in the clear beside a sealed payload, so that ids
// are never reused when the payload's key is gone.
struct IdBounds {
  std::uint32_t entities = 1;  // every EntityId given is below
  std::uint32_t literals = 0;  // every dictionary place given is below
  std::uint32_t graphs = 1;
};

// What finish() leaves for the log.
struct Finished {
  std::string payload;   // operations; empty: the function changed nothing
  std::string attached;  // encoded records that may be pruned one day
  IdBounds bounds;
  Trust most_trust = Trust::kSystem;  // of the entry, whoever makes it
};

}  // namespace anima::store::detail
