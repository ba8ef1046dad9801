// The sentence of an answer, from the templates of the language's pack.
//
// Thread-safety: pure functions. Complexity: O(rows shown).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ask/compile/runner.h"

namespace anima::ask {

// A value as people read it.
std::string shown(const Json& value);
std::string render(const Reading& reading, const Table& table, const Lexicon& lexicon);

}  // namespace anima::ask
