// The KIP prompt: history, completion of keywords, types, predicates and fields, statements over
// several lines. Thread-safety: belongs to one thread.
#pragma once

#include "cli/frame/context.h"
#include "cli/verbs/ask/kip_shell.h"
#include "kip/engine.h"

namespace anima::cli {

// Reads until the end of input; hands each complete text, and each line with a backslash, to the
// shell. What is pasted behind an error belongs to the text that has it and is dropped with it.
// Returns the exit code.
int run_kip_repl(Context& context, kip::Engine& engine, KipShell& shell);

// What can stand at the end of `line`: whole words that start as its last word does, sorted.
std::vector<std::string> kip_completions(const store::Snapshot& snapshot, std::string_view line);

// True when the text is a whole command, or is wrong before its end, so that more lines will not
// help.
bool kip_text_is_complete(std::string_view text);

}  // namespace anima::cli
