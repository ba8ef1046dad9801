#include "base/text/full_case.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "base/text/text.h"

namespace anima {
namespace {

// Letters that are several in capitals: SpecialCasing.txt of Unicode, without conditions; sorted.
struct Capitals {
  char32_t from;
  const char* to;
};
constexpr Capitals kCapitals[] = {
    {0x00df, "SS"},
    {0x0149, "\u02bcN"},
    {0x01f0, "J\u030c"},
    {0x0390, "\u0399\u0308\u0301"},
    {0x03b0, "\u03a5\u0308\u0301"},
    {0x0587, "\u0535\u0552"},
    {0x1e96, "H\u0331"},
    {0x1e97, "T\u0308"},
    {0x1e98, "W\u030a"},
    {0x1e99, "Y\u030a"},
    {0x1e9a, "A\u02be"},
    {0x1f50, "\u03a5\u0313"},
    {0x1f52, "\u03a5\u0313\u0300"},
    {0x1f54, "\u03a5\u0313\u0301"},
    {0x1f56, "\u03a5\u0313\u0342"},
    {0x1f80, "\u1f08\u0399"},
    {0x1f81, "\u1f09\u0399"},
    {0x1f82, "\u1f0a\u0399"},
    {0x1f83, "\u1f0b\u0399"},
    {0x1f84, "\u1f0c\u0399"},
    {0x1f85, "\u1f0d\u0399"},
    {0x1f86, "\u1f0e\u0399"},
    {0x1f87, "\u1f0f\u0399"},
    {0x1f88, "\u1f08\u0399"},
    {0x1f89, "\u1f09\u0399"},
    {0x1f8a, "\u1f0a\u0399"},
    {0x1f8b, "\u1f0b\u0399"},
    {0x1f8c, "\u1f0c\u0399"},
    {0x1f8d, "\u1f0d\u0399"},
    {0x1f8e, "\u1f0e\u0399"},
    {0x1f8f, "\u1f0f\u0399"},
    {0x1f90, "\u1f28\u0399"},
    {0x1f91, "\u1f29\u0399"},
    {0x1f92, "\u1f2a\u0399"},
    {0x1f93, "\u1f2b\u0399"},
    {0x1f94, "\u1f2c\u0399"},
    {0x1f95, "\u1f2d\u0399"},
    {0x1f96, "\u1f2e\u0399"},
    {0x1f97, "\u1f2f\u0399"},
    {0x1f98, "\u1f28\u0399"},
    {0x1f99, "\u1f29\u0399"},
    {0x1f9a, "\u1f2a\u0399"},
    {0x1f9b, "\u1f2b\u0399"},
    {0x1f9c, "\u1f2c\u0399"},
    {0x1f9d, "\u1f2d\u0399"},
    {0x1f9e, "\u1f2e\u0399"},
    {0x1f9f, "\u1f2f\u0399"},
    {0x1fa0, "\u1f68\u0399"},
    {0x1fa1, "\u1f69\u0399"},
    {0x1fa2, "\u1f6a\u0399"},
    {0x1fa3, "\u1f6b\u0399"},
    {0x1fa4, "\u1f6c\u0399"},
    {0x1fa5, "\u1f6d\u0399"},
    {0x1fa6, "\u1f6e\u0399"},
    {0x1fa7, "\u1f6f\u0399"},
    {0x1fa8, "\u1f68\u0399"},
    {0x1fa9, "\u1f69\u0399"},
    {0x1faa, "\u1f6a\u0399"},
    {0x1fab, "\u1f6b\u0399"},
    {0x1fac, "\u1f6c\u0399"},
    {0x1fad, "\u1f6d\u0399"},
    {0x1fae, "\u1f6e\u0399"},
    {0x1faf, "\u1f6f\u0399"},
    {0x1fb2, "\u1fba\u0399"},
    {0x1fb3, "\u0391\u0399"},
    {0x1fb4, "\u0386\u0399"},
    {0x1fb6, "\u0391\u0342"},
    {0x1fb7, "\u0391\u0342\u0399"},
    {0x1fbc, "\u0391\u0399"},
    {0x1fc2, "\u1fca\u0399"},
    {0x1fc3, "\u0397\u0399"},
    {0x1fc4, "\u0389\u0399"},
    {0x1fc6, "\u0397\u0342"},
    {0x1fc7, "\u0397\u0342\u0399"},
    {0x1fcc, "\u0397\u0399"},
    {0x1fd2, "\u0399\u0308\u0300"},
    {0x1fd3, "\u0399\u0308\u0301"},
    {0x1fd6, "\u0399\u0342"},
    {0x1fd7, "\u0399\u0308\u0342"},
    {0x1fe2, "\u03a5\u0308\u0300"},
    {0x1fe3, "\u03a5\u0308\u0301"},
    {0x1fe4, "\u03a1\u0313"},
    {0x1fe6, "\u03a5\u0342"},
    {0x1fe7, "\u03a5\u0308\u0342"},
    {0x1ff2, "\u1ffa\u0399"},
    {0x1ff3, "\u03a9\u0399"},
    {0x1ff4, "\u038f\u0399"},
    {0x1ff6, "\u03a9\u0342"},
    {0x1ff7, "\u03a9\u0342\u0399"},
    {0x1ffc, "\u03a9\u0399"},
    {0xfb00, "FF"},
    {0xfb01, "FI"},
    {0xfb02, "FL"},
    {0xfb03, "FFI"},
    {0xfb04, "FFL"},
    {0xfb05, "ST"},
    {0xfb06, "ST"},
    {0xfb13, "\u0544\u0546"},
    {0xfb14, "\u0544\u0535"},
    {0xfb15, "\u0544\u053b"},
    {0xfb16, "\u054e\u0546"},
    {0xfb17, "\u0544\u053d"},
};

constexpr char32_t kDottedCapitalI = 0x130, kSigma = 0x3a3, kFinalSigma = 0x3c2;

bool is_cased(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return true;
    default:
      return false;
  }
}

// Marks, and what may stand inside a word.
bool is_ignored(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return c == '\'' || c == '.' || c == ':' || c == 0xb7 || c == 0x2018 || c == 0x2019 ||
             c == 0x2024 || c == 0x2027;
  }
}

// Is a letter with case the first that counts from `at` on?
bool goes_on(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const CodePoint point = decode_utf8(text, at);
    if (!is_ignored(point.value)) return is_cased(point.value);
    at += point.size;
  }
  return false;
}

}  // namespace

std::string full_upper(std::string_view text) {
  if (is_ascii(text)) return to_upper(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.size;
    const auto* const several =
        std::lower_bound(std::begin(kCapitals), std::end(kCapitals), point.value,
                         [](const Capitals& row, char32_t c) { return row.from < c; });
    if (several != std::end(kCapitals) && several->from == point.value) {
      out += several->to;
    } else {
      append_utf8(
          out, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(point.value))));
    }
  }
  return out;
}

std::string full_lower(std::string_view text) {
  if (is_ascii(text)) return to_lower(text);
  std::string out;
  out.reserve(text.size());
  bool in_word = false;  // a letter with case is the last that counted
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.size;
    if (point.value == kDottedCapitalI) {
      out += "i\u0307";
    } else if (point.value == kSigma && in_word && !goes_on(text, at)) {
      append_utf8(out, kFinalSigma);
    } else {
      append_utf8(
          out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point.value))));
    }
    if (!is_ignored(point.value)) in_word = is_cased(point.value);
  }
  return out;
}

}  // namespace anima
