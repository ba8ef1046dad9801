// The week of a moment as ISO 8601 counts it, in UTC: "2026-W14". Thread-safety: pure.
#pragma once

#include <string>

#include "base/clock.h"

namespace anima::sleep::detail {

std::string iso_week(Timestamp time);
std::string quarter(Timestamp time);  // "2026-Q2", of the week's Thursday

}  // namespace anima::sleep::detail
