#include "sparql/detail/rdf_chars.h"

#include <algorithm>

namespace anima::sparql::detail {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
constexpr Range kNameStarts[] = {{0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x2FF},
                                 {0x370, 0x37D},   {0x37F, 0x1FFF},  {0x200C, 0x200D},
                                 {0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF},
                                 {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}};

// Names of letters, digits and inner dots; the first character is judged by the caller's rule.
template <typename First, typename Inside>
std::size_t name_end(std::string_view text, First first, Inside inside, bool wide_first) {
  std::size_t end = 0;  // behind the last character that may end it
  std::size_t at = 0;
  while (at < text.size()) {
    const char byte = text[at];
    if (static_cast<unsigned char>(byte) < 0x80) {
      const bool dot = byte == '.' && at > 0;
      if (!dot && !(at == 0 ? first(byte) : inside(byte))) break;
      ++at;
      if (!dot) end = at;
      continue;
    }
    const CodePoint character = decode_utf8(text, at);
    const bool fits =
        at == 0 ? wide_first && is_name_start(character.value) : is_name_inside(character.value);
    if (!fits) break;
    at += character.size;
    end = at;
  }
  return end;
}

}  // namespace

bool is_name_start(char32_t c) {
  return std::any_of(std::begin(kNameStarts), std::end(kNameStarts),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}
bool is_name_inside(char32_t c) {
  return is_name_start(c) || c == 0xB7 || (c >= 0x300 && c <= 0x36F) || c == 0x203F || c == 0x2040;
}

std::size_t label_end(std::string_view text, bool colon) {
  return name_end(
      text, [colon](char c) { return is(c, kNameStart) || (colon && c == ':'); },
      [colon](char c) { return is(c, kNameByte) || (colon && c == ':'); }, true);
}

std::size_t prefix_end(std::string_view text) {
  return name_end(
      text, [](char c) { return is(c, kAlpha); }, [](char c) { return is(c, kNameByte); }, true);
}

std::size_t language_end(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is(text[at], kAlpha)) ++at;
  if (at == 0) return 0;
  while (at + 1 < text.size() && text[at] == '-' && is(text[at + 1], kAlphanumeric)) {
    ++at;
    while (at < text.size() && is(text[at], kAlphanumeric)) ++at;
  }
  return at;
}

char escaped_letter(char letter) {
  constexpr std::string_view kLetters = "tbnrf\"'\\";
  constexpr std::string_view kMeanings = "\t\b\n\r\f\"'\\";
  const std::size_t at = kLetters.find(letter);
  return at == std::string_view::npos ? '\0' : kMeanings[at];
}

std::uint32_t escaped_character(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char digit : digits) {
    const char lower = static_cast<char>(digit | 0x20);
    if (digit >= '0' && digit <= '9') {
      value = value << 4 | static_cast<std::uint32_t>(digit - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value << 4 | static_cast<std::uint32_t>(lower - 'a' + 10);
    } else {
      return kNoCharacter;
    }
  }
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  return value > 0x10FFFF || surrogate ? kNoCharacter : value;
}

}  // namespace anima::sparql::detail
