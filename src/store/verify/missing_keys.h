// Keys that the log names and that are not here: what is sealed under them cannot be read until
// they are back. A key that was destroyed is not missing. Thread-safety: functions without state.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/ids.h"
#include "store/space.h"

namespace anima::store {

struct MissingKey {
  std::string seal;               // name#generation
  std::vector<Sequence> entries;  // that are sealed under it, or hold records that are
};
// By name. Errors: those of the log. O(log).
Result<std::vector<MissingKey>> missing_seal_keys(Space& space);

}  // namespace anima::store
