#include "store/text/literal_text.h"

#include <charconv>

#include "base/text/text.h"

namespace anima::store::detail {
namespace {

// The code unit of "\uXXXX" at `at` (which points behind the 'u'), or -1.
int hex_unit(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  unsigned unit = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, unit, 16);
  return error == std::errc{} && end == text.data() + at + 4 ? static_cast<int>(unit) : -1;
}

// Appends the meaning of the escape whose backslash stands at `at`; returns the place behind it.
std::size_t unescape_one(std::string_view text, std::size_t at, std::string& out) {
  const char kind = at + 1 < text.size() ? text[at + 1] : '\\';
  if (kind == 'u') {
    const int unit = hex_unit(text, at + 2);
    if (unit < 0) return at + 2;
    char32_t character = static_cast<char32_t>(unit);
    std::size_t end = at + 6;
    if (unit >= 0xD800 && unit < 0xDC00 && end + 1 < text.size() && text[end] == '\\' &&
        text[end + 1] == 'u') {
      const int low = hex_unit(text, end + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        character = static_cast<char32_t>(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
        end += 6;
      }
    }
    if (character >= 0xD800 && character < 0xE000) character = ' ';
    append_utf8(out, character);
    return end;
  }
  out.push_back(kind == '"' || kind == '\\' || kind == '/' ? kind : ' ');
  return at + 2;
}

// The string whose opening quote stands at `at`; moves `at` behind the closing one.
std::string_view read_string(std::string_view json, std::size_t& at, std::string& scratch) {
  const std::size_t begin = ++at;
  while (at < json.size() && json[at] != '"' && json[at] != '\\') ++at;
  if (at >= json.size() || json[at] == '"') {
    const std::string_view plain = json.substr(begin, at - begin);
    if (at < json.size()) ++at;
    return plain;
  }
  scratch.assign(json.substr(begin, at - begin));
  while (at < json.size() && json[at] != '"') {
    if (json[at] == '\\') {
      at = unescape_one(json, at, scratch);
    } else {
      scratch.push_back(json[at++]);
    }
  }
  if (at < json.size()) ++at;
  if (at > json.size()) at = json.size();
  return scratch;
}

bool is_number_byte(char byte) {
  return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '+' || byte == 'e' ||
         byte == 'E';
}

}  // namespace

std::string_view integer_text(std::int64_t value, std::string& scratch) {
  scratch = std::to_string(value);
  return scratch;
}

bool next_json_text(std::string_view json, std::size_t& at, std::string& scratch,
                    std::string_view& out) {
  while (at < json.size()) {
    if (json[at] == '"') {
      out = read_string(json, at, scratch);
      if (at < json.size() && json[at] == ':') continue;  // a key
      return true;
    }
    if ((json[at] >= '0' && json[at] <= '9') || json[at] == '-') {
      const std::size_t begin = at;
      while (at < json.size() && is_number_byte(json[at])) ++at;
      out = json.substr(begin, at - begin);
      return true;
    }
    ++at;
  }
  return false;
}

}  // namespace anima::store::detail
