// SalvagedLog: what comes before the damage of a log, as if it were the whole log. For reading.
// Thread-safety: as Log.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "store/log.h"

namespace anima::store::detail {

struct Salvaged {
  std::unique_ptr<Log> log;
  std::optional<Error> damage;  // what ended it; none: it is whole
};

// Reads all of it, O(log). Errors: those of reading that are no damage.
Result<Salvaged> salvage_log(std::unique_ptr<Log> damaged);

}  // namespace anima::store::detail
