#include "language/text/detail/fold_table.h"

#include <utf8proc.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "base/text/digits.h"
#include "base/text/text.h"

namespace anima::language::detail {
namespace {

constexpr std::size_t kPageSize = 256;
constexpr std::size_t kPages = 0x110000 / kPageSize;
using Page = std::array<FoldedLetter, kPageSize>;

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// Thai, Lao, Myanmar, Khmer.
bool is_unbroken_alphabet(char32_t c) {
  return within(c, 0x0e01, 0x0eff) || within(c, 0x1000, 0x109f) || within(c, 0x1780, 0x17ff);
}

LetterKind kind_of(char32_t c) {
  const CharClass kind = classify(c);
  const bool word = kind != CharClass::kOther;
  if (kind == CharClass::kDigit) return LetterKind::kDigit;
  if (kind == CharClass::kIdeograph || (word && is_unbroken_alphabet(c)))
    return LetterKind::kUnbroken;
  if (kind == CharClass::kLetter) return LetterKind::kLetter;
  return kind == CharClass::kMark ? LetterKind::kMark : LetterKind::kNone;
}

// Signs over and under letters of Hebrew and Arabic: nobody writes them to look for a word.
bool is_vowel_sign(char32_t c) {
  return within(c, 0x0591, 0x05bd) || c == 0x05bf || within(c, 0x05c1, 0x05c7) ||
         within(c, 0x0610, 0x061a) || c == 0x0640 || within(c, 0x064b, 0x0652) || c == 0x0670 ||
         within(c, 0x06d6, 0x06dc) || within(c, 0x06df, 0x06e8) || within(c, 0x06ea, 0x06ed);
}

bool is_accent(char32_t c) {
  return within(c, 0x0300, 0x036f) || within(c, 0x1ab0, 0x1aff) || within(c, 0x1dc0, 0x1dff) ||
         within(c, 0x20d0, 0x20ff) || within(c, 0xfe20, 0xfe2f) || within(c, 0x0653, 0x065f);
}

// Breve and diaeresis that make letters of their own: й, ў, ї.
bool makes_a_letter(char32_t before, char32_t mark) {
  if (mark == 0x0306) return before == 0x0438 || before == 0x0443;
  return mark == 0x0308 && before == 0x0456;
}

struct Replacement {
  char32_t from;
  const char32_t* to;
};
// Letters that no normal form takes apart, though readers write one for the other.
constexpr std::array<Replacement, 19> kVariants = {{{0x00e6, U"ae"},
                                                    {0x00f0, U"d"},
                                                    {0x00f8, U"o"},
                                                    {0x00fe, U"th"},
                                                    {0x0111, U"d"},
                                                    {0x0127, U"h"},
                                                    {0x0131, U"i"},
                                                    {0x0142, U"l"},
                                                    {0x0153, U"oe"},
                                                    {0x0167, U"t"},
                                                    {0x0180, U"b"},
                                                    {0x0268, U"i"},
                                                    {0x0629, U"\u0647"},
                                                    {0x0649, U"\u064a"},
                                                    {0x0671, U"\u0627"},
                                                    {0x06a9, U"\u0643"},
                                                    {0x06cc, U"\u064a"},
                                                    {0x06c1, U"\u0647"},
                                                    {0x06c0, U"\u0647"}}};

std::u32string decomposed(char32_t c) {
  std::array<utf8proc_int32_t, 40> parts{};
  int boundary = 0;
  const auto count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(c), parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD |
                                     UTF8PROC_IGNORE),
      &boundary);
  std::u32string text;
  for (utf8proc_ssize_t i = 0; i < count; ++i)
    text.push_back(static_cast<char32_t>(parts[static_cast<std::size_t>(i)]));
  return text;
}

