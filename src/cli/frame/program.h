// The program as a function: finds the verb, runs it, reports. main() only adds the standard
// streams. Thread-safety: one call at a time.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/verb.h"

namespace anima::cli {

// `arguments` without the program's name. Returns the exit code.
int run_program(Context& context, const std::vector<std::string>& arguments);

// The verb that the arguments name, after options that all verbs share; `rest` gets the arguments
// without the name. Null when there is none.
const Verb* find_verb(Arguments arguments, std::vector<std::string>& rest);

// Every verb, by group: what `anima help --all` prints.
std::string overview(const Context& context);

}  // namespace anima::cli
