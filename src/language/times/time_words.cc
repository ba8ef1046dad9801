#include "language/times/time_words.h"

#include <algorithm>
#include <charconv>

#include "base/enum_order.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "language/numbers/word_files.h"
#include "language/text/vocabulary.h"
#include "language/text/word_filter.h"

namespace anima::language {
namespace {

// Patterns that name a time by themselves come behind those that are parts of others; slots of the
// vocabulary come before those that are read by rule, and these before results.
static_assert(follow_each_other(
    {Slot::kDay,       Slot::kUnit,     Slot::kWeekday, Slot::kMonth,        Slot::kStep,
     Slot::kCount,     Slot::kPart,     Slot::kThird,   Slot::kDurationWord, Slot::kPeriodWord,
     Slot::kDayPart,   Slot::kNumber,   Slot::kOrdinal, Slot::kDayOfMonth,   Slot::kYear,
     Slot::kShortYear, Slot::kQuarter,  Slot::kDate,    Slot::kHourMinute,   Slot::kHour,
     Slot::kEvent,     Slot::kDuration, Slot::kPeriod,  Slot::kClock,        Slot::kTime}));
static_assert(ascend({Meaning::kDuration, Meaning::kPeriod, Meaning::kClock, Meaning::kClockAm,
                      Meaning::kClockPm, Meaning::kFirstTime}));
static_assert(follow_each_other({Unit::kSecond, Unit::kMinute, Unit::kHour, Unit::kDay, Unit::kWeek,
                                 Unit::kWeekend, Unit::kMonth, Unit::kQuarter, Unit::kYear}));

constexpr std::string_view kTimesFolder = "packs/language/times/";
constexpr std::size_t kMostForms = 256;  // of one pattern

constexpr std::array<std::string_view, 7> kWeekdayNames = {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
constexpr std::array<std::string_view, 12> kMonthNames = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

struct SlotName {
  std::string_view name;
  Slot slot;
};
constexpr SlotName kSlotNames[] = {{"day", Slot::kDay},
                                   {"unit", Slot::kUnit},
                                   {"weekday", Slot::kWeekday},
                                   {"month", Slot::kMonth},
                                   {"step", Slot::kStep},
                                   {"part", Slot::kPart},
                                   {"third", Slot::kThird},
                                   {"day_part", Slot::kDayPart},
                                   {"n", Slot::kNumber},
                                   {"ordinal", Slot::kOrdinal},
                                   {"dom", Slot::kDayOfMonth},
                                   {"year", Slot::kYear},
                                   {"yy", Slot::kShortYear},
                                   {"quarter", Slot::kQuarter},
                                   {"date", Slot::kDate},
                                   {"hm", Slot::kHourMinute},
                                   {"hour", Slot::kHour},
                                   {"duration", Slot::kDuration},
                                   {"period", Slot::kPeriod},
                                   {"event", Slot::kEvent},
                                   {"clock", Slot::kClock},
                                   {"time", Slot::kTime},
                                   {"duration_word", Slot::kDurationWord},
                                   {"period_word", Slot::kPeriodWord}};

constexpr std::array<std::string_view, static_cast<std::size_t>(Meaning::kEnd)> kMeaningNames = {
    "duration",
    "period",
    "clock",
    "clock_am",
    "clock_pm",
    "at_clock",
    "at_hour",
    "in_part",
    "day",
    "day_part",
    "part_of",
    "step_unit",
    "step_weekday",
    "step_month",
    "weekday_in",
    "coming_weekday",
    "weekday_before_last",
    "ago",
    "ahead",
    "past",
    "coming",
    "earlier",
    "later",
    "calendar",
    "month_in",
    "month_ago",
    "quarter",
    "third",
    "range",
    "day_range",
    "year_range",
    "since",
    "since_duration",
    "from_on",
    "until",
    "before",
    "after",
    "clock_of",
    "no_time",
    "relative"};

template <std::size_t N>
int position(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

using Forms = std::vector<std::vector<PatternPart>>;

// Turns "last|past {n} (of the) {unit}" into the sequences that it stands for.
class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  Result<Forms> run() && {
    ANIMA_ASSIGN(Forms forms, sequence());
    if (at_ < text_.size()) return wrong("a closing bracket without an opening one");
    return forms;
  }

 private:
  Unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorCode::kSyntax, std::string(what) + " in \"" + std::string(text_) + "\"");
  }