std::u32string composed(std::u32string text) {
  std::vector<utf8proc_int32_t> parts(text.begin(), text.end());
  const auto size =
      utf8proc_normalize_utf32(parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
                               static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (size < 0) return text;
  text.clear();
  for (utf8proc_ssize_t i = 0; i < size; ++i)
    text.push_back(static_cast<char32_t>(parts[static_cast<std::size_t>(i)]));
  return text;
}

// What the letter becomes when it stands alone.
std::u32string folded_alone(char32_t c, FoldStrength strength) {
  std::u32string kept;
  for (const char32_t part : decomposed(ascii_digit(c))) {
    if (is_vowel_sign(part)) continue;
    const bool accent = is_accent(part);
    const bool letter_of_its_own = !kept.empty() && makes_a_letter(kept.back(), part);
    if (strength == FoldStrength::kMarks && accent && !letter_of_its_own) continue;
    // What is no part of a word joins nothing: (株) is 株, 1⁄2 is 12.
    if (kind_of(part) == LetterKind::kNone && kind_of(c) != LetterKind::kNone) continue;
    const auto variant = std::ranges::find(kVariants, part, &Replacement::from);
    if (strength == FoldStrength::kMarks && variant != kVariants.end()) {
      kept += variant->to;
    } else {
      kept.push_back(part);
    }
  }
  return composed(std::move(kept));
}

// Whether a sign that stands by itself may still become one letter with the one before it.
bool joins_before(char32_t c, FoldStrength strength) {
  if (c == 0x3099 || c == 0x309a || c == 0xff9e || c == 0xff9f) return true;
  if (within(c, 0x1161, 0x11ff)) return true;  // vowels and finals of Hangul
  return is_accent(c) && (strength == FoldStrength::kCase || c == 0x0306 || c == 0x0308);
}

FoldedLetter make_letter(char32_t c, FoldStrength strength) {
  FoldedLetter letter;
  letter.joins = joins_before(c, strength);
  letter.upper = utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_LU;
  const std::u32string folded = folded_alone(c, strength);
  letter.kind = kind_of(c);
  // Signs and squared letters that are written for words: №, ㈱.
  if (letter.kind == LetterKind::kNone) {
    const bool stands_for_word = c > 0x7f && std::ranges::any_of(folded, [](char32_t part) {
                                   return kind_of(part) != LetterKind::kNone;
                                 });
    if (stands_for_word)
      letter.kind =
          kind_of(folded[folded.size() > 1 && kind_of(folded[0]) == LetterKind::kNone ? 1 : 0]);
  } else if (!folded.empty() && letter.kind != LetterKind::kMark) {
    letter.kind = kind_of(folded[0]);
  }
  const std::string text = to_utf8(folded);
  if (text.size() > letter.bytes.size()) {
    letter.size = FoldedLetter::kLong;
  } else {
    letter.size = static_cast<std::uint8_t>(text.size());
    std::memcpy(letter.bytes.data(), text.data(), text.size());
  }
  return letter;
}

std::unique_ptr<const Page> make_page(std::size_t number, FoldStrength strength) {
  auto page = std::make_unique<Page>();
  for (std::size_t i = 0; i < kPageSize; ++i)
    (*page)[i] = make_letter(static_cast<char32_t>(number * kPageSize + i), strength);
  return page;
}

class Table {
 public:
  explicit Table(FoldStrength strength) : strength_(strength) {}
  ~Table() {
    for (auto& page : pages_) delete page.load(std::memory_order_relaxed);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const FoldedLetter& at(char32_t c) {
    const std::size_t number = std::min<std::size_t>(c / kPageSize, kPages - 1);
    const Page* page = pages_[number].load(std::memory_order_acquire);
    if (page == nullptr) {
      std::unique_ptr<const Page> made = make_page(number, strength_);
      // Another thread may have been first; its page is the same.
      if (pages_[number].compare_exchange_strong(page, made.get(), std::memory_order_acq_rel))
        page = made.release();
    }
    return (*page)[c % kPageSize];
  }

 private:
  FoldStrength strength_;
  std::array<std::atomic<const Page*>, kPages> pages_{};
};

Table& table(FoldStrength strength) {
  static Table cased(FoldStrength::kCase);
  static Table marks(FoldStrength::kMarks);
  return strength == FoldStrength::kCase ? cased : marks;
}

// Where the last code point of the text begins.
std::size_t last_letter(const std::string& text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u) --at;
  return at;
}

}  // namespace

const FoldedLetter& folded_letter(char32_t code_point, FoldStrength strength) {
  return table(strength).at(code_point);
}

void append_folded_letter(std::string& out, char32_t code_point, const FoldedLetter& letter,
                          FoldStrength strength) {
  if (letter.joins && !out.empty()) {
    const std::size_t at = last_letter(out);
    std::u32string both = to_utf32(std::string_view(out).substr(at)) + decomposed(code_point);
    const std::size_t before = both.size();
    // "u" and a diaeresis behind it fold as "ü" does, whose accent goes.
    const bool dropped = strength == FoldStrength::kMarks && is_accent(code_point) &&
                         !makes_a_letter(both.front(), code_point);
    if (!dropped) both = composed(std::move(both));
    if (both.size() < before) {
      out.resize(at);
      out += to_utf8(both);
      return;
    }
  }
  if (letter.size == FoldedLetter::kLong) {
    out += to_utf8(folded_alone(code_point, strength));
  } else {
    out += letter.text();
  }
}

}  // namespace anima::language::detail
