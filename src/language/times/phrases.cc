#include "language/times/phrases.h"

#include <algorithm>

namespace anima::language {
namespace {

constexpr int kDeepest = 3;  // times inside a time
constexpr std::size_t kMostFound = 64;
constexpr int kNoon = 12 * 60;
constexpr int kLongestCount = 10'000;
constexpr std::string_view kSignsOfNumbers = ".,:/-+#_@&=%$\\";

bool is_sign(const Lexeme& lexeme) {
  return lexeme.kind == Lexeme::Kind::kSign && lexeme.text.size() == 1 &&
         kSignsOfNumbers.find(lexeme.text[0]) != std::string_view::npos;
}

// Not a dash, which is the same sign and parts what stands beside it.
bool is_hyphen(const Lexeme& sign) { return sign.end - sign.begin == 1; }

bool is_number_of(const Lexeme& lexeme, std::size_t digits) {
  return lexeme.number >= 0 && lexeme.text.size() == digits;
}

Direction direction_of(Tense tense, Direction lean) {
  if (tense == Tense::kPast) return Direction::kPast;
  if (tense == Tense::kFuture) return Direction::kFuture;
  if (lean != Direction::kUnknown) return lean;
  return tense == Tense::kPresent ? Direction::kFuture : Direction::kUnknown;
}

}  // namespace

PhraseMatcher::PhraseMatcher(std::string_view text, const Lexemes& lexemes, const TimeWords& words,
                             const TimeContext& context)
    : text_(text),
      lexemes_(lexemes),
      words_(words),
      context_(context),
      resolver_(words, context_) {}

std::vector<FoundTime> PhraseMatcher::times_at(std::size_t at) {
  std::vector<FoundTime> found;
  if (at >= lexemes_.size() || depth_ >= kDeepest || is_cut_off(at)) return found;
  if (depth_ == 0 && is_tied(at)) return found;
  std::vector<std::uint16_t> numbers = words_.starting_with(lexemes_[at].text);
  const auto add_all = [&](Slot slot) {
    const auto& more = words_.starting_with(slot);
    numbers.insert(numbers.end(), more.begin(), more.end());
  };
  for (const TimeEntry& entry : words_.entries(lexemes_[at].text)) {
    add_all(entry.slot);
    if (entry.slot == Slot::kCount) add_all(Slot::kNumber);
  }
  const bool digits = lexemes_[at].kind == Lexeme::Kind::kDigits;
  if (digits || words_.numbers().begins(lexemes_[at].text)) {
    for (const Slot slot : {Slot::kNumber, Slot::kOrdinal, Slot::kDayOfMonth, Slot::kYear,
                            Slot::kQuarter, Slot::kDate, Slot::kHourMinute, Slot::kHour})
      add_all(slot);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  ++depth_;
  for (const std::uint16_t number : numbers) {
    const Pattern& pattern = words_.patterns()[number];
    const auto outer = forced_;
    const Meaning outer_limit = limit_;
    if (pattern.meaning == Meaning::kUntil || pattern.meaning == Meaning::kFromOn)
      limit_ = pattern.meaning;
    if (pattern.meaning == Meaning::kSince && !pattern.tail) forced_ = Direction::kPast;
    for (Step& step : match(pattern, at, {})) add(pattern, at, std::move(step), found);
    forced_ = outer;
    limit_ = outer_limit;
  }
  add_tails(at, found);
  --depth_;
  return found;
}

// "yesterday" and "at 3 pm" behind it, and what stands behind that.
void PhraseMatcher::add_tails(std::size_t at, std::vector<FoundTime>& found) {
  for (std::size_t i = 0; i < found.size() && found.size() < kMostFound; ++i) {
    if (found[i].time.no_time) continue;
    for (const std::uint16_t number : words_.tails()) {
      const Pattern& pattern = words_.patterns()[number];
      for (Step& step : match(pattern, found[i].end, {found[i].time}))
        add(pattern, at, std::move(step), found);
    }
  }
}

void PhraseMatcher::add(const Pattern& pattern, std::size_t at, Step step,
                        std::vector<FoundTime>& found) const {
  if (is_glued(step.end) || is_before_month(step.end) ||
      (depth_ == 1 && (is_tied(step.end) || !stands_alone(pattern, at))))
    return;
  Direction direction = Direction::kUnknown;
  if (forced_) {
    direction = *forced_;
  } else if (const auto* statements = StatementWords::of(words_.language())) {
    // "This Friday" is the next one wherever the clause does not speak of the past.
    const bool stepped = pattern.meaning == Meaning::kStepWeekday;
    const Tense tense = tense_around(lexemes_, at, step.end, *statements);
    direction = limited(tense, direction_of(tense, stepped ? Direction::kUnknown : context_.lean));
    if (looks_back(pattern, tense)) {
      ResolvedTime none;
      none.no_time = true;
      found.push_back({step.end, std::move(none)});
      return;
    }
  }
  if (auto time = resolver_.resolve(pattern.meaning, step.bound, direction))
    found.push_back({step.end, std::move(*time)});
}

// "She ran it in one day": how long it took.
bool PhraseMatcher::looks_back(const Pattern& pattern, Tense tense) {
  return pattern.meaning == Meaning::kAhead && tense == Tense::kPast;
}

// "Until Friday" and "from Friday on" look ahead where nothing says otherwise; "we rented it until
// Friday" leaves it open.
Direction PhraseMatcher::limited(Tense tense, Direction direction) const {
  if (limit_ == Meaning::kEnd || context_.lean != Direction::kUnknown) return direction;
  if (tense == Tense::kPast)
    return limit_ == Meaning::kUntil ? Direction::kUnknown : Direction::kPast;
  return Direction::kFuture;
}

// A part of a number, a version, an address: "1.2023", "/2023", "v3".
bool PhraseMatcher::is_cut_off(std::size_t at) const {
  if (at == 0 || lexemes_[at].spaced) return false;
  const Lexeme& before = lexemes_[at - 1];
  if (lexemes_[at].kind == Lexeme::Kind::kDigits)
    return is_sign(before) || before.kind == Lexeme::Kind::kWord;
  return before.kind == Lexeme::Kind::kDigits || before.text == "_" || before.text == "@" ||
         before.text == "/" || before.text == "#";
}

// Digits that something hangs on which makes another thing of them: "2023.5", "2019%", "15km".
bool PhraseMatcher::is_glued(std::size_t end) const {
  if (end == 0 || end >= lexemes_.size() || lexemes_[end].spaced) return false;
  const Lexeme& next = lexemes_[end];
  if (lexemes_[end - 1].kind != Lexeme::Kind::kDigits) return next.text == "_" || next.text == "@";
  if (next.kind == Lexeme::Kind::kWord) return true;
  if (next.text == "%" || next.text == "$" || next.text == "€") return true;
  return is_sign(next) && end + 1 < lexemes_.size() && !lexemes_[end + 1].spaced &&
         lexemes_[end + 1].kind != Lexeme::Kind::kSign;
}

// Behind the day of "24.12." and "24. 12.", so that the month is another one than that of the
// context.
bool PhraseMatcher::is_before_month(std::size_t end) const {
  constexpr std::size_t kDigitsOfMonth = 2;
  if (end < 2 || end >= lexemes_.size() || lexemes_[end - 1].text != "." ||
      lexemes_[end - 1].spaced || lexemes_[end - 2].kind != Lexeme::Kind::kDigits)
    return false;
  const Lexeme& month = lexemes_[end];
  if (month.kind != Lexeme::Kind::kDigits || month.text.size() > kDigitsOfMonth ||
      month.number < 1 || month.number > 12)
    return false;
  const bool dotted = end + 1 < lexemes_.size() && lexemes_[end + 1].text == ".";
  return !month.spaced || dotted;
}

// Parts of one word or address: "Sonntag-Verlag", "avant-avant-hier", "monday.com", "may/june".
bool PhraseMatcher::is_tied(std::size_t at) const {
  const auto joins = [&](std::size_t sign) {
    const Lexeme& one = lexemes_[sign];
    const bool known = one.text == "." || one.text == "/" || (one.text == "-" && is_hyphen(one));
    return known && sign > 0 && sign + 1 < lexemes_.size() && !one.spaced &&
           !lexemes_[sign + 1].spaced && lexemes_[sign - 1].kind == Lexeme::Kind::kWord &&
           lexemes_[sign + 1].kind == Lexeme::Kind::kWord;
  };
  return at < lexemes_.size() && (joins(at) || (at > 0 && joins(at - 1)));
}

// "May" and "1984" alone need a word before them that makes them a time.
bool PhraseMatcher::stands_alone(const Pattern& pattern, std::size_t at) const {
  if (context_.lone_names || pattern.tail || pattern.parts.size() != 1) return true;
  const Slot slot = pattern.parts.front().slot;
  const bool doubtful = slot == Slot::kYear || ((slot == Slot::kMonth || slot == Slot::kWeekday) &&
                                                words_.unsure(lexemes_[at].text));
  if (!doubtful) return true;
  if (words_.capital(lexemes_[at].text) && !lexemes_[at].capital) return false;
  if (slot == Slot::kYear) return at > 0 && words_.leads(lexemes_[at - 1].text);
  return is_led(at);
}

// By a word before it. "And" leads only behind a time: not "Augusta and May", but "in Jan and Mar".
bool PhraseMatcher::is_led(std::size_t at) const {
  if (at == 0 || !words_.leads(lexemes_[at - 1].text)) return false;
  if (!words_.joins_list(lexemes_[at - 1].text)) return true;
  if (at < 2 || words_.entries(lexemes_[at - 2].text).empty()) return false;
  return !words_.unsure(lexemes_[at - 2].text) || is_led(at - 2);
}

PhraseMatcher::Steps PhraseMatcher::match(const Pattern& pattern, std::size_t at,
                                          std::vector<ResolvedTime> before) {
  Step first;
  first.end = at;
  first.bound.times = std::move(before);
  return match_parts(pattern, std::move(first));
}

PhraseMatcher::Steps PhraseMatcher::match_parts(const Pattern& pattern, Step first) {
  Steps steps;
  steps.push_back(std::move(first));
  for (const PatternPart& part : pattern.parts) {
    Steps next;
    for (Step& step : steps) {
      for (Step& one : match_part(part, std::move(step))) next.push_back(std::move(one));
    }
    steps = std::move(next);
    if (steps.empty()) break;
  }
  return steps;
}

PhraseMatcher::Steps PhraseMatcher::match_part(const PatternPart& part, Step step) {
  Steps out;
  if (step.end >= lexemes_.size()) return out;
  if (part.slot == Slot::kEnd) {
    if (lexemes_[step.end].text != part.word) return out;
    ++step.end;
    out.push_back(std::move(step));
  } else if (part.slot == Slot::kEvent) {
    if (!words_.begins_event(lexemes_[step.end].text)) return out;
    ++step.end;
    out.push_back(std::move(step));
  } else if (part.slot <= Slot::kDayPart) {
    match_entries(part.slot, step, out);
  } else if (part.slot == Slot::kDate) {
    match_date(step, out);
  } else if (part.slot == Slot::kHourMinute) {
    match_hour_minute(step, out);
  } else if (part.slot < Slot::kDuration) {
    match_numbers(part.slot, step, out);
  } else if (part.slot == Slot::kTime) {
    match_times(step, out);
  } else {
    match_patterns(part.slot, step, out);
  }
  return out;
}

void PhraseMatcher::match_entries(Slot slot, const Step& step, Steps& out) const {
  for (const TimeEntry& entry : words_.entries(lexemes_[step.end].text)) {
    if (entry.slot != slot || !stands_at(lexemes_, step.end, entry.words)) continue;
    Step next = step;
    next.end += entry.words.size();
    Bound& bound = next.bound;
    switch (slot) {
      case Slot::kDay:
        bound.day = entry.value;
        break;
      case Slot::kUnit:
        bound.units.add(entry.value);
        break;
      case Slot::kWeekday:
        bound.weekdays.add(entry.value);
        break;
      case Slot::kMonth:
        bound.months.add(entry.value);
        break;
      case Slot::kStep:
        bound.step = entry.value;
        break;
      case Slot::kPart:
        bound.part = entry.value;
        break;
      case Slot::kThird:
        bound.third = entry.value;
        break;
      case Slot::kDurationWord:
        bound.counts.add(entry.value);
        bound.units.add(entry.more);
        break;
      case Slot::kPeriodWord:
        bound.step = entry.value;
        bound.units.add(entry.more);
        break;
      case Slot::kDayPart:
        bound.day_part_day = entry.value;
        bound.part = entry.more;
        break;
      default:
        bound.counts.add(entry.value);
        break;
    }
    out.push_back(std::move(next));
  }
}

std::optional<WholeNumber> PhraseMatcher::number_at(std::size_t at) const {
  return words_.numbers().read(lexemes_, at);
}

void PhraseMatcher::match_numbers(Slot slot, const Step& step, Steps& out) const {
  if (slot == Slot::kNumber) match_entries(Slot::kCount, step, out);
  if (slot == Slot::kYear) {
    match_year(step, out);
    return;
  }
  if (slot == Slot::kShortYear) {
    match_short_year(step, out);
    return;
  }
  const auto number = number_at(step.end);
  if (!number || number->value > kLongestCount) return;
  const int value = static_cast<int>(number->value);
  const Lexeme& first = lexemes_[step.end];
  const bool digits = first.kind == Lexeme::Kind::kDigits;
  Step next = step;
  next.end = number->end;
  Bound& bound = next.bound;
  switch (slot) {
    case Slot::kNumber:
      if (number->ordinal || value == 0) return;
      bound.counts.add(value);
      break;
    case Slot::kOrdinal:
      if (!number->ordinal || value < 1 || value > 31) return;
      bound.days_of_month.add(value);
      break;
    case Slot::kDayOfMonth:
      if (value < 1 || value > 31 || (digits && first.text.size() > 2)) return;
      if (!number->ordinal && !(digits ? may_be_day(step.end) : words_.spelled_days())) return;
      bound.days_of_month.add(value);
      break;
    case Slot::kQuarter:
      if (value < 1 || value > 4) return;
      bound.quarter = value;
      break;
    default:
      if (number->ordinal || value > 24 || (digits && first.text.size() > 2)) return;
      bound.minutes = value * 60;
      bound.whole_hour = true;
      break;
  }
  out.push_back(std::move(next));
}

// Not "in May 20 people came"; but "in May 20, 2024".
bool PhraseMatcher::may_be_day(std::size_t at) const {
  if (at < 2 || !words_.is_month_only(lexemes_[at - 2].text) ||
      !words_.value_of(Slot::kMonth, lexemes_[at - 1].text))
    return true;
  std::size_t next = at + 1;
  if (next < lexemes_.size() && lexemes_[next].text == ",") ++next;
  constexpr std::size_t kDigitsOfYear = 4;
  return next < lexemes_.size() && is_number_of(lexemes_[next], kDigitsOfYear);
}

// 2024, or digit by digit as Chinese has it (二〇二四).
void PhraseMatcher::match_year(const Step& step, Steps& out) const {
  constexpr std::size_t kDigits = 4;
  Step next = step;
  int year = 0;
  if (lexemes_[step.end].kind == Lexeme::Kind::kDigits) {
    if (!is_number_of(lexemes_[step.end], kDigits)) return;
    year = static_cast<int>(lexemes_[step.end].number);
    ++next.end;
  } else {
    for (std::size_t i = 0; i < kDigits; ++i, ++next.end) {
      if (next.end >= lexemes_.size() || lexemes_[next.end].kind != Lexeme::Kind::kIdeograph)
        return;
      const auto digit = words_.numbers().digit(lexemes_[next.end].text);
      if (!digit) return;
      year = year * 10 + *digit;
    }
  }
  if (year < 1000 || year > 2999) return;
  next.bound.years.add(year);
  out.push_back(std::move(next));
}

// "24" of "May '24", where no minutes follow.
void PhraseMatcher::match_short_year(const Step& step, Steps& out) const {
  if (!is_number_of(lexemes_[step.end], 2)) return;
  Step next = step;
  ++next.end;
  if (next.end < lexemes_.size() && lexemes_[next.end].text == ":") return;
  next.bound.years.add(year_of_two_digits(static_cast<int>(lexemes_[step.end].number)));
  out.push_back(std::move(next));
}

// This century's, or the last one's where that is far ahead.
int PhraseMatcher::year_of_two_digits(int digits) const {
  const int now = context_.now ? year_of(day_of(*context_.now)) : 2000;
  const int year = digits + now / 100 * 100;
  return year > now + 20 ? year - 100 : year;
}

// 2024-03-13, 13.3.2024, 3/13/24 and an instant of RFC 3339.
void PhraseMatcher::match_date(const Step& step, Steps& out) const {
  const std::size_t at = step.end;
  if (at + 4 >= lexemes_.size()) return;
  const Lexeme& sign = lexemes_[at + 1];
  if (sign.text != "-" && sign.text != "/" && sign.text != ".") return;
  if (lexemes_[at + 3].text != sign.text) return;
  for (std::size_t i = at + 1; i <= at + 4; ++i) {
    if (lexemes_[i].spaced) return;
  }
  const Lexeme &one = lexemes_[at], &two = lexemes_[at + 2], &three = lexemes_[at + 4];
  if (two.number < 0 || two.text.size() > 2 || three.number < 0) return;
  Step next = step;
  next.end = at + 5;
  const auto a = static_cast<int>(one.number), b = static_cast<int>(two.number),
             c = static_cast<int>(three.number);
  if (is_number_of(one, 4) && three.text.size() <= 2) {
    next.bound.dates = {{a, b, c}};
    // The time of day behind it, with its offset.
    if (next.end < lexemes_.size() && lexemes_[next.end].text == "t" &&
        !lexemes_[next.end].spaced) {
      std::size_t end = next.end;
      while (end < lexemes_.size() && !lexemes_[end].spaced) ++end;
      for (; end > next.end; --end) {
        const auto time =
            parse_timestamp(text_.substr(one.begin, lexemes_[end - 1].end - one.begin));
        if (!time) continue;
        next.bound.moment = time->microseconds / kMicrosecondsPerSecond + context_.offset_seconds;
        next.end = end;
        break;
      }
    }
    out.push_back(std::move(next));
    return;
  }
  if (one.text.size() > 2 || (!is_number_of(three, 4) && !is_number_of(three, 2))) return;
  const int year = is_number_of(three, 2) ? year_of_two_digits(c) : c;
  const bool day_first = sign.text == "." || words_.numeric_order() == NumericOrder::kDayMonth;
  const bool month_first = !day_first && words_.numeric_order() == NumericOrder::kMonthDay;
  if (!month_first && b <= 12) next.bound.dates.push_back({year, b, a});
  if (!day_first && a <= 12 && (a != b || next.bound.dates.empty()))
    next.bound.dates.push_back({year, a, b});
  if (!next.bound.dates.empty()) out.push_back(std::move(next));
}

// 15:30, 15:30:20
void PhraseMatcher::match_hour_minute(const Step& step, Steps& out) const {
  const std::size_t at = step.end;
  if (at + 2 >= lexemes_.size() || lexemes_[at + 1].text != ":" || lexemes_[at + 1].spaced ||
      lexemes_[at + 2].spaced)
    return;
  const Lexeme &hour = lexemes_[at], &minute = lexemes_[at + 2];
  if (hour.number < 0 || hour.number > 24 || hour.text.size() > 2 || !is_number_of(minute, 2) ||
      minute.number > 59)
    return;
  Step next = step;
  next.end = at + 3;
  if (at + 4 < lexemes_.size() && lexemes_[at + 3].text == ":" && !lexemes_[at + 3].spaced &&
      is_number_of(lexemes_[at + 4], 2))
    next.end = at + 5;
  next.bound.minutes = static_cast<int>(hour.number * 60 + minute.number);
  next.bound.whole_hour = false;
  out.push_back(std::move(next));
}

void PhraseMatcher::match_patterns(Slot slot, const Step& step, Steps& out) {
  const auto of = [&](Meaning meaning) {
    for (const std::uint16_t number : words_.of_meaning(meaning)) {
      Steps steps = match_parts(words_.patterns()[number], step);
      for (Step& one : steps) {
        const int minutes = one.bound.minutes.value_or(0);
        if (meaning == Meaning::kClockPm && minutes < kNoon) one.bound.minutes = minutes + kNoon;
        if (meaning == Meaning::kClockAm && minutes >= kNoon) one.bound.minutes = minutes - kNoon;
        out.push_back(std::move(one));
      }
    }
  };
  if (slot == Slot::kDuration) of(Meaning::kDuration);
  if (slot == Slot::kPeriod) of(Meaning::kPeriod);
  if (slot != Slot::kClock) return;
  of(Meaning::kClock);
  of(Meaning::kClockAm);
  of(Meaning::kClockPm);
}

void PhraseMatcher::match_times(const Step& step, Steps& out) {
  for (FoundTime& found : times_at(step.end)) {
    if (found.time.no_time) continue;
    Step next = step;
    next.end = found.end;
    next.bound.times.push_back(std::move(found.time));
    out.push_back(std::move(next));
  }
}

}  // namespace anima::language
