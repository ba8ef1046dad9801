// Text as Unicode: UTF-8 in and out, case, normal forms, kinds of characters, and names that were
// nearly right.
//
// Unicode data is utf8proc's (Unicode 15), behind this door; plain ASCII never reaches it. No
// function fails: bytes that are no UTF-8 read as U+FFFD, one a byte. Ask `invalid_utf8_at` first
// where that would hide an error. Sources: RFC 3629 (UTF-8), UAX #15 (normal forms), Unicode 15
// CaseFolding.txt. Thread-safety: every function may be called from any thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anima {

// UTF-8.

inline constexpr std::size_t kValidUtf8 = static_cast<std::size_t>(-1);

// The offset of the first byte that begins no well-formed sequence, or kValidUtf8. O(n).
std::size_t invalid_utf8_at(std::string_view text);
inline bool is_valid_utf8(std::string_view text) { return invalid_utf8_at(text) == kValidUtf8; }
bool is_ascii(std::string_view text);

struct CodePoint {
  char32_t value = 0;
  std::uint8_t size = 0;  // bytes taken, at least 1
};

CodePoint decode_longer_utf8(std::string_view text, std::size_t offset);  // not for callers
// The code point at `offset`; requires offset < text.size().
inline CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  const auto first = static_cast<unsigned char>(text[offset]);
  if (first < 0x80) return {first, 1};
  if (first >= 0xc2 && first <= 0xdf && offset + 1 < text.size()) {
    const auto second = static_cast<unsigned char>(text[offset + 1]);
    if ((second & 0xc0u) == 0x80u)
      return {static_cast<char32_t>((first & 0x1fu) << 6 | (second & 0x3fu)), 2};
  }
  return decode_longer_utf8(text, offset);
}
// Appends U+FFFD for what is no scalar value.
void append_utf8(std::string& out, char32_t code_point);
std::u32string to_utf32(std::string_view text);
std::string to_utf8(std::u32string_view text);
std::size_t count_code_points(std::string_view text);
// `count` code points from the `first`-th (from 0) on; what lies beyond the end is left out.
std::string_view substring_by_code_points(std::string_view text, std::size_t first,
                                          std::size_t count = static_cast<std::size_t>(-1));
// The beginning that is at most `bytes` long and ends with a whole code point.
std::string_view beginning_of(std::string_view text, std::size_t bytes);
// Characters that hide, reorder or end a line where nobody sees it: controls, white space without
// width, marks of direction, tags.
bool hides_something(char32_t code_point);
// For a line that a person decides by: what hides something, and blanks other than ASCII's, stand
// as \u{hex}, and bytes that are no UTF-8 as U+FFFD.
std::string visible_text(std::string_view text);
// How many columns a terminal uses for the text.
std::size_t display_width(std::string_view text);

// Case and normal forms.

// Simple mapping, code point by code point.
std::string to_lower(std::string_view text);
void append_lower(std::string& out, std::string_view text);
std::string to_upper(std::string_view text);
std::string fold_case(std::string_view text);  // full case folding, for comparison without case
std::string to_nfkc(std::string_view text);

// Kinds of characters. Words are those of the room `language`.

enum class CharClass : std::uint8_t {
  kOther,  // space, punctuation, symbols, control
  kLetter,
  kDigit,
  kMark,       // combining, belongs to the letter before
  kIdeograph,  // Han, Hiragana, Katakana, Hangul, Bopomofo: no spaces between words
};
CharClass classify(char32_t code_point);
bool is_decimal_digit(char32_t code_point);  // of any script: Nd
bool is_punctuation(char32_t code_point);    // P*

// Names that were nearly right.

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b (optimal string
// alignment, in code points), or limit + 1 when it takes more. O(|a| x limit).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidates that `wanted` may have meant, nearest first (then in the order given), without
// regard to case: at most a third of the letters differ, or it is the start of the name; much
// farther ones than the nearest are left out.
std::vector<std::string> nearest_names(std::string_view wanted,
                                       std::span<const std::string_view> candidates,
                                       std::size_t limit = 3);
std::vector<std::string> nearest_names(std::string_view wanted,
                                       std::span<const std::string> candidates,
                                       std::size_t limit = 3);
// `did you mean "x" or "y"?`, or empty when nothing is near: a hint for an Error.
std::string did_you_mean(const std::vector<std::string>& names);

// Small things.

std::string_view trim(std::string_view text);  // ASCII white space at both ends
std::vector<std::string_view> split(std::string_view text, char separator);
// The parts are of the text, which must live as long as they do.
template <std::same_as<std::string> Text>
std::vector<std::string_view> split(Text&& text, char separator) = delete;
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
bool equals_ignoring_ascii_case(std::string_view a, std::string_view b);

}  // namespace anima
