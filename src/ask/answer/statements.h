// The statements that rows of an answer rest on, with who said them and where the log holds them.
//
// Thread-safety: pure functions. Complexity: O(rows shown x restrictions x degree).
#pragma once

#include "ask/compile/runner.h"

namespace anima::ask {

// For the first rows: [{"fact", "entry", "source", "confidence", "trust"}].
Json statements(const Reading& reading, const Table& table, const Lexicon& lexicon);

}  // namespace anima::ask
