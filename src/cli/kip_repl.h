// The KIP prompt: history, completion of keywords, types, predicates and fields, statements over
// several lines. libedit is behind this door. Thread-safety: belongs to one thread.
#pragma once

#include <functional>

#include "cli/context.h"
#include "kip/engine.h"

namespace anima::cli {

// Reads until the end of input; hands each complete text to `execute`. Returns the exit code.
int run_kip_repl(Context& context, kip::Engine& engine,
                 const std::function<void(const std::string&)>& execute);

// What can stand at the end of `line`: whole words that start as its last word does, sorted.
std::vector<std::string> kip_completions(const store::Snapshot& snapshot, std::string_view line);

// True when the text is a whole command, or is wrong before its end, so that more lines will not
// help.
bool kip_text_is_complete(std::string_view text);

}  // namespace anima::cli
