// Variables that decide what a shell runs, and programs that print nothing but numbers. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "govern/shell_command.h"

namespace anima::govern::detail {

// Whether a value of the variable changes which programs run, or how the shell reads.
bool steers_the_shell(std::string_view variable);

// Whether the variable holds what was last assigned to it: no shell changes it, and none refuses.
bool keeps_its_value(std::string_view variable);

// Whether bash computes what is assigned to the variable, and runs the substitutions in it.
bool is_computed(std::string_view variable);

// Whether the shell itself puts text of the line, or the name of a folder, into the variable.
bool quotes_the_line(std::string_view variable);

// Whether the variable only chooses language, form or time zone, so that it may stand before a
// program.
bool only_shapes_output(std::string_view variable);

// wc -l without operands, date +%s, seq 1 9 ..: what they print can stand in arithmetic.
bool prints_numbers(const SimpleCommand& command);
// Of one that does: whether it is one at most, without blanks before it.
bool prints_one_number(const SimpleCommand& command);

// What the command prints, where that is one line: a text, or a pattern whose unknown parts hold no
// slash. Known of basename of a name that cannot be an option, and printf of numbers.
std::optional<std::string> prints_name(const SimpleCommand& command);

}  // namespace anima::govern::detail
