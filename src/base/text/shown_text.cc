#include "base/text/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace anima {
namespace {

constexpr std::size_t kShortestName = 3;  // shorter words of other alphabets are everyday

// What paints nothing away.
constexpr std::array<std::string_view, 7> kColours = {"\x1b[0m",  "\x1b[1m",  "\x1b[2m", "\x1b[31m",
                                                      "\x1b[32m", "\x1b[33m", "\x1b[36m"};

std::size_t colour_at(std::string_view text) {
  for (const std::string_view colour : kColours) {
    if (text.starts_with(colour)) return colour.size();
  }
  return 0;
}

// Joiners and selectors of emoji only change how a neighbour is drawn.
bool commands(char32_t c) {
  if (c < 0x20) return c != '\n' && c != '\t';
  return (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || (c >= 0xe0000 && c <= 0xe007f);
}

bool is_latin(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Cyrillic, Greek and Armenian letters that are drawn like Latin ones, sorted.
constexpr auto kDrawnLikeLatin = std::to_array<char32_t>(
    {0x131, 0x251, 0x261, 0x391, 0x392, 0x395, 0x396, 0x397, 0x399, 0x39a, 0x39c, 0x39d,
     0x39f, 0x3a1, 0x3a4, 0x3a5, 0x3a7, 0x3b1, 0x3b9, 0x3ba, 0x3bd, 0x3bf, 0x3c1, 0x3c5,
     0x3f2, 0x3f3, 0x405, 0x406, 0x408, 0x410, 0x412, 0x415, 0x41a, 0x41c, 0x41d, 0x41e,
     0x420, 0x421, 0x422, 0x423, 0x425, 0x430, 0x435, 0x43e, 0x440, 0x441, 0x443, 0x445,
     0x455, 0x456, 0x458, 0x4bb, 0x4cf, 0x501, 0x51b, 0x51d, 0x578, 0x57d, 0x585});

bool drawn_like_latin(char32_t c) { return std::ranges::binary_search(kDrawnLikeLatin, c); }

// Forms of other characters, whatever stands beside them.
bool is_form(char32_t c) {
  return (c >= 0x300 && c <= 0x36f) || c == 0x2024 || c == 0x2044 || c == 0x2215 || c == 0x29f8 ||
         c == 0x2236 || c == 0xa789 || (c >= 0xff01 && c <= 0xff5e) ||
         (c >= 0x1d400 && c <= 0x1d7ff);
}

bool is_foreign_letter(char32_t c) {
  return c >= 0x80 && classify(c) == CharClass::kLetter && c >= 0x370;
}

void add(std::vector<char32_t>& list, char32_t c) {
  if (std::ranges::find(list, c) == list.end()) list.push_back(c);
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t colour = colour_at(text.substr(at)); colour != 0) {
      shown += text.substr(at, colour);
      at += colour;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    at += point.size;
    if (commands(point.value)) {
      shown += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(point.value));
    } else {
      append_utf8(shown, point.value);
    }
  }
  return shown;
}

std::vector<char32_t> look_alikes(std::string_view text) {
  std::vector<char32_t> found;
  std::u32string word;
  const auto judge = [&] {
    const bool latin = std::ranges::any_of(word, is_latin);
    const bool could_be = word.size() >= kShortestName && std::ranges::all_of(word, [](char32_t c) {
                            return drawn_like_latin(c) || !is_foreign_letter(c);
                          });
    for (const char32_t c : word) {
      const bool alike = drawn_like_latin(c) && (latin || could_be);
      if (alike || (latin && is_foreign_letter(c))) add(found, c);
    }
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.size;
    const bool in_word = is_latin(point.value) || (point.value >= '0' && point.value <= '9') ||
                         (point.value >= 0x80 && classify(point.value) != CharClass::kOther);
    if (is_form(point.value)) add(found, point.value);
    if (in_word) {
      word += point.value;
    } else {
      judge();
    }
  }
  judge();
  return found;
}

}  // namespace anima
