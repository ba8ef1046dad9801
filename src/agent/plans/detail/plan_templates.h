// Requests that the planner takes apart by a plan of their own. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "agent/plans/planner.h"

namespace anima::agent::detail {

// "Send a meeting summary to the team", "Schedule meeting with team [on DATE] [at HH:MM]"; nothing
// when the request is another.
Result<std::optional<RequestPlan>> decompose(std::string_view request, Timestamp now);

}  // namespace anima::agent::detail
