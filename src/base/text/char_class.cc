// Kinds of characters.
#include <utf8proc.h>

#include "base/text/digits.h"
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

}  // namespace

CharClass classify(char32_t c) {
  if (c >= 0x80) return classify_beyond_ascii(c);
  if (within(c | 0x20, 'a', 'z')) return CharClass::kLetter;
  return within(c, '0', '9') ? CharClass::kDigit : CharClass::kOther;
}

bool is_decimal_digit(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
}

bool is_punctuation(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return true;
    default:
      return false;
  }
}

char32_t ascii_digit(char32_t c) {
  if (c < 0x80 || !is_decimal_digit(c)) return c;
  // The ten digits of a script stand in a row, zero first, in rows that begin at 0 or 6 of sixteen.
  const char32_t in_row = c & 0xf;
  if (within(c, 0x1d7ce, 0x1d7ff)) return U'0' + (c - 0x1d7ce) % 10;
  const char32_t zero = in_row >= 6 && !is_decimal_digit(c - in_row) ? 6 : 0;
  return in_row - zero < 10 ? U'0' + in_row - zero : c;
}

}  // namespace anima
