// Files that a command line names and that programs do not see: those outside the work folder,
// except the system's own that the sandbox shows (tools/detail/sandbox_plan.cc). The sandbox is
// what keeps them; this tells beforehand that there is nothing to be read. Pure functions.
#pragma once

#include <string_view>

#include "govern/shell_command.h"

namespace anima::govern::detail {

bool is_hidden_file(std::string_view path);

// The first argument that names one; empty when there is none. What a program takes for a text
// (echo), a pattern or a script (grep, sed) is no name of a file.
std::string_view hidden_file_of(const SimpleCommand& command, std::string_view name);

}  // namespace anima::govern::detail
