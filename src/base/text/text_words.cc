// Kinds of characters, and the words that they make.
#include <utf8proc.h>

#include <array>

#include "base/text/text.h"

namespace anima {
namespace {

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_ideograph(char32_t c) {
  if (c < 0x1100) return false;
  return within(c, 0x1100, 0x11ff) || within(c, 0x3005, 0x3007) || within(c, 0x3041, 0x309f) ||
         within(c, 0x30a1, 0x30fa) || within(c, 0x30fc, 0x312f) || within(c, 0x3131, 0x318e) ||
         within(c, 0x31a0, 0x31ff) || within(c, 0x3400, 0x4dbf) || within(c, 0x4e00, 0x9fff) ||
         within(c, 0xac00, 0xd7a3) || within(c, 0xf900, 0xfaff) || within(c, 0xff66, 0xff9f) ||
         within(c, 0x1b000, 0x1b16f) || within(c, 0x20000, 0x323af);
}

CharClass classify_beyond_ascii(char32_t c) {
  if (is_ideograph(c)) return CharClass::kIdeograph;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharClass::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharClass::kDigit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharClass::kMark;
    default:
      return CharClass::kOther;
  }
}

constexpr std::array<CharClass, 256> make_byte_classes() {
  std::array<CharClass, 256> classes{};
  for (std::size_t c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 32] = CharClass::kLetter;
  for (std::size_t c = '0'; c <= '9'; ++c) classes[c] = CharClass::kDigit;
  // Not a class of its own: marks the bytes that must be decoded.
  for (std::size_t c = 0x80; c < 256; ++c) classes[c] = CharClass::kIdeograph;
  return classes;
}
constexpr std::array<CharClass, 256> kByteClasses = make_byte_classes();

CharClass byte_class(char c) { return kByteClasses[static_cast<unsigned char>(c)]; }

bool is_apostrophe(char32_t c) { return c == '\'' || c == 0x2019; }

// The end of the word of letters, digits and marks that begins at `at`.
std::size_t word_end(std::string_view text, std::size_t at) {
  bool after_letter = false;
  while (at < text.size()) {
    if (const CharClass kind = byte_class(text[at]);
        kind == CharClass::kLetter || kind == CharClass::kDigit) {
      after_letter = kind == CharClass::kLetter;
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    const CharClass kind = classify(point.value);
    if (kind == CharClass::kLetter || kind == CharClass::kDigit || kind == CharClass::kMark) {
      after_letter = kind != CharClass::kDigit;
      at += point.size;
      continue;
    }
    const std::size_t next = at + point.size;
    if (!is_apostrophe(point.value) || !after_letter || next >= text.size() ||
        classify(decode_utf8(text, next).value) != CharClass::kLetter) {
      break;
    }
    at = next;
  }
  return at;
}

std::size_t ideographs_end(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const CodePoint point = decode_utf8(text, at);
    const CharClass kind = classify(point.value);
    if (kind != CharClass::kIdeograph && kind != CharClass::kMark) break;
    at += point.size;
  }
  return at;
}

}  // namespace

CharClass classify(char32_t c) {
  if (c >= 0x80) return classify_beyond_ascii(c);
  if (within(c | 0x20, 'a', 'z')) return CharClass::kLetter;
  return within(c, '0', '9') ? CharClass::kDigit : CharClass::kOther;
}

void append_words(std::vector<Word>& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (byte_class(text[at]) == CharClass::kOther) {
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    const CharClass kind = classify(point.value);
    if (kind == CharClass::kOther || kind == CharClass::kMark) {
      at += point.size;
      continue;
    }
    const bool ideographic = kind == CharClass::kIdeograph;
    const std::size_t end = ideographic ? ideographs_end(text, at) : word_end(text, at);
    out.push_back({text.substr(at, end - at), at, ideographic});
    at = end;
  }
}

std::vector<Word> split_words(std::string_view text) {
  std::vector<Word> words;
  append_words(words, text);
  return words;
}

}  // namespace anima
