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

// Whether an argument can lead a program out of the work folder, to what git runs in it, or to what
// is sent.
bool leads_out(std::string_view argument, WordForm form);
// A path out of the work folder, or below .git.
bool leaves_folder(std::string_view path);
// Whether cp or mv may put what a folder holds where git or the outbox reads: `cp -r a/. .` takes
// a/.git and a/outbox along, `mv a/* .` the latter.
bool brings_along(const SimpleCommand& command);
// A path into the outbox, whose files are messages that leave.
bool leads_to_outbox(std::string_view path);

}  // namespace anima::govern::detail
