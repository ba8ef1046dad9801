// The canonical layout of KIP: two blanks a level, one clause a line, objects on one line while
// they fit. parse(format(s)) equals s, and formatting twice changes nothing. Comments are not kept:
// they are no part of the tree. Linear time. Thread-safe.
#pragma once

#include <string>

#include "kip/syntax.h"

namespace anima::kip {

std::string format(const Script& script);
std::string format(const Statement& statement);

}  // namespace anima::kip
