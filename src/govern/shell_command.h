// A shell command line taken apart, so that each part is judged and not the first word alone.
//
// Reads the POSIX shell grammar far enough to name every program that could run: pipelines, lists
// (; & && || and new lines), groups, subshells, command and process substitution also inside double
// quotes and here-documents, redirections, assignments before a command, the control words (if,
// while, for, case, function). What cannot be known before it runs (a program named by a variable,
// eval, a here-document with an expansion) is said in `unknown`; what does not parse is an error.
// Never executes anything. Linear in the text but for nested substitutions (depth <= 16).
// Thread-safety: pure functions. Source: POSIX.1-2017, Shell Command Language, 2.2-2.10.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::govern {

struct SimpleCommand {
  std::string program;                 // after quote removal; empty when unknown
  std::vector<std::string> arguments;  // after quote removal; an expansion stands as written
  std::vector<std::string> writes;     // files that redirections write
  std::vector<std::string> reads;
  std::vector<std::string> assignments;  // NAME=value before the program
  bool unknown = false;                  // the program or what it runs is decided at run time
  std::size_t offset = 0;                // in the whole text
};

struct ShellCommand {
  std::vector<SimpleCommand> commands;  // every one, substitutions included, in text order
};

// Errors: kSyntax with the offset (unclosed quote, bracket or substitution), kLimitExceeded (64
// KiB, nesting).
Result<ShellCommand> parse_shell(std::string_view text);

}  // namespace anima::govern
