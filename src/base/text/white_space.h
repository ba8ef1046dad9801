// White space. Thread-safety: pure. Source: Unicode 15, PropList.txt, White_Space.
#pragma once

#include <string>
#include <string_view>

#include "base/text/text.h"

namespace anima {

constexpr bool is_white_space(char32_t character) {
  return (character >= 0x09 && character <= 0x0D) || character == 0x20 || character == 0x85 ||
         character == 0xA0 || character == 0x1680 || (character >= 0x2000 && character <= 0x200A) ||
         character == 0x2028 || character == 0x2029 || character == 0x202F || character == 0x205F ||
         character == 0x3000;
}

// Also of an empty text. O(text).
inline bool is_only_white_space(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!is_white_space(point.value)) return false;
    at += point.size;
  }
  return true;
}

// With one blank in the place of white space between words, and none around them. O(text).
inline std::string single_blanks(std::string_view text) {
  std::string form;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!is_white_space(point.value)) {
      form += text.substr(at, point.size);
    } else if (!form.empty() && form.back() != ' ') {
      form += ' ';
    }
    at += point.size;
  }
  if (form.ends_with(' ')) form.pop_back();
  return form;
}

}  // namespace anima