  Result<Forms> sequence() {
    Forms forms(1);
    while (at_ < text_.size() && text_[at_] != ')' && text_[at_] != ']' && text_[at_] != '|') {
      if (text_[at_] == ' ') {
        ++at_;
        continue;
      }
      ANIMA_ASSIGN(const Forms next, piece());
      Forms all;
      for (const auto& before : forms) {
        for (const auto& after : next) {
          all.push_back(before);
          all.back().insert(all.back().end(), after.begin(), after.end());
        }
      }
      if (all.size() > kMostForms) return wrong("too many choices");
      forms = std::move(all);
    }
    return forms;
  }

  Result<Forms> piece() {
    const char c = text_[at_];
    if (c == '(' || c == '[') return group(c == '(' ? ')' : ']');
    Forms forms;
    while (true) {
      ANIMA_ASSIGN(std::vector<PatternPart> one, word());
      forms.push_back(std::move(one));
      if (at_ >= text_.size() || text_[at_] != '|' || in_group_ > 0) return forms;
      ++at_;
    }
  }

  Result<Forms> group(char close) {
    ++at_;
    ++in_group_;
    Forms forms;
    if (close == ')') forms.emplace_back();
    while (true) {
      ANIMA_ASSIGN(const Forms one, sequence());
      forms.insert(forms.end(), one.begin(), one.end());
      if (at_ >= text_.size()) return wrong("a bracket that is not closed");
      const char c = text_[at_++];
      if (c == close) break;
      if (c != '|') return wrong("brackets that cross");
    }
    --in_group_;
    return forms;
  }

  Result<std::vector<PatternPart>> word() {
    std::vector<PatternPart> parts;
    if (text_[at_] == '{') {
      const std::size_t end = text_.find('}', at_);
      if (end == std::string_view::npos) return wrong("a slot that is not closed");
      const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
      const auto* found = std::ranges::find(kSlotNames, name, &SlotName::name);
      if (found == std::end(kSlotNames)) return wrong("no slot is called " + std::string(name));
      parts.push_back({"", found->slot});
      at_ = end + 1;
      return parts;
    }
    const std::size_t end = std::min(text_.find_first_of(" |()[]{}", at_), text_.size());
    for (std::string& one : words_in(text_.substr(at_, end - at_)))
      parts.push_back({std::move(one), Slot::kEnd});
    if (end == at_) return wrong("a sign without a word");
    at_ = end;
    return parts;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int in_group_ = 0;
};

}  // namespace

class TimeWordsReader {
 public:
  TimeWordsReader(TimeWords& words, const TomlDocument& document)
      : words_(words), document_(document) {}

