// What the compiler's preprocessor printed, as the one text that is checked and then compiled.
//
// The preprocessor tells in its markers which file a line comes from. What comes from the source
// itself is the program; every directive is gone from it, so nothing is left that a later reading
// could include, skip or replace. What would come from another file is a violation: the prelude
// has been read before, and a header that a tool may name adds nothing to it. Line n of the
// program is line n of the source; inside a macro call that spans lines, and behind a raw string
// that does, it is a few lines off, as the preprocessor tells it.
//
// Thread-safety: pure. Complexity: O(text). Source: learning_and_psyche 1.14, "Lexical gate".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forge/violation.h"

namespace anima::forge {

struct Inclusion {
  std::string header;  // without its marks: `vector`, `tool_api.hpp`
  bool quoted = false;
  bool plain = true;  // by #include, not one of its relatives
  std::uint32_t line = 0;
};

struct Preprocessed {
  std::string program;
  std::vector<Inclusion>
      inclusions;  // that the source itself names; allowed or not says the policy
  std::vector<Violation> violations;
  std::vector<Violation> errors;  // what the compiler said; not told when there are violations
};

// The text that the preprocessor ends each line with where it tells of an inclusion (-dI). A source
// that holds it could pass for such a line.
inline constexpr std::string_view kInclusionMark = "/* clang -E -dI */";

// `printed` for the source at `path`, which has `lines` lines.
Preprocessed read_preprocessed(std::string_view printed, std::string_view path, std::size_t lines);

// The errors that the compiler told of the source at `path`, as violations.
std::vector<Violation> errors_told(std::string_view said, std::string_view path);

}  // namespace anima::forge
