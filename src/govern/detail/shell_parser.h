// The parser behind parse_shell, and what wrapper programs run. Pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "govern/shell_command.h"

namespace anima::govern::detail {

// Appends every command of `text`, which stands at `offset` of the whole, `depth` substitutions
// deep.
Status parse_shell_into(std::string_view text, std::size_t offset, int depth,
                        std::vector<SimpleCommand>& out);

// What `command` runs through its arguments, if it is such a program: appended to `out`, or
// `command` is marked unknown. `expanded[i]`: argument i holds an expansion.
Status unwrap(SimpleCommand& command, const std::vector<bool>& expanded, int depth,
              std::vector<SimpleCommand>& out);

}  // namespace anima::govern::detail