  Status run() {
    static constexpr std::array<std::string_view, 27> kKeys = {
        "month_only", "spelled_days", "events",  "language",      "numeric_order", "leads",
        "dating",     "unsure",       "capital", "introduced_by", "denied_by",     "continued_by",
        "parted",     "elsewhere",    "units",   "weekdays",      "months",        "parts",
        "thirds",     "part_hours",   "days",    "steps",         "counts",        "durations",
        "periods",    "day_parts",    "patterns"};
    ANIMA_TRY(only_known_keys(document_, "", kKeys));
    ANIMA_ASSIGN(words_.language_, text_in(document_, "language"));
    words_.numbers_ = NumberWords::of(words_.language_);
    if (words_.numbers_ == nullptr) return wrong("language", "has no file of numbers");
    if (const auto language = language_of_code(words_.language_)) {
      const std::vector<std::string>& joining = vocabulary(*language).list_words;
      words_.list_words_.insert(joining.begin(), joining.end());
    }
    ANIMA_TRY(read_order());
    ANIMA_TRY(read_set("leads", words_.leads_));
    ANIMA_TRY(read_set("dating", words_.dating_));
    ANIMA_TRY(read_set("month_only", words_.month_only_));
    ANIMA_TRY(read_set("events", words_.events_));
    const Json* spelled = document_.root.find("spelled_days");
    words_.spelled_days_ = spelled != nullptr && spelled->is_bool() && spelled->as_bool();
    ANIMA_TRY(read_set("unsure", words_.unsure_));
    ANIMA_TRY(read_set("capital", words_.capital_));
    ANIMA_TRY(read_set("introduced_by", words_.introduced_by_));
    ANIMA_TRY(read_set("continued_by", words_.continued_by_));
    ANIMA_TRY(read_set("parted", words_.parted_));
    ANIMA_TRY(read_set("elsewhere", words_.elsewhere_));
    ANIMA_ASSIGN(const std::vector<std::string> denials, texts_in(document_, "denied_by"));
    for (const std::string& one : denials) words_.denials_.push_back(words_in(one));
    ANIMA_TRY(read_names("units", kUnitNames, Slot::kUnit, 0));
    ANIMA_TRY(read_names("weekdays", kWeekdayNames, Slot::kWeekday, 1));
    ANIMA_TRY(read_names("months", kMonthNames, Slot::kMonth, 1));
    ANIMA_TRY(read_names("parts", kPartNames, Slot::kPart, 0));
    ANIMA_TRY(read_names("thirds", kThirdNames, Slot::kThird, 0));
    ANIMA_TRY(read_hours());
    ANIMA_TRY(read_values("days", Slot::kDay));
    ANIMA_TRY(read_values("steps", Slot::kStep));
    ANIMA_TRY(read_values("counts", Slot::kCount));
    ANIMA_TRY(read_pairs("durations", Slot::kDurationWord, kUnitNames));
    ANIMA_TRY(read_pairs("periods", Slot::kPeriodWord, kUnitNames));
    ANIMA_TRY(read_pairs("day_parts", Slot::kDayPart, kPartNames));
    ANIMA_TRY(read_patterns());
    for (auto& [first, list] : words_.entries_) {
      std::ranges::stable_sort(list, [](const TimeEntry& a, const TimeEntry& b) {
        return a.words.size() > b.words.size();
      });
    }
    index();
    return {};
  }

 private:
  Unexpected<Error> wrong(std::string_view key, std::string_view what) const {
    return fail(ErrorCode::kInvalidArgument, std::string(key) + " " + std::string(what),
                document_.where(key));
  }
  const JsonObject& table(std::string_view key) const {
    static const JsonObject kNone;
    const Json* found = document_.root.find(key);
    return found != nullptr ? found->as_object() : kNone;
  }
  static std::string dotted(std::string_view table, std::string_view key) {
    return std::string(table) + "." + std::string(key);
  }

  Status read_order() {
    ANIMA_ASSIGN(const std::string order, text_in(document_, "numeric_order"));
    const int at = position<3>({"unknown", "day_month", "month_day"}, order);
    if (at < 0) return wrong("numeric_order", "is unknown, day_month or month_day");
    words_.numeric_order_ = static_cast<NumericOrder>(at);
    return {};
  }

  Status read_set(std::string_view key, TimeWords::WordSet& set) {
    ANIMA_ASSIGN(const std::vector<std::string> texts, texts_in(document_, key));
    set.insert(texts.begin(), texts.end());
    return {};
  }

  void add(std::string_view phrase, Slot slot, int value, int more = 0) {
    TimeEntry entry{words_in(phrase), slot, value, more};
    if (entry.words.empty()) return;
    // Steps, counts and thirds stand beside other words, which tell that it is a time.
    if (slot != Slot::kStep && slot != Slot::kCount && slot != Slot::kThird)
      words_.telling_.insert(*std::ranges::max_element(
          entry.words, {}, [](const std::string& word) { return word.size(); }));
    std::string first = entry.words.front();
    words_.entries_[std::move(first)].push_back(std::move(entry));
  }

  template <std::size_t N>
  Status read_names(std::string_view key, const std::array<std::string_view, N>& names, Slot slot,
                    int first) {
    for (const JsonMember& one : table(key)) {
      const int at = position(names, one.first);
      if (at < 0) return wrong(dotted(key, one.first), "is no name of this table");
      for (const Json& word : one.second.as_array()) add(word.as_string(), slot, at + first);
    }
    return {};
  }

