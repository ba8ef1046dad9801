#include "memory/detail/escaped_text.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "base/text/html_entities.h"
#include "base/text/text.h"

namespace anima::memory::detail {
namespace {

constexpr int kMostLayers = 4;

struct Escape {
  std::size_t size = 0;  // bytes taken
  std::string meant;
};

std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return std::nullopt;
  std::uint32_t value = 0;
  const char* const last = text.data() + at + count;
  const auto [end, error] = std::from_chars(text.data() + at, last, value, 16);
  return error == std::errc() && end == last ? std::optional(value) : std::nullopt;
}

// The escapes of JSON, and \xXX as a byte: \uXXXX, two of them for what lies beyond 16 bits.
std::optional<Escape> backslash_escape(std::string_view text) {
  constexpr std::string_view kLetters = "ntrbf\"/\\", kMeant = "\n\t\r\b\f\"/\\";
  if (text.size() < 2) return std::nullopt;
  if (const std::size_t letter = kLetters.find(text[1]); letter != std::string_view::npos)
    return Escape{2, std::string(1, kMeant[letter])};
  if (text[1] == 'x') {
    const auto byte = hexadecimal(text, 2, 2);
    if (!byte) return std::nullopt;
    return Escape{4, std::string(1, static_cast<char>(*byte))};
  }
  const auto first = text[1] == 'u' ? hexadecimal(text, 2, 4) : std::nullopt;
  if (!first) return std::nullopt;
  Escape escape{6, {}};
  char32_t value = static_cast<char32_t>(*first);
  const bool pair = value >= 0xd800 && value < 0xdc00 && text.substr(6).starts_with("\\u");
  const auto second = pair ? hexadecimal(text, 8, 4) : std::nullopt;
  if (second && *second >= 0xdc00 && *second < 0xe000) {
    value = 0x10000 + ((value - 0xd800) << 10) + (static_cast<char32_t>(*second) - 0xdc00);
    escape.size = 12;
  }
  append_utf8(escape.meant, value);
  return escape;
}

std::optional<Escape> escape_at(std::string_view text) {
  switch (text.front()) {
    case '+':
      return Escape{1, " "};
    case '%': {
      const auto byte = hexadecimal(text, 1, 2);
      if (!byte) return std::nullopt;
      return Escape{3, std::string(1, static_cast<char>(*byte))};
    }
    case '&': {
      const auto entity = html_entity_at(text);
      if (!entity) return std::nullopt;
      Escape escape{entity->size, {}};
      append_utf8(escape.meant, entity->value);
      return escape;
    }
    case '\\':
      return backslash_escape(text);
    default:
      return std::nullopt;
  }
}

// One layer taken off; nothing where there is none.
std::optional<MeantText> unescaped(const MeantText& written) {
  MeantText meant;
  bool any = false;
  const std::string_view text = written.text;
  for (std::size_t at = 0; at < text.size();) {
    const auto escape = escape_at(text.substr(at));
    any = any || escape;
    const std::string_view out = escape ? std::string_view(escape->meant) : text.substr(at, 1);
    meant.text += out;
    meant.begins.insert(meant.begins.end(), out.size(), written.begins[at]);
    at += escape ? escape->size : 1;
  }
  if (!any) return std::nullopt;
  meant.begins.push_back(written.begins.back());
  return meant;
}

}  // namespace

std::optional<MeantText> meant_text(std::string_view written) {
  if (written.find_first_of("%&\\+") == std::string_view::npos) return std::nullopt;
  MeantText text;
  text.text = written;
  for (std::size_t at = 0; at <= written.size(); ++at) text.begins.push_back(at);
  bool any = false;
  for (int layer = 0; layer < kMostLayers; ++layer) {
    auto meant = unescaped(text);
    if (!meant) break;
    any = true;
    text = std::move(*meant);
  }
  return any ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace anima::memory::detail
