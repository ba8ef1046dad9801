#include "memory/recall/detail/dates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <unordered_set>

#include "memory/recall/detail/languages.h"

namespace anima::memory::detail {
namespace {

namespace chrono = std::chrono;

constexpr std::size_t kMostDates = 16;
constexpr Day kLongRange = 45;  // days; what is longer names no month

chrono::year_month_day civil(Day day) {
  return chrono::year_month_day(chrono::sys_days(chrono::days(day)));
}

Day day_number(chrono::year_month_day date) {
  return static_cast<Day>(chrono::sys_days(date).time_since_epoch().count());
}

DayRange month_range(int year, int month) {
  const chrono::year_month in(chrono::year(year), chrono::month(static_cast<unsigned>(month)));
  return {day_number(in / 1), day_number(in / chrono::last)};
}

DayRange month_away(Day today, int months) {
  const auto date = civil(today);
  const chrono::year_month in = date.year() / date.month() + chrono::months(months);
  return {day_number(in / 1), day_number(in / chrono::last)};
}

int year_of(Day day) { return static_cast<int>(civil(day).year()); }

DayRange year_range(int year) { return {month_range(year, 1).from, month_range(year, 12).to}; }

Day monday_of(Day day) {
  const chrono::weekday weekday{chrono::sys_days(chrono::days(day))};
  return day - static_cast<Day>(weekday.iso_encoding()) + 1;
}

// "7", "7th", "07"; 0 when it is none.
int number_in(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc()) return 0;
  const std::string_view rest = word.substr(static_cast<std::size_t>(end - word.data()));
  const bool plain =
      rest.empty() || rest == "st" || rest == "nd" || rest == "rd" || rest == "th" || rest == "er";
  return plain && number > 0 && number < 10'000 ? number : 0;
}

bool is_year(int number) { return number >= 1900 && number <= 2199; }
bool is_day(int number) { return number >= 1 && number <= 31; }

constexpr std::array<std::string_view, 10> kLast = {"last",    "past",    "previous", "letzte",
                                                    "letzten", "letztes", "letzter",  "vergangene",
                                                    "dernier", "pasado"};
constexpr std::array<std::string_view, 6> kNext = {"next",     "coming",   "nächste",
                                                   "nächsten", "nächstes", "nächster"};
constexpr std::array<std::string_view, 5> kThis = {"this", "diese", "diesen", "dieses", "dieser"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

struct Near {
  std::string_view word;
  int days;
};
constexpr std::array<Near, 15> kNear = {{{"today", 0},
                                         {"tonight", 0},
                                         {"yesterday", -1},
                                         {"tomorrow", 1},
                                         {"heute", 0},
                                         {"gestern", -1},
                                         {"vorgestern", -2},
                                         {"übermorgen", 2},
                                         {"hier", -1},
                                         {"demain", 1},
                                         {"hoy", 0},
                                         {"ayer", -1},
                                         {"mañana", 1},
                                         {"aujourd", 0},
                                         {"anteayer", -2}}};

bool begins_relative(std::string_view word) {
  static const std::unordered_set<std::string_view> kWords = [] {
    std::unordered_set<std::string_view> words = {"vor"};
    for (const Near& near : kNear) words.insert(near.word);
    words.insert(kLast.begin(), kLast.end());
    words.insert(kNext.begin(), kNext.end());
    words.insert(kThis.begin(), kThis.end());
    return words;
  }();
  return kWords.contains(word);
}

enum class Unit : std::uint8_t { kNone, kDay, kWeek, kWeekend, kMonth, kYear };

Unit unit_of(std::string_view word) {
  if (among<9>({"day", "days", "tag", "tage", "tagen", "jour", "jours", "día", "días"}, word))
    return Unit::kDay;
  if (among<8>({"week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas"},
               word))
    return Unit::kWeek;
  if (among<2>({"weekend", "wochenende"}, word)) return Unit::kWeekend;
  if (among<8>({"month", "months", "monat", "monate", "monaten", "mois", "mes", "meses"}, word))
    return Unit::kMonth;
  if (among<10>({"year", "years", "jahr", "jahre", "jahren", "an", "ans", "année", "año", "años"},
                word))
    return Unit::kYear;
  return Unit::kNone;
}

// `steps` units from today: the week that is, was or will be, and so on.
DayRange unit_range(Unit unit, int steps, Day today) {
  switch (unit) {
    case Unit::kWeek: {
      const Day monday = monday_of(today) + 7 * steps;
      return {monday, monday + 6};
    }
    case Unit::kWeekend: {
      const Day saturday = monday_of(today) + 7 * steps + 5;
      return {saturday, saturday + 1};
    }
    case Unit::kMonth:
      return month_away(today, steps);
    case Unit::kYear:
      return year_range(year_of(today) + steps);
    case Unit::kDay:
    case Unit::kNone:
      break;
  }
  return {today + steps, today + steps};
}

class Finder {
 public:
  Finder(const std::vector<TermWord>& words, Language language, Day today)
      : words_(words), language_(language), today_(today) {}

  std::vector<NamedDate> run() && {
    while (at_ < words_.size() && dates_.size() < kMostDates) {
      if (!may_begin() || (!numbers() && !month() && !relative() && !year())) ++at_;
    }
    return std::move(dates_);
  }

 private:
  // Most words begin no date; one look-up says so.
  bool may_begin() const {
    const std::string& first = words_[at_].text;
    if (first[0] >= '0' && first[0] <= '9') return true;
    const WordUse use = use_of(language_, first);
    return use.month != 0 || use.weekday != 0 || use.number != 0 || begins_relative(first);
  }

  std::string_view word(std::size_t ahead) const {
    return at_ + ahead < words_.size() ? std::string_view(words_[at_ + ahead].text)
                                       : std::string_view();
  }
  int number(std::size_t ahead) const { return number_in(word(ahead)); }
  // Whether one character alone stands between two words.
  bool adjoin(std::size_t first) const {
    const TermWord& one = words_[at_ + first];
    return one.offset + one.text.size() + 1 == words_[at_ + first + 1].offset;
  }
  bool found(NamedDate date, std::size_t words) {
    dates_.push_back(date);
    at_ += words;
    return true;
  }
  bool range(DayRange days, std::size_t words) {
    NamedDate date;
    date.range = days;
    return found(date, words);
  }

  // 2023-05-07 and 7.5.2023.
  bool numbers() {
    if (at_ + 2 >= words_.size() || !adjoin(0) || !adjoin(1)) return false;
    const int first = number(0), second = number(1), third = number(2);
    const bool month = second >= 1 && second <= 12;
    if (month && is_year(first) && is_day(third))
      return found({.year = first, .month = second, .day = third}, 3);
    if (month && is_year(third) && is_day(first))
      return found({.year = third, .month = second, .day = first}, 3);
    return false;
  }

  // "7 May 2023", "May 7th, 2023", "7. Mai", "in May". Of "may" and "march" a capital or a number
  // beside it makes a month.
  bool month() {
    const int named = use_of(language_, word(0)).month;
    if (named == 0) return false;
    NamedDate date{.month = named};
    std::size_t taken = 1;
    const int before = at_ > 0 ? number_in(words_[at_ - 1].text) : 0;
    if (is_day(before)) {
      date.day = before;
    } else if (is_day(number(taken))) {
      date.day = number(taken++);
    }
    if (is_year(number(taken))) date.year = number(taken++);
    const bool is_word = is_stop_word(language_, word(0)) || word(0) == "march" || word(0) == "may";
    if (is_word && date.day == 0 && date.year == 0 && !words_[at_].capital) return false;
    return found(date, taken);
  }

  bool year() {
    const int named = number(0);
    return is_year(named) && word(0).size() == 4 && found({.year = named}, 1);
  }

  bool relative() {
    if (today_ == kNoDay) return false;
    return one_day() || stepped() || ago() || weekday();
  }

  bool one_day() {
    const auto near = std::ranges::find(kNear, word(0), &Near::word);
    // "hier" is here in German.
    if (near == kNear.end() || (near->word == "hier" && language_ != Language::kFrench))
      return false;
    return range({today_ + near->days, today_ + near->days}, 1);
  }

  // "last week", "this month", "next year"; "last Monday".
  bool stepped() {
    const int steps = among(kLast, word(0)) ? -1 : among(kNext, word(0)) ? 1 : 0;
    if (steps == 0 && !among(kThis, word(0))) return false;
    if (const Unit unit = unit_of(word(1)); unit != Unit::kNone)
      return range(unit_range(unit, steps, today_), 2);
    const int day = use_of(language_, word(1)).weekday;
    return day != 0 && steps < 0 && range(last_weekday(day), 2);
  }

  // "two weeks ago", "vor zwei Wochen".
  bool ago() {
    const bool german = word(0) == "vor";
    const std::size_t at = german ? 1 : 0;
    const int count = number(at) != 0 ? number(at) : use_of(language_, word(at)).number;
    const Unit unit = unit_of(word(at + 1));
    if (count == 0 || count > 1000 || unit == Unit::kNone) return false;
    if (!german && word(2) != "ago") return false;
    return range(unit_range(unit, -count, today_), 3);
  }

  // The last one: people tell of what was.
  bool weekday() {
    const int day = use_of(language_, word(0)).weekday;
    return day != 0 && range(last_weekday(day), 1);
  }
  DayRange last_weekday(int day) const {
    Day found = monday_of(today_) + day - 1;
    if (found >= today_) found -= 7;
    return {found, found};
  }

  const std::vector<TermWord>& words_;
  Language language_;
  Day today_;
  std::size_t at_ = 0;
  std::vector<NamedDate> dates_;
};

}  // namespace

Day day_of(Timestamp time) {
  const std::int64_t micros = time.microseconds;
  const std::int64_t days = micros / kMicrosecondsPerDay;
  return static_cast<Day>(days - (micros % kMicrosecondsPerDay < 0 ? 1 : 0));
}

std::vector<NamedDate> named_dates(const std::vector<TermWord>& words, Language language,
                                   Day today) {
  return Finder(words, language, today).run();
}

std::optional<DayRange> days_of(const NamedDate& date, Day today) {
  if (date.range) return date.range;
  if (date.month == 0) return date.year == 0 ? std::nullopt : std::optional(year_range(date.year));
  int year = date.year;
  if (year == 0) {
    if (today == kNoDay) return std::nullopt;
    year = year_of(today);
    if (month_range(year, date.month).from > today) --year;
  }
  if (date.day == 0) return month_range(year, date.month);
  const chrono::year_month_day day(chrono::year(year),
                                   chrono::month(static_cast<unsigned>(date.month)),
                                   chrono::day(static_cast<unsigned>(date.day)));
  if (!day.ok()) return std::nullopt;
  return DayRange{day_number(day), day_number(day)};
}

double date_fit(const NamedDate& wanted, DayRange days) {
  if (wanted.range) {
    const bool touches = wanted.range->from <= days.to && days.from <= wanted.range->to;
    return touches && days.to - days.from <= kLongRange ? 1 : 0;
  }
  const auto fit = [&](Day day) {
    const auto date = civil(day);
    const bool year = wanted.year != 0 && static_cast<int>(date.year()) == wanted.year;
    double sum = year ? 0.3 : 0;
    const bool month = static_cast<unsigned>(date.month()) == static_cast<unsigned>(wanted.month) &&
                       (wanted.year == 0 || year) && days.to - days.from <= kLongRange;
    if (!month) return sum;
    sum += 1;
    if (wanted.day != 0 && static_cast<unsigned>(date.day()) == static_cast<unsigned>(wanted.day))
      sum += 0.7;
    return sum;
  };
  return days.from == days.to ? fit(days.from) : std::max(fit(days.from), fit(days.to));
}

}  // namespace anima::memory::detail
