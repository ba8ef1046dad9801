#include "language/frames/detail/frame_sides.h"

#include <algorithm>
#include <array>

#include "base/civil_days.h"
#include "language/language.h"
#include "language/numbers/number_words.h"
#include "language/text/quotes.h"
#include "language/text/vocabulary.h"

namespace anima::language::detail {
namespace {

using Kind = Lexeme::Kind;

constexpr std::size_t kMostNameWords = 6, kMostTopicWords = 3, kMostAddressWords = 14;
constexpr std::size_t kLongestQuoted = 60;
constexpr std::int64_t kOldest = 130;
constexpr std::size_t kLeastPhoneDigits = 3;
constexpr std::string_view kPerson = "Person", kThing = "Thing", kOrganisation = "Organisation";
constexpr std::string_view kPlace = "Place";

const Vocabulary& words_of(const std::string& code) {
  return vocabulary(language_of_code(code).value_or(Language::kEnglish));
}

bool ends_with_one(const std::string& word, const std::vector<std::string>& endings) {
  return std::ranges::any_of(endings, [&](const std::string& one) { return word.ends_with(one); });
}

}  // namespace

bool FrameSides::is_word(std::size_t at) const {
  return at < lexemes_.size() && lexemes_[at].kind == Kind::kWord;
}

bool FrameSides::is_sign(std::size_t at, std::string_view sign) const {
  return at < lexemes_.size() && lexemes_[at].kind == Kind::kSign && lexemes_[at].text == sign;
}

bool FrameSides::is_own(std::size_t at) const { return phrase(at, words_.own) > 0; }

bool FrameSides::is_end(std::size_t at) const {
  if (at < lexemes_.size() && (is_sign(at, ".") || is_sign(at, "!"))) ++at;
  return at >= lexemes_.size();
}

std::string_view FrameSides::written(std::size_t from, std::size_t to) const {
  return sentence_.substr(lexemes_[from].begin, lexemes_[to - 1].end - lexemes_[from].begin);
}

std::size_t FrameSides::phrase(std::size_t at, const FrameWords::Phrases& phrases) const {
  if (at >= lexemes_.size()) return 0;
  for (const FrameWords::Phrase& one : phrases)
    if (stands_at(lexemes_, at, one)) return one.size();
  return 0;
}

std::size_t FrameSides::article(std::size_t at, const FrameWords::Phrases& articles) const {
  const std::size_t count = phrase(at, articles);
  return at + count < lexemes_.size() && lexemes_[at + count].spaced ? count : 0;
}

const TimeReading* FrameSides::time_at(std::size_t at, std::size_t& end) const {
  if (at >= lexemes_.size()) return nullptr;
  for (const TimeReading& time : times_) {
    if (time.begin != lexemes_[at].begin) continue;
    end = at;
    while (end < lexemes_.size() && lexemes_[end].begin < time.end) ++end;
    return &time;
  }
  return nullptr;
}

bool FrameSides::inside_time(std::size_t at) const {
  const std::size_t place = lexemes_[at].begin;
  return std::ranges::any_of(
      times_, [place](const TimeReading& time) { return time.begin <= place && place < time.end; });
}

// --- names

// A word that is in no name.
bool FrameSides::is_none(const std::string& folded) const {
  return words_.not_names.contains(folded) || words_of(words_.language).is_stop_word(folded) ||
         (ends_with_one(folded, words_.not_name_endings) && !words_.but_names.contains(folded));
}

// A word that is none by itself, although it is written like one.
bool FrameSides::is_common(const std::string& folded) const {
  return is_none(folded) || words_of(words_.language).compound_parts.contains(folded);
}

bool FrameSides::begins_name(std::size_t at) const {
  return is_word(at) && lexemes_[at].capital && !inside_time(at);
}

// Behind what belongs to the name that ends there; the same place: nothing does.
std::size_t FrameSides::extended(std::size_t at, bool wide) const {
  if (at >= lexemes_.size()) return at;
  const Lexeme& next = lexemes_[at];
  const bool joined = at + 1 < lexemes_.size() && !next.spaced && !lexemes_[at + 1].spaced;
  if (next.text == "-" && joined && lexemes_[at + 1].kind != Kind::kSign) return at + 2;
  if (next.text == "'" && joined && is_word(at + 1) && !is_own(at)) return at + 2;
  if (next.text == "." && !next.spaced && begins_name(at + 1)) {
    const std::string& before = lexemes_[at - 1].text;
    const auto& titles = words_of(words_.language).titles;
    const bool shortened = before.size() == 1 || words_.initials.contains(before) ||
                           std::ranges::find(titles, before) != titles.end();
    return shortened ? at + 2 : at;
  }
  if (wide && next.text == "&" && begins_name(at + 1)) return at + 2;
  if (wide && next.kind == Kind::kDigits && !inside_time(at)) return at + 1;
  if (begins_name(at)) {
    const bool none = wide ? words_of(words_.language).is_stop_word(next.text) : is_none(next.text);
    const bool stops = none || words_.never_names.contains(next.text);
    return stops ? at : at + 1;
  }
  if (!next.spaced) return at;
  std::size_t inner = at;
  while (is_word(inner) && !lexemes_[inner].capital &&
         words_.particles.contains(lexemes_[inner].text))
    ++inner;
  if (inner == at && wide) inner += phrase(at, words_.inside);
  const bool goes_on = inner > at && begins_name(inner) &&
                       !(wide ? is_common(lexemes_[inner].text) : is_none(lexemes_[inner].text));
  return goes_on ? inner + 1 : at;
}

// Behind the longest name; 0: none begins there.
std::size_t FrameSides::name_end(std::size_t at, bool wide) const {
  const bool particle = is_word(at) && words_.particles.contains(lexemes_[at].text) &&
                        lexemes_[at].capital && extended(at, wide) > at + 1;
  if (!particle && !begins_name(at)) return 0;
  std::size_t end = at + 1;
  for (std::size_t words = 1; words < kMostNameWords; ++words) {
    const std::size_t further = extended(end, wide);
    if (further == end) break;
    end = further;
  }
  // Words of one name alone may be common: "University of Oslo", "New York", "The Hague".
  const bool lone = end == at + 1;
  const bool joined = !lone && lexemes_[at + 1].text == "-";
  const std::string& first = lexemes_[at].text;
  const bool article = at > 0 && phrase(at, words_.name_articles) > 0;
  const bool none = lone    ? is_common(first)
                    : !wide ? is_none(first)
                            : (words_of(words_.language).is_stop_word(first) && !article) ||
                                  words_.never_names.contains(first);
  if ((none && !joined) || (lone && lexemes_[at].end - lexemes_[at].begin < 2)) return 0;
  return end;
}

std::optional<ReadSide> FrameSides::person(std::size_t at) const {
  const std::size_t end = name_end(at, false);
  if (end == 0 || (end == at + 1 && words_.not_persons.contains(lexemes_[at].text)))
    return std::nullopt;
  return ReadSide{end, std::string(written(at, end)), at};
}

std::optional<ReadSide> FrameSides::quoted(std::size_t at) const {
  for (const Quotes& quotes : kQuotes) {
    if (!is_sign(at, quotes.open)) continue;
    for (std::size_t end = at + 1; end < lexemes_.size(); ++end) {
      if (!is_sign(end, quotes.close)) continue;
      const std::string_view inside = end > at + 1 ? written(at + 1, end) : std::string_view();
      if (inside.empty() || inside.size() > kLongestQuoted || !lexemes_[at + 1].capital) break;
      return ReadSide{end + 1, std::string(inside), at + 1, true};
    }
  }
  return std::nullopt;
}

std::optional<ReadSide> FrameSides::name(std::size_t at, std::string_view type) const {
  if (type == kPerson) return person(at);
  if (auto read = quoted(at)) return read;
  const bool wide = type == kOrganisation || type == kPlace || type == kThing;
  if (at < lexemes_.size() && !lexemes_[at].capital) at += article(at, words_.name_articles);
  const bool small = at < lexemes_.size() && !lexemes_[at].capital;
  if (const std::size_t the = phrase(at, words_.the); small && the > 0 && is_word(at + the)) {
    const std::string& first = lexemes_[at + the].text;
    if (words_.articled_names.contains(first) && lexemes_[at + the].capital)
      return ReadSide{at + the + 1, std::string(written(at + the, at + the + 1)), at + the};
    const std::size_t end = words_.institutions.contains(first) ? name_end(at + the, wide) : 0;
    if (end > 0) return ReadSide{end, std::string(written(at + the, end)), at + the};
    return std::nullopt;
  }
  std::size_t end = name_end(at, wide);
  if (end == 0) return std::nullopt;
  if (wide && is_own(end)) end += phrase(end, words_.own);  // "McDonald's"
  return ReadSide{end, std::string(written(at, end)), at};
}

// --- common nouns

std::optional<ReadSide> FrameSides::topic(std::size_t at) const {
  const Vocabulary& known = words_of(words_.language);
  const auto fits = [&](std::size_t place) {
    if (!is_word(place) || inside_time(place)) return false;
    const std::string& word = lexemes_[place].text;
    const bool verb = std::ranges::any_of(words_.patterns, [&](const FramePattern& one) {
      return !one.before.empty() && one.before.front() == word;
    });
    return word.size() > 1 && !verb && !known.is_stop_word(word) &&
           !words_.not_topics.contains(word) && !ends_with_one(word, words_.not_name_endings);
  };
  std::size_t end = at, words = 0;
  while (fits(end)) {
    if (++words > kMostTopicWords) return std::nullopt;
    ++end;
    while (end + 1 < lexemes_.size() && lexemes_[end].text == "-" && !lexemes_[end].spaced &&
           is_word(end + 1) && !lexemes_[end + 1].spaced)
      end += 2;
  }
  if (end == at) return std::nullopt;
  return ReadSide{end, std::string(written(at, end)), at};
}

std::optional<ReadSide> FrameSides::listed(std::size_t at, const FrameWords::Words& nouns) const {
  at += article(at, words_.value_articles);
  auto read = topic(at);
  // "Married", which is a verb, too.
  if (!read && is_word(at) && nouns.contains(lexemes_[at].text))
    read = ReadSide{at + 1, std::string(written(at, at + 1)), at};
  if (!read || !nouns.contains(lexemes_[read->end - 1].text) || has_unreal(at, read->end))
    return std::nullopt;
  return read;
}

bool FrameSides::has_unreal(std::size_t at, std::size_t end) const {
  for (std::size_t word = at; word < end; ++word)
    if (words_.unreal.contains(lexemes_[word].text)) return true;
  return false;
}

// --- values

std::optional<ReadSide> FrameSides::date(std::size_t at) const {
  std::size_t end = 0;
  const TimeReading* time = time_at(at, end);
  const TimeInterval* sure = time == nullptr ? nullptr : time->sure();
  if (time == nullptr || (time->named.year == 0 && !time->any_year)) return std::nullopt;
  // Without the words before it: "on 5 May". Others make it another day: "around", "before".
  while (const std::size_t before = phrase(at, words_.before_dates)) at += before;
  if (at >= end || (lexemes_[at].kind == Kind::kWord && !lexemes_[at].capital)) return std::nullopt;
  if (time->any_year && time->named.month > 0 && time->named.day > 0) {
    return ReadSide{end, std::string(written(at, end))};
  }
  if (sure == nullptr || sure->open_from || sure->open_until || time->any_year) return std::nullopt;
  const std::string day = format_day(day_at_second(sure->from));
  switch (sure->precision) {
    case Precision::kDay:
      return ReadSide{end, day};
    case Precision::kMonth:
      return ReadSide{end, day.substr(0, day.rfind('-'))};
    case Precision::kYear:
      return ReadSide{end, day.substr(0, day.find('-'))};
    default:
      return std::nullopt;
  }
}

std::optional<ReadSide> FrameSides::number(std::size_t at) const {
  const Lexeme& digits = lexemes_[at];
  if (digits.kind == Kind::kDigits && digits.number > 0 && digits.number <= kOldest)
    return ReadSide{at + 1, digits.text};
  const NumberWords* numbers = NumberWords::of(words_.language);
  const auto read = numbers == nullptr ? std::nullopt : numbers->read(lexemes_, at);
  if (!read || read->ordinal || read->value < 1 || read->value > kOldest) return std::nullopt;
  return ReadSide{read->end, std::to_string(read->value)};
}

std::optional<ReadSide> FrameSides::phone(std::size_t at) const {
  static constexpr std::array<std::string_view, 6> kSigns = {"+", "-", "/", "(", ")", "."};
  std::size_t end = at, digits = 0, behind_digits = at;
  for (; end < lexemes_.size(); ++end) {
    const Lexeme& one = lexemes_[end];
    if (one.kind == Kind::kDigits) {
      digits += one.text.size();
      behind_digits = end + 1;
    } else if (one.kind != Kind::kSign || std::ranges::find(kSigns, one.text) == kSigns.end()) {
      break;
    }
  }
  if (digits < kLeastPhoneDigits || inside_time(at)) return std::nullopt;
  return ReadSide{behind_digits, std::string(written(at, behind_digits))};
}

std::optional<ReadSide> FrameSides::email(std::size_t at) const {
  if (!is_word(at)) return std::nullopt;
  std::size_t end = at + 1, behind_word = end;
  while (end < lexemes_.size() && !lexemes_[end].spaced) {
    if (lexemes_[end].kind != Kind::kSign) behind_word = end + 1;
    ++end;
  }
  const std::string_view text = written(at, behind_word);
  const std::size_t sign = text.find('@');
  const bool one = sign != std::string_view::npos && text.find('@', sign + 1) == text.npos;
  if (!one || text.find('.', sign) == text.npos) return std::nullopt;
  return ReadSide{behind_word, std::string(text)};
}

// A street and a number, and what else stands there to the end.
std::optional<ReadSide> FrameSides::address(std::size_t at) const {
  bool digits = false, capital = false;
  std::size_t end = at;
  // "Not 5 High Street", "probably 7 Low Road".
  if (is_word(at) && !lexemes_[at].capital && !words_.particles.contains(lexemes_[at].text))
    return std::nullopt;
  for (; end < lexemes_.size() && !is_end(end); ++end) {
    const Lexeme& one = lexemes_[end];
    const bool sign = one.text == "," || one.text == "-" || one.text == "." || one.text == "'";
    if (one.kind == Kind::kSign && !sign) return std::nullopt;
    if (one.kind == Kind::kWord && !one.capital && !words_.particles.contains(one.text) &&
        one.text.size() > 1 && digits)
      return std::nullopt;
    digits = digits || one.kind == Kind::kDigits;
    capital = capital || (one.kind == Kind::kWord && one.capital && !is_common(one.text));
  }
  if (!digits || !capital || end - at > kMostAddressWords) return std::nullopt;
  return ReadSide{end, std::string(written(at, end))};
}

std::optional<ReadSide> FrameSides::value(std::size_t at, ValueKind kind) const {
  if (at >= lexemes_.size()) return std::nullopt;
  switch (kind) {
    case ValueKind::kDate:
      return date(at);
    case ValueKind::kNumber:
      return number(at);
    case ValueKind::kPhone:
      return phone(at);
    case ValueKind::kEmail:
      return email(at);
    case ValueKind::kAddress:
      return address(at);
    case ValueKind::kName:
      return person(at);
    case ValueKind::kText: {
      at += article(at, words_.value_articles);
      auto read = name(at, kThing);
      const bool named = read.has_value();
      if (!named) read = topic(at);
      if (!read) return read;
      const bool state = !named && read->end == at + 1 && words_.states.contains(lexemes_[at].text);
      // "She works as a former nurse."
      const bool unreal =
          words_.professions.contains(lexemes_[read->end - 1].text) && has_unreal(at, read->end);
      return state || unreal ? std::nullopt : read;
    }
    case ValueKind::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace anima::language::detail
