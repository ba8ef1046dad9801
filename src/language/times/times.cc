#include "language/times/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text/text.h"
#include "language/text/guess.h"
#include "language/text/script.h"
#include "language/text/sentences.h"
#include "language/text/vocabulary.h"
#include "language/times/phrases.h"
#include "language/times/whole_phrases.h"

namespace anima::language {
namespace {

constexpr std::size_t kMostIntroducing = 2;  // "on the" before a time
constexpr std::string_view kChinese = "zh", kJapanese = "ja";
constexpr std::string_view kOtherLanguage = "und";  // dates that need no language

// Of a text with Han characters: Japanese where it has kana, too; else empty.
std::string_view language_of_letters(std::string_view text) {
  if (is_ascii(text)) return {};
  bool han = false, kana = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const Script script = script_of(point.value);
    kana = kana || script == Script::kKana;
    han = han || script == Script::kHan;
    at += point.size;
  }
  if (!han) return {};
  return kana ? kJapanese : kChinese;
}

const TimeWords& time_words_of(std::string_view language) {
  const TimeWords* words = TimeWords::of(language);
  return words != nullptr ? *words : *TimeWords::of(kOtherLanguage);
}

// The longest; of two the one that says that it is none, then the one without a doubt, then the
// first.
const FoundTime* longest_of(const std::vector<FoundTime>& found) {
  const FoundTime* best = nullptr;
  for (const FoundTime& one : found) {
    if (best == nullptr || one.end > best->end ||
        (one.end == best->end &&
         (one.time.no_time || (one.time.doubt == Doubt::kNone && best->time.doubt != Doubt::kNone &&
                               !best->time.no_time))))
      best = &one;
  }
  return best;
}

TimeReading reading_of(const FoundTime& found, const Lexemes& lexemes, std::size_t begin) {
  TimeReading reading;
  reading.intervals = found.time.intervals;
  reading.doubt = found.time.doubt;
  reading.named = found.time.named;
  reading.any_year = found.time.any_year;
  reading.begin = lexemes[begin].begin;
  reading.end = lexemes[found.end - 1].end;
  return reading;
}

// A phrase of a text: what it means, and the lexemes that it took.
struct ReadPhrase {
  TimeReading reading;
  std::size_t begin = 0, end = 0;
  bool relative = false;  // to an event that is not known: no time
};

// Side by side in a line two times are one phrase that no pattern joins ("a week ago last Friday"),
// unless they say the same ("today Wednesday"). A date with its year needs nothing beside it. What
// depends on an event that is not known is none, nor is what stands beside it.
void drop_unjoined(std::string_view text, std::vector<ReadPhrase>& phrases) {
  const auto is_date = [](const TimeReading& one) {
    return one.named.year != 0 && one.named.day != 0;
  };
  std::vector<bool> dropped(phrases.size());
  for (std::size_t i = 1; i < phrases.size(); ++i) {
    const TimeReading &one = phrases[i - 1].reading, &next = phrases[i].reading;
    const std::string_view between = text.substr(one.end, next.begin - one.end);
    const bool same = one.intervals == next.intervals && !phrases[i].relative;
    if (phrases[i - 1].end != phrases[i].begin || same ||
        between.find('\n') != std::string_view::npos)
      continue;
    if (!is_date(one)) dropped[i - 1] = true;
    if (!is_date(next)) dropped[i] = true;
  }
  std::size_t at = 0;
  std::erase_if(phrases, [&](const ReadPhrase& one) { return dropped[at++] || one.relative; });
}

// The sign or the "and" behind which another clause may begin.
std::size_t end_of_clause(const Lexemes& lexemes, const TimeWords& words, std::size_t from) {
  for (std::size_t at = from; at < lexemes.size(); ++at) {
    const bool joined = at + 1 < lexemes.size() && !lexemes[at].spaced && !lexemes[at + 1].spaced;
    const bool sign = lexemes[at].kind == Lexeme::Kind::kSign;
    if ((sign && (!joined || lexemes[at].text.size() > 1)) || words.joins_list(lexemes[at].text))
      return at;
  }
  return lexemes.size();
}

// Finds the phrases of a text, each lexeme in one of them alone.
class PhraseCutter {
 public:
  PhraseCutter(std::string_view text, const Lexemes& lexemes, const TimeWords& words,
               const TimeContext& context, bool given)
      : lexemes_(lexemes),
        words_(words),
        matcher_(text, lexemes, words, context),
        whole_(text, lexemes, words, given) {}

  std::vector<ReadPhrase> run() && {
    for (std::size_t at = 0; at < lexemes_.size();) {
      std::optional<FoundTime> best = best_at(at);
      if (!best) {
        ++at;
        continue;
      }
      // "am 3." begins before "3. Mai", which is longer.
      while (words_.introduces(lexemes_[at].text)) {
        std::optional<FoundTime> later = best_at(at + 1);
        if (!later || later->end <= best->end) break;
        best = std::move(later);
        ++at;
      }
      take(at, *best);
      at = free_ = best->end;
    }
    return std::move(phrases_);
  }

