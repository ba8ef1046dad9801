// How long the record of runs stays, as the setting agent.keep says. Thread-safety: functions
// without state.
#pragma once

#include <optional>
#include <string>

#include "cli/frame/context.h"
#include "store/space.h"

namespace anima::cli {

// Runs that ended before this time are old; none: they stay for ever. `age` is "90 days", empty:
// what agent.keep says. Errors: kInvalidArgument.
Result<std::optional<Timestamp>> keep_runs_since(const Context& context, const std::string& age);
// At the end of a verb that ran cycles: prunes what agent.keep calls old, once a day. What goes
// wrong is a warning.
void prune_old_runs(Context& context, store::Space& space);

}  // namespace anima::cli
