// The formatter: a syntax tree back to text, in one style, comments kept. parse(format(unit)) is
// the same program.
//
// One clause a paragraph line; a body that does not fit 100 columns stands one literal a line.
// Comments keep their place: above what follows them, or at the end of the line they stood on.
// Thread-safety: functions.
#pragma once

#include <string>

#include "datalog/ast.h"

namespace anima::datalog {

// The unit must have been parsed without a ValueTable. O(text).
std::string format_unit(const Unit& unit);

}  // namespace anima::datalog
