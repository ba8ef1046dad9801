// Ground terms of the syntax tree to codes. Thread-safety: one thread a ValueTable writer.
#pragma once

#include <string>

#include "datalog/ast.h"
#include "datalog/functions.h"
#include "datalog/value.h"

namespace anima::datalog::detail {

// The code of a constant or of a list, map, struct, pair or other pure function of constants. False
// for variables, types, unknown functions, fn:time:now and calls that end with an error.
bool constant_code(const ast::Term& term, ValueTable& values, Code& code);

// The same with the reason; `now` answers fn:time:now.
bool ground_code(const ast::Term& term, Evaluation& evaluation, Code& code);

bool is_constant_kind(ast::TermKind kind);

}  // namespace anima::datalog::detail
