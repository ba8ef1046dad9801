// Which characters the grammars of RDF allow where.
//
// Thread-safety: pure. Source: RDF 1.1 N-Triples section 7, RDF 1.1 Turtle section 6.5 (PN_CHARS
// and its relatives, which SPARQL 1.1 shares).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text/text.h"

namespace anima::sparql::detail {

enum CharKind : std::uint8_t {
  kIriByte = 1,     // stands for itself between < and >
  kStringByte = 2,  // stands for itself between double quotes on one line
  kNameByte = 4,    // ASCII of PN_CHARS
  kNameStart = 8,   // ASCII of PN_CHARS_U or a digit: may begin a label or a local name
  kSchemeByte = 16,
  kAlpha = 32,
  kAlphanumeric = 64,
  kSpace = 128,  // white space of Turtle and SPARQL
};

inline constexpr std::array<std::uint8_t, 256> kCharKinds = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    unsigned bits = 0;
    const bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    const bool forbidden = c <= 0x20 || c == '<' || c == '>' || c == '"' || c == '{' || c == '}' ||
                           c == '|' || c == '^' || c == '`' || c == '\\';
    if (!forbidden) bits |= kIriByte;
    if (c != '"' && c != '\\' && c != '\n' && c != '\r') bits |= kStringByte;
    if (alpha || digit || c == '_' || c == '-') bits |= kNameByte;
    if (alpha || digit || c == '_') bits |= kNameStart;
    if (alpha || digit || c == '+' || c == '-' || c == '.') bits |= kSchemeByte;
    if (alpha) bits |= kAlpha;
    if (alpha || digit) bits |= kAlphanumeric;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') bits |= kSpace;
    table[c] = static_cast<std::uint8_t>(bits);
  }
  return table;
}();

inline bool is(char byte, CharKind wanted) {
  return (kCharKinds[static_cast<unsigned char>(byte)] & wanted) != 0;
}

// The size of the scheme at the start, without ":"; 0 when there is none.
inline std::size_t scheme_size(std::string_view text) {
  if (text.empty() || !is(text[0], kAlpha)) return 0;
  std::size_t at = 1;
  while (at < text.size() && is(text[at], kSchemeByte)) ++at;
  return at < text.size() && text[at] == ':' ? at : 0;
}

bool is_name_start(char32_t c);   // PN_CHARS_BASE beyond ASCII
bool is_name_inside(char32_t c);  // PN_CHARS beyond ASCII

// The end of the blank node label (without "_:") at the start of the text; 0 when there is none.
// N-Triples allows ":" in labels, Turtle does not.
std::size_t label_end(std::string_view text, bool colon);
// The end of the language tag (without "@") at the start of the text; 0 when there is none.
std::size_t language_end(std::string_view text);
// The end of PN_PREFIX at the start of the text; 0 when there is none (the empty prefix).
std::size_t prefix_end(std::string_view text);

// What the letter of an escape like \n stands for; '\0' when there is no such escape.
char escaped_letter(char letter);
// The character of the hexadecimal digits of \uXXXX or \UXXXXXXXX; kNoCharacter when they
// are no digits or name no character.
inline constexpr std::uint32_t kNoCharacter = 0xFFFFFFFFu;
std::uint32_t escaped_character(std::string_view digits);

}  // namespace anima::sparql::detail
