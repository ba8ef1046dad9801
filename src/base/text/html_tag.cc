#include "base/text/html_tag.h"

#include <algorithm>

namespace anima {
namespace {

constexpr std::string_view kComment = "!--";

// Behind the ">" that is in no quotes.
std::optional<std::size_t> end_of_tag(std::string_view text, std::size_t at) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at + 1;
    }
  }
  return std::nullopt;
}

HtmlTag comment_in(std::string_view text) {
  const std::size_t end = text.find("-->", 1 + kComment.size());
  const bool ended = end != text.npos;
  return {ended ? end + 3 : text.size(), text.substr(1, kComment.size()), false, ended};
}

}  // namespace

std::optional<HtmlTag> html_tag_at(std::string_view text) {
  if (!text.starts_with('<')) return std::nullopt;
  if (text.substr(1).starts_with(kComment)) return comment_in(text);
  const bool closes = text.size() > 1 && text[1] == '/';
  const std::size_t at = closes ? 2 : 1;
  if (at >= text.size()) return std::nullopt;
  const char first = text[at];
  const bool named = (first | 0x20) >= 'a' && (first | 0x20) <= 'z';
  if (!named && first != '!' && first != '?') return std::nullopt;
  const std::size_t name_end = std::min(text.find_first_of(" \t\r\n/>", at), text.size());
  const auto end = end_of_tag(text, name_end);
  return HtmlTag{end.value_or(text.size()), text.substr(at, name_end - at), closes,
                 end.has_value()};
}

}  // namespace anima
