// When a question is asked: the moment, and the clock of who asks, which says what day it is.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace anima::ask {

struct AskTime {
  Timestamp time;
  std::int64_t offset_seconds = 0;  // of the asker's clock from UTC

  operator Timestamp() const { return time; }  // NOLINT: where only the moment matters
};

}  // namespace anima::ask
