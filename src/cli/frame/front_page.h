// What `anima` says when it is called alone: the verbs that most people need, by what they want to
// do, and the space that a verb would use. `anima help --all` has the rest (overview in program.h).
// Thread-safety: a function without state.
#pragma once

#include <string>

#include "cli/frame/context.h"

namespace anima::cli {

std::string front_page(const Context& context);

}  // namespace anima::cli
