// UTF-8, and small things that any text needs.
#include "base/text/text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstring>

namespace anima {
namespace {

constexpr char32_t kReplacement = 0xfffd;
constexpr std::uint64_t kHighBits = 0x8080808080808080U;

bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// The size of the well-formed sequence at the front, or 0; the table of RFC 3629, section 4.
std::size_t sequence_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return size;
}

// How many of the bytes from `offset` on are ASCII, in steps of eight.
std::size_t skip_ascii_words(std::string_view text, std::size_t offset) {
  while (offset + 8 <= text.size()) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + offset, sizeof word);
    if ((word & kHighBits) != 0) break;
    offset += 8;
  }
  return offset;
}

// One that is no blank of ASCII: what it separates looks like two words and is one.
bool is_wide_blank(char32_t c) {
  return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

}  // namespace

std::size_t invalid_utf8_at(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    at = skip_ascii_words(text, at);
    if (at == text.size()) break;
    const std::size_t size = sequence_size(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return kValidUtf8;
}

bool is_ascii(std::string_view text) {
  const std::size_t at = skip_ascii_words(text, 0);
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) & 0x80) == 0; });
}

CodePoint decode_longer_utf8(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[offset + i]));
  };
  switch (sequence_size(text.substr(offset))) {
    case 3:
      return {(byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
    case 4:
      return {(byte(0) & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 |
                  (byte(3) & 0x3f),
              4};
    default:
      return {kReplacement, 1};
  }
}

void append_utf8(std::string& out, char32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) c = kReplacement;
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

std::u32string to_utf32(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    out += point.value;
    at += point.size;
  }
  return out;
}

std::string to_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += decode_utf8(text, at).size;
  return count;
}

std::string_view substring_by_code_points(std::string_view text, std::size_t first,
                                          std::size_t count) {
  const auto skip = [&](std::size_t at, std::size_t points) {
    for (; points > 0 && at < text.size(); --points) at += decode_utf8(text, at).size;
    return at;
  };
  const std::size_t begin = skip(0, first);
  return text.substr(begin, skip(begin, count) - begin);
}

std::string_view beginning_of(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

bool hides_something(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x34f || c == 0x61c ||
         c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5 || (c >= 0x180b && c <= 0x180f) ||
         c == 0x2800 || c == 0x3164 || c == 0xffa0 || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
         (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) ||
         (c >= 0xe0000 && c <= 0xe0fff);
}

std::string visible_text(std::string_view text) {
  const auto is_shown = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::ranges::all_of(text, is_shown)) return std::string(text);
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.size;
    if (hides_something(point.value) || is_wide_blank(point.value)) {
      shown += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(point.value));
    } else {
      append_utf8(shown, point.value);
    }
  }
  return shown;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const int columns = utf8proc_charwidth(static_cast<utf8proc_int32_t>(point.value));
    width += static_cast<std::size_t>(std::max(columns, 0));
    at += point.size;
  }
  return width;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  if (from.empty()) return std::string(text);
  std::string out;
  std::size_t at = 0;
  for (std::size_t hit; (hit = text.find(from, at)) != std::string_view::npos;
       at = hit + from.size()) {
    out += text.substr(at, hit - at);
    out += to;
  }
  out += text.substr(at);
  return out;
}

}  // namespace anima
