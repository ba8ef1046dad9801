// The commands of git that look at a history, whatever their options but a few. Others are rows of
// the table. Pure functions, linear in the arguments.
#pragma once

#include "govern/shell_judge.h"

namespace anima::govern::detail {

JudgedPart judge_git(const SimpleCommand& command);

// Whether a form of output makes git check signatures, which a program other than git does.
bool starts_gpg(const SimpleCommand& command);

// git --no-pager -C folder log: what stands behind the options that change nothing but the place
// below the work folder.
SimpleCommand without_place(const SimpleCommand& command);

}  // namespace anima::govern::detail
