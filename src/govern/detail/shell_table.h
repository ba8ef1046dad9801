// Programs that are harmless in some of their forms, said as a table: first words, options, how
// many operands. What a row does not name (an abbreviated option, a word that is known only when it
// runs) does not match it. Pure functions, linear in the arguments times the rows of the program.
// Source: the manual page of each program, Debian 12.
#pragma once

#include <optional>
#include <string_view>

#include "govern/shell_judge.h"

namespace anima::govern::detail {

// Nothing when no row matches.
std::optional<JudgedPart> judge_by_table(const SimpleCommand& command, std::string_view name);

}  // namespace anima::govern::detail