  Status read_values(std::string_view key, Slot slot) {
    for (const JsonMember& one : table(key)) {
      if (!one.second.is_integer()) return wrong(dotted(key, one.first), "is to be a whole number");
      add(one.first, slot, static_cast<int>(one.second.as_integer()));
    }
    return {};
  }

  // "6 month", "-1 night"
  template <std::size_t N>
  Status read_pairs(std::string_view key, Slot slot, const std::array<std::string_view, N>& names) {
    for (const JsonMember& one : table(key)) {
      const std::string& text = one.second.as_string();
      int number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const std::size_t blank = static_cast<std::size_t>(end - text.data());
      const int at = error == std::errc() && blank < text.size()
                         ? position(names, std::string_view(text).substr(blank + 1))
                         : -1;
      if (at < 0) return wrong(dotted(key, one.first), "is to be a number and a name");
      add(one.first, slot, number, at);
    }
    return {};
  }

  Status read_hours() {
    for (const JsonMember& one : table("part_hours")) {
      const int at = position(kPartNames, one.first);
      const JsonArray& hours = one.second.as_array();
      if (at < 0 || hours.size() != 2 || hours[0].as_integer() >= hours[1].as_integer())
        return wrong(dotted("part_hours", one.first), "is to be two hours of a part of the day");
      words_.part_hours_[static_cast<std::size_t>(at)] = {static_cast<int>(hours[0].as_integer()),
                                                          static_cast<int>(hours[1].as_integer())};
    }
    return {};
  }

  Status read_patterns() {
    for (const JsonMember& one : table("patterns")) {
      const int meaning = position(kMeaningNames, one.first);
      if (meaning < 0) return wrong(dotted("patterns", one.first), "is no meaning of a pattern");
      for (const Json& text : one.second.as_array()) {
        auto forms = PatternReader(text.as_string()).run();
        if (!forms) return wrong(dotted("patterns", one.first), forms.error().message);
        for (auto& form : *forms) {
          const bool tail = !form.empty() && form.front().slot == Slot::kTime;
          if (tail) form.erase(form.begin());
          if (form.empty()) {
            return wrong(
                dotted("patterns", one.first),
                "has a pattern that is nothing or a time alone: \"" + text.as_string() + "\"");
          }
          if (!tail) tell(form);
          words_.patterns_.push_back({static_cast<Meaning>(meaning), std::move(form), tail});
        }
      }
    }
    return {};
  }

  // A pattern without a slot, or with no other than a step, tells by its own longest word.
  void tell(const std::vector<PatternPart>& form) {
    const auto told = [](const PatternPart& part) {
      return part.slot != Slot::kEnd && part.slot != Slot::kStep;
    };
    if (std::ranges::any_of(form, told)) return;
    const PatternPart& longest = *std::ranges::max_element(
        form, {}, [](const PatternPart& part) { return part.word.size(); });
    words_.telling_.insert(longest.word);
  }

  void index() {
    for (std::size_t i = 0; i < words_.patterns_.size(); ++i) {
      const Pattern& pattern = words_.patterns_[i];
      const auto number = static_cast<std::uint16_t>(i);
      if (pattern.tail) {
        words_.tails_.push_back(number);
        continue;
      }
      words_.by_meaning_[static_cast<std::size_t>(pattern.meaning)].push_back(number);
      if (pattern.meaning < Meaning::kFirstTime) continue;
      start(number, pattern.parts.front());
    }
  }

  // Under what the first part can begin with.
  void start(std::uint16_t number, const PatternPart& first) {
    if (first.slot == Slot::kEnd) {
      add_once(words_.by_word_[first.word], number);
      return;
    }
    add_once(words_.by_slot_[static_cast<std::size_t>(first.slot)], number);
    const auto parts_of = [&](Meaning meaning) {
      for (const Pattern& pattern : words_.patterns_) {
        if (pattern.meaning == meaning) start(number, pattern.parts.front());
      }
    };
    if (first.slot == Slot::kDuration) parts_of(Meaning::kDuration);
    if (first.slot == Slot::kPeriod) parts_of(Meaning::kPeriod);
    if (first.slot == Slot::kClock) {
      parts_of(Meaning::kClock);
      parts_of(Meaning::kClockAm);
      parts_of(Meaning::kClockPm);
    }
  }
  static void add_once(std::vector<std::uint16_t>& list, std::uint16_t number) {
    if (list.empty() || list.back() != number) list.push_back(number);
  }

