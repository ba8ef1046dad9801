// Case and normal forms, by the tables of utf8proc.
#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/result.h"
#include "base/text/normal_forms.h"
#include "base/text/text.h"

namespace anima {
namespace {

constexpr std::size_t kTwoByteEnd = 0x800;  // the first code point of three bytes
constexpr std::uint64_t kHighBitOfEach = 0x8080808080808080U;

char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

std::string mapped_ascii(std::string_view text, char (*map)(char)) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), map);
  return out;
}

std::string mapped(std::string_view text, utf8proc_int32_t (*map)(utf8proc_int32_t)) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    append_utf8(out, static_cast<char32_t>(map(static_cast<utf8proc_int32_t>(point.value))));
    at += point.size;
  }
  return out;
}

std::string with_valid_utf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    append_utf8(out, point.value);
    at += point.size;
  }
  return out;
}

std::string transformed(std::string_view text, int options) {
  std::string repaired;
  if (!is_valid_utf8(text)) text = repaired = with_valid_utf8(text);
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &result,
                                             static_cast<utf8proc_option_t>(options));
  ANIMA_CHECK(size >= 0);  // valid UTF-8 and enough memory leave no way to fail
  std::string out(reinterpret_cast<const char*>(result), static_cast<std::size_t>(size));
  std::free(result);
  return out;
}

bool in(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// Letters and marks of punctuation that compatibility normalisation leaves alone wherever they
// stand: none decomposes otherwise than into itself, none is a combining mark, none is the second
// part of a composition. Not all of them: those that most texts consist of. From the Unicode
// character database (NFKC_Quick_Check=Yes, Canonical_Combining_Class=0).
bool is_nfkc_stable(char32_t c) {
  if (c < 0x250) {
    return c < 0x80 || (c >= 0xc0 && c != 0x132 && c != 0x133 && c != 0x13f && c != 0x140 &&
                        c != 0x149 && c != 0x17f && !in(c, 0x1c4, 0x1cc) && !in(c, 0x1f1, 0x1f3));
  }
  if (c < 0x2000) {
    return in(c, 0x391, 0x3a1) || in(c, 0x3a3, 0x3ce) || in(c, 0x400, 0x482) ||
           in(c, 0x48a, 0x52f) || in(c, 0x5d0, 0x5ea) || in(c, 0x621, 0x63a) || in(c, 0x641, 0x64a);
  }
  return c == 0x2013 || c == 0x2014 || in(c, 0x2018, 0x2022) || c == 0x20ac ||
         in(c, 0x3041, 0x3096) || in(c, 0x30a1, 0x30fa) || in(c, 0x4e00, 0x9fa5) ||
         in(c, 0xac00, 0xd7a3);
}

// Eight bytes at a time, for as long as they are ASCII and letters from U+00C0 to U+00FF and from
// U+0400 to U+047F: those begin with one of three bytes, and each has one behind it. No branch
// hangs on which is which.
std::size_t skip_stable_words(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kEachByte = 0x0101010101010101U;
  // The high bit of each byte that is equal; only for bytes with the high bit.
  const auto equal = [](std::uint64_t high, std::uint64_t byte) {
    const std::uint64_t differs = (high ^ byte * kEachByte) & ~kHighBitOfEach;
    return ~(differs + 0x7f * kEachByte) & kHighBitOfEach;
  };
  while (at + 8 <= text.size()) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof word);
    const std::uint64_t high = word & kHighBitOfEach;
    const std::uint64_t first = high & (equal(word, 0xc3) | equal(word, 0xd0) | equal(word, 0xd1));
    const std::uint64_t second = high & ~(word << 1);
    // A first byte that is the last of the eight is looked at with the next ones.
    if ((first | second) != high || first << 8 != second) break;
    at += 8 - (first >> 63);
  }
  return at;
}

bool is_nfkc_stable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    at = skip_stable_words(text, at);
    if (at == text.size()) break;
    const CodePoint point = decode_utf8(text, at);
    if (!is_nfkc_stable(point.value)) return false;
    at += point.size;
  }
  return true;
}

// What two bytes of UTF-8 become in lower case, when that takes two bytes again; else 0. By code
// point: Latin, Greek, Cyrillic, Hebrew, Arabic. utf8proc's own look-up takes two tables and a
// structure a letter.
const std::array<std::uint16_t, kTwoByteEnd>& lower_of_two_bytes() {
  static const auto table = [] {
    std::array<std::uint16_t, kTwoByteEnd> lower{};
    for (std::size_t c = 0x80; c < kTwoByteEnd; ++c) {
      const auto to = static_cast<std::size_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
      if (to >= 0x80 && to < kTwoByteEnd)
        lower[c] = static_cast<std::uint16_t>((0xc0 | to >> 6) << 8 | 0x80 | (to & 0x3f));
    }
    return lower;
  }();
  return table;
}

}  // namespace

std::string to_lower(std::string_view text) {
  if (is_ascii(text)) return mapped_ascii(text, ascii_lower);
  std::string out;
  out.reserve(text.size());
  append_lower(out, text);
  return out;
}

void append_lower(std::string& out, std::string_view text) {
  const std::array<std::uint16_t, kTwoByteEnd>& lower = lower_of_two_bytes();
  std::array<char, 256> ready;
  std::size_t filled = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (filled + 2 > ready.size()) out.append(ready.data(), std::exchange(filled, 0));
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ready[filled++] = ascii_lower(text[at++]);
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    at += point.size;
    if (point.value < kTwoByteEnd && lower[point.value] != 0) {
      ready[filled++] = static_cast<char>(lower[point.value] >> 8);
      ready[filled++] = static_cast<char>(lower[point.value] & 0xff);
      continue;
    }
    out.append(ready.data(), std::exchange(filled, 0));
    append_utf8(
        out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point.value))));
  }
  out.append(ready.data(), filled);
}

std::string to_upper(std::string_view text) {
  return is_ascii(text) ? mapped_ascii(text, ascii_upper) : mapped(text, utf8proc_toupper);
}

std::string fold_case(std::string_view text) {
  // Composed again: utf8proc folds decomposed letters only when it may also decompose them.
  return is_ascii(text) ? mapped_ascii(text, ascii_lower)
                        : transformed(text, UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE);
}

std::string to_nfkc(std::string_view text) {
  return is_nfkc_stable(text)
             ? std::string(text)
             : transformed(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
}

std::string to_nfc(std::string_view text) {
  return is_ascii(text) ? std::string(text) : transformed(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

std::string to_nfd(std::string_view text) {
  return is_ascii(text) ? std::string(text)
                        : transformed(text, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
}

bool equals_ignoring_ascii_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

}  // namespace anima
