// How verbs show the answer to a question in plain words. Thread-safety: plain functions.
#pragma once

#include "ask/ask.h"
#include "cli/frame/context.h"

namespace anima::cli {

// kDone when it was answered or there is nothing, kMissing when it was not understood or is
// ambiguous.
int exit_of(const ask::Answer& answer);
// The answer, then what it was understood as and how it was found.
void show_answer(Context& context, const ask::Answer& answer);

}  // namespace anima::cli