  TimeWords& words_;
  const TomlDocument& document_;
};

Result<TimeWords> TimeWords::from_toml(std::string_view text, std::string source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  TimeWords words;
  ANIMA_TRY(TimeWordsReader(words, document).run());
  return words;
}

const TimeWords* TimeWords::of(std::string_view language) {
  return loaded_words<TimeWords>(kTimesFolder, language);
}

std::optional<int> TimeWords::value_of(Slot slot, const std::string& word) const {
  for (const TimeEntry& entry : entries(word))
    if (entry.slot == slot && entry.words.size() == 1) return entry.value;
  return std::nullopt;
}

std::vector<std::string> TimeWords::single_words(Slot slot) const {
  std::vector<std::string> words;
  for (const auto& [first, entries] : entries_) {
    const bool known = std::ranges::any_of(entries, [&](const TimeEntry& entry) {
      return entry.slot == slot && entry.words.size() == 1;
    });
    if (known) words.push_back(first);
  }
  return words;
}

const std::vector<TimeEntry>& TimeWords::entries(const std::string& first) const {
  static const std::vector<TimeEntry> kNone;
  const auto found = entries_.find(first);
  return found == entries_.end() ? kNone : found->second;
}

const std::vector<std::uint16_t>& TimeWords::starting_with(const std::string& word) const {
  static const std::vector<std::uint16_t> kNone;
  const auto found = by_word_.find(word);
  return found == by_word_.end() ? kNone : found->second;
}

namespace {

bool is_ascii_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// Whether the text has a digit or one of the words that `telling` names. `may_tell`: which words of
// ASCII, as they are written, may be among these. O(text).
template <typename MayTell, typename Telling>
bool has_telling_word(std::string_view text, const MayTell& may_tell, const Telling& telling) {
  constexpr std::size_t kLongest = 32;
  std::array<char, kLongest> word{};
  const auto cut = [&](std::size_t from) {
    return std::ranges::any_of(cut_lexemes(text.substr(from)), [&](const Lexeme& lexeme) {
      return lexeme.kind == Lexeme::Kind::kDigits || telling(lexeme.text);
    });
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c >= '0' && c <= '9') return true;
    // Rare, so it is cut as the reader does.
    if (static_cast<unsigned char>(c) >= 0x80) return cut(at);
    if (!is_ascii_letter(c)) {
      ++at;
      continue;
    }
    const std::size_t begin = at++;
    while (at < text.size() && is_ascii_letter(text[at])) ++at;
    // A letter beyond ASCII belongs to the word before it.
    if (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) return cut(begin);
    const std::string_view written = text.substr(begin, at - begin);
    if (written.size() > kLongest || !may_tell(written)) continue;
    std::ranges::transform(written, word.begin(),
                           [](char letter) { return static_cast<char>(letter | 0x20); });
    if (telling(std::string_view(word.data(), written.size()))) return true;
  }
  return false;
}

}  // namespace

bool TimeWords::may_tell_time(std::string_view text) const {
  return has_telling_word(
      text, [](std::string_view) { return true; },
      [&](std::string_view word) { return telling_.contains(word); });
}

bool TimeWords::any_may_tell_time(std::string_view text) {
  struct Telling {
    Telling() {
      for (const std::string_view path : pack_files(kTimesFolder)) {
        const std::string_view name = path.substr(kTimesFolder.size());
        const TimeWords& language = *of(name.substr(0, name.find('.')));
        words.insert(language.telling_.begin(), language.telling_.end());
      }
      for (const std::string& word : words) filter.add(word);
    }
    WordSet words;
    WordFilter filter;
  };
  static const Telling kTelling;
  return has_telling_word(
      text, [](std::string_view word) { return kTelling.filter.may_hold_small(word); },
      [](std::string_view word) { return kTelling.words.contains(word); });
}

}  // namespace anima::language
