#include "sparql/detail/percent_text.h"

#include <charconv>

namespace anima::sparql::detail {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

}  // namespace

void append_percent_encoded(std::string& out, std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_unreserved(c)) {
      out.push_back(c);
    } else {
      out.push_back('%');
      out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
      out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
    }
  }
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ':') return std::nullopt;
    if (text[at] != '%') {
      out.push_back(text[at]);
      continue;
    }
    unsigned byte = 0;
    const char* const begin = text.data() + at + 1;
    if (text.size() - at < 3) return std::nullopt;
    const auto [end, error] = std::from_chars(begin, begin + 2, byte, 16);
    if (error != std::errc{} || end != begin + 2) return std::nullopt;
    out.push_back(static_cast<char>(byte));
    at += 2;
  }
  return out;
}

}  // namespace anima::sparql::detail
