// The grammars that a command line can name: the built-in ones, those kept in the space's folder
// (<space>/grammars/NAME.toml), and those of loaded compartments. Nothing is written but by
// keep_grammar(). Thread-safety: functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/grammar.h"
#include "cli/context.h"

namespace anima::cli {

struct ShelvedGrammar {
  agent::Grammar grammar;
  std::string from;  // "built in", a path, or "compartment ID"
};

// In the order above, by name; of one name the first counts. What cannot be read is a warning.
std::vector<ShelvedGrammar> grammar_shelf(Context& context);
// A grammar of the shelf, or a file when the name ends in .toml or holds a slash. Errors: kNotFound
// with near names; those of reading the file.
Result<ShelvedGrammar> find_grammar(Context& context, const std::string& name);
// Checks a file and keeps a copy in the space's folder; `from` is the copy's absolute path. Errors:
// those of the file; kInvalidArgument for a name that no file can have or a built-in one's.
Result<ShelvedGrammar> keep_grammar(Context& context, const std::string& path);

}  // namespace anima::cli
