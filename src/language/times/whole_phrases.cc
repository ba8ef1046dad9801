#include "language/times/whole_phrases.h"

#include <algorithm>

#include "base/text/text.h"
#include "language/text/fold.h"
#include "language/text/guess.h"
#include "language/text/quotes.h"
#include "language/text/sentences.h"
#include "language/text/vocabulary.h"

namespace anima::language {
namespace {

bool is_unbroken(std::string_view text, const Lexeme& lexeme) {
  return letter_kind(decode_utf8(text, lexeme.begin).value) == LetterKind::kUnbroken;
}

}  // namespace

bool WholePhrases::stands(PhrasePlace phrase) {
  return !is_part_of_word(phrase) && !is_denied(phrase.begin) && !is_name(phrase) &&
         !is_title(phrase) && !is_quoted(phrase) && !may_be_foreign(phrase);
}

// --- text without blanks

const std::vector<TextSpan>& WholePhrases::unbroken() {
  if (!unbroken_) unbroken_ = unbroken_words(text_);
  return *unbroken_;
}

// Without a blank behind a letter of a script that has none, or such a letter itself.
bool WholePhrases::touches(std::size_t lexeme) const {
  if (lexeme == 0 || lexeme >= lexemes_.size() || lexemes_[lexeme].spaced) return false;
  return is_unbroken(text_, lexemes_[lexeme]) || is_unbroken(text_, lexemes_[lexeme - 1]);
}

// The word of which the lexeme is a part, but not the first; empty where there is none.
std::string_view WholePhrases::word_around(std::size_t lexeme) {
  if (!touches(lexeme)) return {};
  const std::size_t byte = lexemes_[lexeme].begin;
  const auto word = std::ranges::upper_bound(unbroken(), byte, {}, &TextSpan::end);
  const bool inside = word != unbroken().end() && word->begin < byte;
  return inside ? text_.substr(word->begin, word->end - word->begin) : std::string_view();
}

// A numeral before it that is not of it, or a word with which it is another phrase.
bool WholePhrases::is_continued(std::size_t at) {
  if (!touches(at)) return false;
  const Lexeme& before = lexemes_[at - 1];
  const auto is_number = [&](const Lexeme& one) {
    return one.kind == Lexeme::Kind::kDigits || words_.numbers().begins(one.text);
  };
  if (is_number(lexemes_[at]) && is_number(before)) return true;
  const auto word = std::ranges::lower_bound(unbroken(), before.end, {}, &TextSpan::end);
  return word != unbroken().end() && word->end == before.end &&
         words_.continues(text_.substr(word->begin, word->end - word->begin));
}

bool WholePhrases::is_part_of_word(PhrasePlace phrase) {
  if (!word_around(phrase.at).empty() || is_continued(phrase.at)) return true;
  const std::string_view last = word_around(phrase.end);
  return !last.empty() && !words_.parts(last);
}

// --- what is said of it

bool WholePhrases::is_denied(std::size_t begin) const {
  return std::ranges::any_of(words_.denials(), [&](const std::vector<std::string>& denial) {
    return denial.size() <= begin && stands_at(lexemes_, begin - denial.size(), denial);
  });
}

// --- names

bool WholePhrases::has_entry(std::size_t lexeme, std::initializer_list<Slot> slots) const {
  return std::ranges::any_of(words_.entries(lexemes_[lexeme].text), [&](const TimeEntry& entry) {
    return entry.words.size() == 1 && std::ranges::find(slots, entry.slot) != slots.end();
  });
}

// With a capital, and not all of capitals.
bool WholePhrases::is_titled(std::size_t lexeme) const {
  const Lexeme& one = lexemes_[lexeme];
  if (one.kind != Lexeme::Kind::kWord || !one.capital) return false;
  const std::string_view written = text_.substr(one.begin, one.end - one.begin);
  return to_upper(written) != written;
}

// The first of the text, or behind a sign or in a line of its own.
bool WholePhrases::begins_sentence(std::size_t lexeme) const {
  if (lexeme == 0) return true;
  const Lexeme& before = lexemes_[lexeme - 1];
  const std::size_t gap = lexemes_[lexeme].begin - before.end;
  return before.kind == Lexeme::Kind::kSign ||
         text_.substr(before.end, gap).find('\n') != std::string_view::npos;
}

// One that says nothing, and no other word ("I", "the").
bool WholePhrases::is_stop_word(std::size_t lexeme) const {
  const auto language = language_of_code(words_.language());
  return language && vocabulary(*language).is_stop_word(lexemes_[lexeme].text);
}

// A word with a capital that is neither a word of time nor one that says nothing.
bool WholePhrases::is_part_of_name(std::size_t lexeme) const {
  return is_titled(lexeme) && words_.entries(lexemes_[lexeme].text).empty() &&
         !is_stop_word(lexeme);
}

// "The Monday Club", "by August Strindberg", "5 May Street", "Friday Night Lights"; but "on Monday
// Anna came" is a time.
bool WholePhrases::is_name(PhrasePlace phrase) const {
  const std::size_t last = phrase.end - 1;
  std::size_t first = phrase.at;
  while (first < last && words_.leads(lexemes_[first].text) && !words_.dates(lexemes_[first].text))
    ++first;
  if (first > 0 && words_.dates(lexemes_[first - 1].text)) return false;
  bool named = true, counted = false;
  for (std::size_t i = first; i < phrase.end; ++i) {
    const bool digits = lexemes_[i].kind == Lexeme::Kind::kDigits || lexemes_[i].text == ".";
    counted = counted || digits;
    const bool day = has_entry(i, {Slot::kDay}) && !begins_sentence(i);
    named = named &&
            (digits ||
             (is_titled(i) && (day || has_entry(i, {Slot::kWeekday, Slot::kMonth, Slot::kPart}))));
  }
  if (!named) return false;
  const bool behind = phrase.end < lexemes_.size() && !begins_sentence(phrase.end) &&
                      is_titled(last) && is_part_of_name(phrase.end);
  const bool before =
      !counted && first > 0 && !begins_sentence(first) && is_part_of_name(first - 1);
  return behind || before;
}

// "The Day After Tomorrow": two words with capitals, of which one has none in a sentence; or such a
// one alone ("We sang Yesterday").
bool WholePhrases::is_title(PhrasePlace phrase) const {
  if (phrase.end == phrase.at + 1 && has_entry(phrase.at, {Slot::kDay}) && is_titled(phrase.at) &&
      !begins_sentence(phrase.at))
    return true;
  std::size_t titled = 0;
  bool odd = false;
  for (std::size_t i = phrase.begin; i < phrase.end; ++i) {
    if (!is_titled(i)) continue;
    ++titled;
    const bool noun = has_entry(i, {Slot::kWeekday, Slot::kMonth, Slot::kPart});
    const bool small = has_entry(i, {Slot::kDay, Slot::kStep, Slot::kDayPart}) || is_stop_word(i);
    odd = odd || (small && !noun && !begins_sentence(i));
  }
  return odd && titled > 1;
}

// It alone between marks of quotation: a title, or a word that is spoken of.
bool WholePhrases::is_quoted(PhrasePlace phrase) const {
  if (phrase.begin == 0 || phrase.end >= lexemes_.size()) return false;
  return std::ranges::any_of(kQuotes, [&](const Quotes& quotes) {
    return lexemes_[phrase.begin - 1].text == quotes.open &&
           lexemes_[phrase.end].text == quotes.close;
  });
}

// --- words of several languages

bool WholePhrases::may_be_foreign(PhrasePlace phrase) {
  const auto language = language_of_code(words_.language());
  const auto shared = [&](const Lexeme& one) { return words_.elsewhere(one.text); };
  const auto counted = [](const Lexeme& one) { return one.kind == Lexeme::Kind::kDigits; };
  const auto first = lexemes_.begin() + static_cast<std::ptrdiff_t>(phrase.at),
             last = lexemes_.begin() + static_cast<std::ptrdiff_t>(phrase.end);
  if (!language || std::none_of(first, last, shared)) return false;
  if (std::any_of(first, last, counted)) return false;  // "3 mai 2024" is a date wherever it stands
  const Standing standing = standing_at(*language, {first->begin, std::prev(last)->end});
  return standing == Standing::kOutvoted || (standing == Standing::kOpen && !given_);
}

// Of the sentence with the phrase; where that leaves it open, of the text. Each is looked at once,
// without the first phrase in it.
WholePhrases::Standing WholePhrases::standing_at(Language language, TextSpan phrase) {
  if (!sentences_) sentences_ = sentences(text_);
  const auto sentence = std::ranges::upper_bound(*sentences_, phrase.begin, {}, &TextSpan::end);
  if (sentence != sentences_->end() && phrase.end <= sentence->end) {
    if (!in_sentence_ || in_sentence_->first != sentence->begin)
      in_sentence_ = {sentence->begin, standing_in(language, *sentence, phrase)};
    if (in_sentence_->second != Standing::kOpen) return in_sentence_->second;
  }
  if (!in_text_) in_text_ = standing_in(language, {0, text_.size()}, phrase);
  return *in_text_;
}

// By the stop words: whether what stands around the phrase is in the language, or in another one.
WholePhrases::Standing WholePhrases::standing_in(Language language, TextSpan span,
                                                 TextSpan phrase) const {
  LanguageVotes votes;
  votes.add_text(text_.substr(span.begin, phrase.begin - span.begin));
  votes.add_text(text_.substr(phrase.end, span.end - phrase.end));
  const std::uint32_t own = votes.of(language);
  std::uint32_t others = 0;
  for (const Language other : described_languages())
    if (other != language) others = std::max(others, votes.of(other));
  if (own == others) return Standing::kOpen;
  return own > others ? Standing::kOwn : Standing::kOutvoted;
}

}  // namespace anima::language
