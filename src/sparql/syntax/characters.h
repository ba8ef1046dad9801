// The character classes of SPARQL's and Turtle's names, over code points. Pure functions.
// Source: SPARQL 1.1 Query Language, section 19.8, rules 164 to 167.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace anima::sparql::syntax {

inline bool is_ascii_letter(char32_t c) { return (c | 0x20u) >= U'a' && (c | 0x20u) <= U'z'; }
inline bool is_ascii_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
inline bool is_hex_digit(char32_t c) {
  return is_ascii_digit(c) || ((c | 0x20u) >= U'a' && (c | 0x20u) <= U'f');
}

// PN_CHARS_BASE
inline bool begins_name(char32_t c) {
  if (c < 0x80) return is_ascii_letter(c);
  constexpr std::array<std::pair<char32_t, char32_t>, 12> kRanges{{{0xC0, 0xD6},
                                                                   {0xD8, 0xF6},
                                                                   {0xF8, 0x2FF},
                                                                   {0x370, 0x37D},
                                                                   {0x37F, 0x1FFF},
                                                                   {0x200C, 0x200D},
                                                                   {0x2070, 0x218F},
                                                                   {0x2C00, 0x2FEF},
                                                                   {0x3001, 0xD7FF},
                                                                   {0xF900, 0xFDCF},
                                                                   {0xFDF0, 0xFFFD},
                                                                   {0x10000, 0xEFFFF}}};
  for (const auto& [first, last] : kRanges) {
    if (c >= first && c <= last) return true;
  }
  return false;
}
// PN_CHARS_U
inline bool begins_label(char32_t c) { return c == U'_' || begins_name(c); }
// What a variable's name goes on with.
inline bool continues_variable(char32_t c) {
  return begins_label(c) || is_ascii_digit(c) || c == 0xB7 || (c >= 0x300 && c <= 0x36F) ||
         (c >= 0x203F && c <= 0x2040);
}
// PN_CHARS
inline bool continues_name(char32_t c) { return c == U'-' || continues_variable(c); }

}  // namespace anima::sparql::syntax
