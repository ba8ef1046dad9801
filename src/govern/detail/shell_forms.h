// Programs that read or do more, depending on their arguments: find, sed, awk, sort, tar, git, the
// builtins of the shell. Each form that is not known to be harmless is judged by its worst.
// Pure functions, linear in the arguments.
#pragma once

#include <optional>
#include <string_view>

#include "govern/shell_judge.h"

namespace anima::govern::detail {

// Nothing for a program without forms.
std::optional<JudgedPart> judge_form(const SimpleCommand& command, std::string_view name);

// Whether an argument can lead a program out of the work folder, or to what git runs in it.
bool leads_out(std::string_view argument, WordForm form);
// The same of a path alone.
bool leaves_folder(std::string_view path);

}  // namespace anima::govern::detail
