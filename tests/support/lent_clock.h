// The clock of a test, lent to its space: what is told by it and what the log says have one time.
#pragma once

#include <memory>

#include "base/clock.h"

namespace anima::test {

// `clock` outlives what it is lent to.
inline std::shared_ptr<Clock> lent(Clock& clock) { return {std::shared_ptr<void>(), &clock}; }

}  // namespace anima::test
