// The lexical gate: what no parser shall open. A parser that is given `#include "/etc/passwd"`
// tells the file's lines in its errors, and macros of a compiler would let the compiler see another
// program than the inspector. So the raw text is read first, with comments and literals known, and
// whatever is not plain C++ of one file is refused: headers that are paths, conditional
// compilation, pragmas, attributes, assembler, names that belong to compilers, spliced lines, other
// spellings of # and [.
//
// Thread-safety: pure. Complexity: O(text). Source: learning_and_psyche 1.14, "Lexical gate".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forge/violation.h"

namespace anima::forge::detail {

struct Inclusion {
  std::string header;
  std::uint32_t line = 0;
};

struct GateReading {
  std::vector<Inclusion> inclusions;  // of headers by name; allowed or not says the policy
  std::vector<Violation> violations;  // any: the text goes to no parser
};

GateReading read_through_gate(std::string_view text);

}  // namespace anima::forge::detail
