// The mark that some programs put before a text in UTF-8; it is no part of the text.
// Thread-safety: a pure function.
#pragma once

#include <string_view>

namespace anima {

// The text behind a leading mark (EF BB BF), or the whole.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(0, kMark.size()) == kMark ? text.substr(kMark.size()) : text;
}

}  // namespace anima
