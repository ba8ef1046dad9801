// The stepping loop of `anima agent repl`: a person takes an agent through its cycles one at a
// time, sees what it would do and why, forbids an action, changes the psyche. Reads a terminal with
// editing, or a pipe. Thread-safety: one thread.
#pragma once

#include "agent/loop/agent.h"
#include "cli/frame/context.h"
#include "cli/terminal/line_reader.h"

namespace anima::cli {

// The exit code: kDone at `quit` or the end of the input; from a pipe, kFailed when a command was
// wrong (the rest is still done).
int run_agent_repl(Context& context, agent::Agent& agent, LineReader& input);

}  // namespace anima::cli
