// MemoryLog: the log of a space that lives in memory. Same interface, same hashes; ends with the
// process. Thread-safety: as Log.
#pragma once

#include <memory>

#include "store/log.h"

namespace anima::store::detail {

std::unique_ptr<Log> make_memory_log();

}  // namespace anima::store::detail
