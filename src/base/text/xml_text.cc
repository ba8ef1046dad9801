#include "base/text/xml_text.h"

#include "base/text/text.h"

namespace anima {
namespace {

// What stands for a byte; empty: itself.
std::string_view xml_reference(char c, XmlPlace place) {
  const bool attribute = place == XmlPlace::kAttribute;
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return attribute ? "" : "&gt;";
    case '"':
      return attribute ? "&quot;" : "";
    case '\t':
      return attribute ? "&#x9;" : "";
    case '\n':
      return attribute ? "&#xA;" : "";
    case '\r':
      return "&#xD;";
    default:
      return "";
  }
}

bool is_xml_character(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
}

}  // namespace

void append_xml(std::string& out, std::string_view text, XmlPlace place) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view reference = xml_reference(text[at], place);
    if (reference.empty()) continue;
    out += text.substr(from, at - from);
    out += reference;
    from = at + 1;
  }
  out += text.substr(from);
}

std::size_t no_xml_character_at(std::string_view text) {
  const std::size_t invalid = invalid_utf8_at(text);
  for (std::size_t at = 0; at < text.size() && at < invalid;) {
    const CodePoint point = decode_utf8(text, at);
    if (!is_xml_character(point.value)) return at;
    at += point.size;
  }
  return invalid == kValidUtf8 ? std::string_view::npos : invalid;
}

std::string with_xml_characters(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    append_utf8(out, is_xml_character(point.value) ? point.value : char32_t{0xFFFD});
    at += point.size;
  }
  return out;
}

}  // namespace anima