 private:
  // The longest at the place that leaves a number or a word to the phrase that it belongs to: of
  // "in May two years ago" it is "May", for "two years ago" is longer than "May two".
  std::optional<FoundTime> best_at(std::size_t at) {
    std::vector<FoundTime> found = matcher_.times_at(at);
    const FoundTime* best = longest_of(found);
    for (std::size_t inner = at + 1; best != nullptr && !best->time.no_time && inner < best->end;
         ++inner) {
      if (!belongs_to_another(at, inner, best->end)) continue;
      std::erase_if(found, [&](const FoundTime& one) { return one.end > inner; });
      best = longest_of(found);
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
  }

  bool belongs_to_another(std::size_t at, std::size_t inner, std::size_t end) {
    const std::vector<FoundTime> found = matcher_.times_at(inner);
    const FoundTime* other = longest_of(found);
    if (other == nullptr || other->end <= end) return false;
    // "Last Friday after the meeting" says which Friday.
    if (other->time.relative) return !is_step(inner - 1);
    return other->end - inner > end - at &&
           (other->time.no_time || whole_.stands({inner, inner, other->end}));
  }
  bool is_step(std::size_t at) const {
    return words_.value_of(Slot::kStep, lexemes_[at].text).has_value();
  }

  void take(std::size_t at, const FoundTime& best) {
    std::size_t begin = at;
    while (begin > free_ && at - begin < kMostIntroducing &&
           words_.introduces(lexemes_[begin - 1].text))
      --begin;
    const bool relative = best.time.relative;
    // What is none where it stands still takes its words: no part of it is one either.
    const bool is_time =
        !best.time.no_time && at >= clause_of_event_ && whole_.stands({begin, at, best.end});
    if (is_time || relative)
      phrases_.push_back({reading_of(best, lexemes_, begin), begin, best.end, relative});
    if (relative) clause_of_event_ = end_of_clause(lexemes_, words_, best.end);
  }

  const Lexemes& lexemes_;
  const TimeWords& words_;
  PhraseMatcher matcher_;
  WholePhrases whole_;
  std::vector<ReadPhrase> phrases_;
  std::size_t free_ = 0;             // the first lexeme that no time has taken
  std::size_t clause_of_event_ = 0;  // before it, times are those of an event that is not known
};

std::vector<TimeReading> read_by(std::string_view text, const TimeWords& words,
                                 const TimeContext& context, bool given) {
  if (!words.may_tell_time(text)) return {};
  const Lexemes lexemes = cut_lexemes(text);
  std::vector<ReadPhrase> phrases = PhraseCutter(text, lexemes, words, context, given).run();
  drop_unjoined(text, phrases);
  std::vector<TimeReading> readings;
  for (ReadPhrase& one : phrases) readings.push_back(std::move(one.reading));
  return readings;
}

// Those of `more` that overlap no longer one, and the rest, in the order of the text.
std::vector<TimeReading> merged(std::vector<TimeReading> readings, std::vector<TimeReading> more) {
  const auto overlaps = [](const TimeReading& a, const TimeReading& b) {
    return a.begin < b.end && b.begin < a.end;
  };
  const auto size = [](const TimeReading& one) { return one.end - one.begin; };
  for (TimeReading& one : more) {
    const auto longer = [&](const TimeReading& other) {
      return overlaps(one, other) && size(other) >= size(one);
    };
    if (std::ranges::any_of(readings, longer)) continue;
    std::erase_if(readings, [&](const TimeReading& other) { return overlaps(one, other); });
    readings.push_back(std::move(one));
  }
  std::ranges::sort(readings, {}, &TimeReading::begin);
  return readings;
}

// Those in Han letters: a sentence with kana is not Chinese, whoever says so.
std::vector<TimeReading> read_han(std::string_view text, const TimeContext& context) {
  std::vector<TimeReading> readings;
  for (const TextSpan& span : sentences(text)) {
    const std::string_view sentence = text.substr(span.begin, span.end - span.begin);
    const std::string_view language = language_of_letters(sentence);
    if (language.empty()) continue;
    for (TimeReading& one : read_by(sentence, time_words_of(language), context, true)) {
      one.begin += span.begin;
      one.end += span.begin;
      readings.push_back(std::move(one));
    }
  }
  return readings;
}

std::vector<TimeReading> read_all(std::string_view text, std::string_view language,
                                  const TimeContext& context, bool given) {
  if (language == kJapanese || language_of_letters(text).empty())
    return read_by(text, time_words_of(language), context, given);
  // Of Chinese no more than the dates that need no language is left for the rest.
  const std::string_view rest = language == kChinese ? kOtherLanguage : language;
  return merged(read_by(text, time_words_of(rest), context, given), read_han(text, context));
}

}  // namespace

DayRange TimeInterval::days() const {
  const Day first = day_at_second(from);
  if (precision == Precision::kPartOfDay) return {first, first};
  return {first, std::max(first, day_at_second(until - 1))};
}

std::vector<TimeReading> read_times(std::string_view text, std::string_view language,
                                    const TimeContext& context) {
  return read_all(text, language, context, true);
}

std::vector<TimeReading> times_at(std::string_view text, std::size_t begin,
                                  std::string_view language, const TimeContext& context) {
  std::vector<TimeReading> readings;
  const std::string_view letters = language_of_letters(text);
  const bool own = letters.empty() || TimeWords::of(language) != nullptr;
  const TimeWords& words = time_words_of(own ? language : letters);
  const Lexemes lexemes = cut_lexemes(text);
  const auto at =
      std::ranges::find_if(lexemes, [&](const Lexeme& lexeme) { return lexeme.begin >= begin; });
  if (at == lexemes.end()) return readings;
  const auto first = static_cast<std::size_t>(at - lexemes.begin());
  PhraseMatcher matcher(text, lexemes, words, context);
  for (const FoundTime& found : matcher.times_at(first)) {
    const std::size_t end = lexemes[found.end - 1].end;
    const bool known =
        std::ranges::any_of(readings, [&](const TimeReading& one) { return one.end == end; });
    if (!found.time.no_time && !known) readings.push_back(reading_of(found, lexemes, first));
  }
  return readings;
}

std::vector<TimeReading> read_times_unsure(std::string_view text, std::string_view language,
                                           const TimeContext& context) {
  const auto covered = [](const std::vector<TimeReading>& times) {
    std::size_t bytes = 0;
    for (const TimeReading& time : times) bytes += time.end - time.begin;
    return bytes;
  };
  const auto mean_the_same = [](const std::vector<TimeReading>& a,
                                const std::vector<TimeReading>& b) {
    return std::ranges::equal(a, b, {}, &TimeReading::intervals, &TimeReading::intervals);
  };
  if (!TimeWords::any_may_tell_time(text)) return {};
  static const std::vector<Language> kKnown = [] {
    std::vector<Language> with_times;
    for (const Language one : described_languages())
      if (TimeWords::of(code_of(one)) != nullptr) with_times.push_back(one);
    return with_times;
  }();
  LanguageVotes votes;
  votes.add_text(text);
  std::uint32_t most = 0;
  for (const Language one : kKnown) most = std::max(most, votes.of(one));
  std::vector<TimeReading> best = read_all(text, language, context, false);
  std::size_t bytes = covered(best);
  bool own = true, differ = false;
  for (const Language one : kKnown) {
    if (votes.of(one) != most || code_of(one) == language) continue;
    std::vector<TimeReading> times = read_all(text, code_of(one), context, false);
    const std::size_t more = covered(times);
    if (more == 0 || more < bytes) continue;
    if (more == bytes) {
      differ = differ || (!own && !mean_the_same(best, times));
      continue;
    }
    best = std::move(times);
    bytes = more;
    own = differ = false;
  }
  return differ ? std::vector<TimeReading>() : best;
}

std::vector<TimeReading> read_times_guessed(std::string_view text, std::string_view language,
                                            const TimeContext& context) {
  if (!TimeWords::any_may_tell_time(text)) return {};
  std::vector<TimeReading> times = read_times(text, language, context);
  return times.empty() ? read_times_unsure(text, language, context) : times;
}

bool may_begin_time(const std::string& word, std::string_view language) {
  const TimeWords* words = TimeWords::of(language);
  return words != nullptr && (!words->entries(word).empty() ||
                              !words->starting_with(word).empty() || words->numbers().begins(word));
}

std::int64_t offset_of(std::string_view rfc3339) {
  if (rfc3339.size() < 6 || rfc3339.find('T') == std::string_view::npos) return 0;
  const std::string_view zone = rfc3339.substr(rfc3339.size() - 6);
  const auto digit = [&](std::size_t at) { return static_cast<std::int64_t>(zone[at] - '0'); };
  if ((zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return 0;
  for (const std::size_t at : {1u, 2u, 4u, 5u}) {
    if (zone[at] < '0' || zone[at] > '9') return 0;
  }
  const std::int64_t seconds = (digit(1) * 10 + digit(2)) * 3'600 + (digit(4) * 10 + digit(5)) * 60;
  return zone[0] == '-' ? -seconds : seconds;
}

std::string format_with_offset(Timestamp time, std::int64_t offset_seconds) {
  std::string text =
      format_timestamp({time.microseconds + offset_seconds * kMicrosecondsPerSecond});
  if (offset_seconds == 0) return text;
  text.pop_back();
  const std::int64_t minutes = std::abs(offset_seconds) / 60;
  return text +
         fmt::format("{}{:02}:{:02}", offset_seconds < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

Timestamp utc_of(std::int64_t local_seconds, std::int64_t offset_seconds) {
  return {(local_seconds - offset_seconds) * kMicrosecondsPerSecond};
}

}  // namespace anima::language
