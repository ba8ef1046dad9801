// From text to syntax tree.
//
// Strict about what the words mean, forgiving about how they are laid out: comments (// and /* */)
// anywhere, several statements in one text with or without ';', the parts of an item in any order,
// a trailing comma in arrays and objects. Faults carry KIP_1001 or KIP_1002, the place, and a hint.
// Linear time; nesting is limited to 64, text to 256 KiB. Thread-safe. Source: 001, sections 2
// to 4.
#pragma once

#include <string_view>

#include "kip/fault.h"
#include "kip/syntax.h"

namespace anima::kip {

inline constexpr std::size_t kMaxTextBytes = 256 * 1024;
inline constexpr std::size_t kMaxNesting = 64;

// Comments alone are an empty script.
Outcome<Script> parse(std::string_view text);

// "C:12", "P:12" and "P:12:treats" are ids; everything else is not.
bool is_identifier(std::string_view text);

}  // namespace anima::kip
