// A long result on a terminal, shown by the person's pager. Thread-safety: belongs to one thread.
#pragma once

#include <string>

#include "cli/frame/context.h"

namespace anima::cli {

// Writes the text to standard output; where that is a terminal with fewer lines than the text, runs
// $PAGER with it (`less` when it is unset; empty or "cat": none). A pager that is not there or
// fails to start is no error: the text is written.
void page(Context& context, const std::string& text);

}  // namespace anima::cli
