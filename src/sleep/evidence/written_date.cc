#include "sleep/evidence/written_date.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json/toml.h"
#include "base/packs.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "language/numbers/word_files.h"
#include "language/times/times.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kLongest = 40;
constexpr int kFirstYear = 1500, kLastYear = 2199;
// Of numbers that nothing but their digits makes a date.
constexpr int kFirstYearOfDigits = 1900, kLastYearOfDigits = 2099;
constexpr int kMonths = 12, kWeeks = 53, kWeekdays = 7, kDays = 366;

// A run of digits, or of other letters in small ones.
struct Part {
  std::string text;
  bool number = false;

  int value() const { return read_number<int>(text).value_or(-1); }
  bool is_between(std::size_t size, int first, int last) const {
    return number && text.size() <= size && first <= value() && value() <= last;
  }
  bool is_year() const {
    return number && text.size() == 4 && kFirstYear <= value() && value() <= kLastYear;
  }
};

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts;
  bool apart = true;
  const std::string folded = fold_case(to_nfkc(text));
  for (std::size_t at = 0; at < folded.size();) {
    const CodePoint point = decode_utf8(folded, at);
    const CharClass kind = classify(point.value);
    const bool digit = kind == CharClass::kDigit;
    if (kind != CharClass::kOther) {
      if (apart || parts.back().number != digit) parts.push_back({{}, digit});
      parts.back().text += folded.substr(at, point.size);
    }
    apart = kind == CharClass::kOther;
    at += point.size;
  }
  return parts;
}

const std::set<std::string>& words_of_weeks() {
  static const std::set<std::string> words = [] {
    constexpr std::string_view kFile = "packs/sleep/weeks.toml";
    std::set<std::string> all;
    const auto document = parse_toml(pack_file(kFile).value_or(""), std::string(kFile));
    if (!document) language::end_for_broken_file(document.error());
    for (const JsonMember& language : document->root.as_object())
      for (const Json& word : language.second.as_array()) all.insert(fold_case(word.as_string()));
    return all;
  }();
  return words;
}

// "202403", "2024065".
bool is_date_of_digits(const Part& only) {
  if (only.text.size() != 6 && only.text.size() != 7) return false;
  const Part year{only.text.substr(0, 4), true}, rest{only.text.substr(4), true};
  return kFirstYearOfDigits <= year.value() && year.value() <= kLastYearOfDigits &&
         rest.is_between(3, 1, rest.text.size() == 2 ? kMonths : kDays);
}

bool is_month_or_day_of_year(const Part& a, const Part& b) {
  if (!a.number || !b.number) return false;
  if (a.is_year() && b.text.size() == 3) return b.is_between(3, 1, kDays);
  return (a.is_year() && b.is_between(2, 1, kMonths)) ||
         (b.is_year() && a.is_between(2, 1, kMonths));
}

// A word for it, its number and its year, in any order; and a day of it.
bool is_week(const std::vector<Part>& parts) {
  if (parts.size() < 3 || parts.size() > 4) return false;
  const auto is_word = [](const Part& part) {
    return !part.number && words_of_weeks().contains(part.text);
  };
  const auto week = [](const Part& part) { return part.is_between(2, 1, kWeeks); };
  return std::ranges::count_if(parts, is_word) == 1 &&
         std::ranges::count_if(parts, &Part::is_year) == 1 &&
         std::ranges::count_if(parts, week) == static_cast<std::ptrdiff_t>(parts.size() - 2) &&
         (parts.size() == 3 || parts.back().is_between(1, 1, kWeekdays));
}

bool is_read_whole(const std::string& text) {
  constexpr std::string_view kLanguages[] = {"en", "de", "es", "fr", "zh"};
  language::TimeContext context;
  context.lone_names = true;
  return std::ranges::any_of(kLanguages, [&](std::string_view language) {
    const auto times = language::read_times(text, language, context);
    return times.size() == 1 && times[0].begin == 0 && times[0].end == text.size();
  });
}

// What is joined by signs ("05-MAR-2024"), with blanks.
std::string spread(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) text += (text.empty() ? "" : " ") + part.text;
  return text;
}

}  // namespace

bool is_standard_date(std::string_view text) {
  const bool day = text.size() == 10 && text[4] == '-' && text[7] == '-';
  return parse_timestamp(day ? std::string(text) + "T00:00:00Z" : std::string(text)).has_value();
}

bool is_written_date(std::string_view text) {
  text = trim(text);
  if (is_standard_date(text)) return true;
  if (text.empty() || text.size() > kLongest) return false;
  const std::vector<Part> parts = parts_of(text);
  if (parts.size() == 1 && parts[0].number && is_date_of_digits(parts[0])) return true;
  if (parts.size() == 2 && is_month_or_day_of_year(parts[0], parts[1])) return true;
  if (is_week(parts)) return true;
  const bool compact = parts.size() == 1 && parts[0].number && text.size() == 8;
  const std::string written = compact
                                  ? parts[0].text.substr(0, 4) + "-" + parts[0].text.substr(4, 2) +
                                        "-" + parts[0].text.substr(6)
                                  : std::string(text);
  const bool words = std::ranges::any_of(parts, [](const Part& part) { return !part.number; });
  return is_read_whole(written) || (words && is_read_whole(spread(parts)));
}

}  // namespace anima::sleep::detail
