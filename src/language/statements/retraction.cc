#include "language/statements/retraction.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "language/language.h"
#include "language/numbers/lexemes.h"
#include "language/statements/statement_words.h"
#include "language/text/vocabulary.h"

namespace anima::language {
namespace {

constexpr std::array<std::string_view, 8> kClauseEnds = {",", ";",   ":",  ".",
                                                         "!", "...", "。", "、"};

bool is_clause_end(const Lexeme& lexeme) {
  return lexeme.kind == Lexeme::Kind::kSign &&
         (std::ranges::find(kClauseEnds, lexeme.text) != kClauseEnds.end() ||
          (lexeme.text == "-" && lexeme.spaced));
}

struct Range {
  std::size_t begin = 0, end = 0;  // lexemes
};

bool is_question(const Lexemes& lexemes) {
  return std::ranges::any_of(lexemes, [](const Lexeme& lexeme) {
    return lexeme.kind == Lexeme::Kind::kSign && lexeme.text == "?";
  });
}

// Words that say nothing of what a sentence is about; of ideographs each one.
const WordSet& light_words(std::string_view code) {
  static const std::map<std::string, WordSet, std::less<>> kAll = [] {
    std::map<std::string, WordSet, std::less<>> all;
    for (const Language language : described_languages()) {
      const Vocabulary& known = vocabulary(language);
      WordSet& words = all[std::string(code_of(language))];
      for (const auto* list : {&known.stop_words, &known.questions.verb_of_question}) {
        for (const std::string& word : *list)
          for (std::string& part : words_in(word)) words.insert(std::move(part));
      }
    }
    return all;
  }();
  static const WordSet kNone;
  const auto found = kAll.find(code);
  return found == kAll.end() ? kNone : found->second;
}

// What one language reads in a sentence.
class RetractionReader {
 public:
  RetractionReader(const StatementWords& words, const Lexemes& lexemes)
      : lexemes_(lexemes),
        light_(light_words(words.language())),
        marks_(words.marks(lexemes, 0, lexemes.size())) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= lexemes.size(); ++at) {
      if (at < lexemes.size() && (!is_clause_end(lexemes[at]) || is_in_phrase(at))) continue;
      if (at > begin) clauses_.push_back({begin, at});
      begin = at + 1;
    }
  }

  Retraction run() const {
    Retraction strongest = Retraction::kNone;
    for (const Range& clause : clauses_) strongest = std::max(strongest, read(clause));
    const bool doubted = std::ranges::any_of(marks_, [this](const MarkAt& mark) {
      return (mark.mark == Mark::kCondition || mark.mark == Mark::kWish ||
              mark.mark == Mark::kHearsay) &&
             !is_part_of_phrase(mark);
    });
    if (strongest == Retraction::kNone && is_short_denial()) return Retraction::kPerhaps;
    return doubted ? std::min(strongest, Retraction::kPerhaps) : strongest;
  }

 private:
  static bool is_within(const MarkAt& mark, const Range& range) {
    return mark.begin >= range.begin && mark.end <= range.end;
  }
  bool has_mark(const Range& range, Mark mark) const {
    return std::ranges::any_of(marks_, [&](const MarkAt& one) {
      return one.mark == mark && one.begin == range.begin && one.end == range.end;
    });
  }
  bool is_in_phrase(std::size_t lexeme) const {
    return std::ranges::any_of(marks_, [&](const MarkAt& phrase) {
      return phrase.mark == Mark::kRetraction && phrase.begin <= lexeme && lexeme < phrase.end;
    });
  }
  // "not" in "not true".
  bool is_part_of_phrase(const MarkAt& mark) const {
    return std::ranges::any_of(marks_, [&](const MarkAt& phrase) {
      return phrase.mark == Mark::kRetraction && is_within(mark, {phrase.begin, phrase.end}) &&
             phrase.end - phrase.begin > mark.end - mark.begin;
    });
  }
  bool is_light(const Range& range) const {
    for (std::size_t at = range.begin; at < range.end; ++at) {
      if (lexemes_[at].kind != Lexeme::Kind::kSign && !light_.contains(lexemes_[at].text) &&
          !is_in_phrase(at))
        return false;
    }
    return true;
  }

  Retraction read(const Range& clause) const {
    std::optional<Range> found;
    for (const MarkAt& mark : marks_) {
      if (mark.mark != Mark::kRetraction || !is_within(mark, clause)) continue;
      const Range phrase{mark.begin, mark.end};
      const bool whole = phrase.begin == clause.begin && phrase.end == clause.end;
      if (whole && phrase.end - phrase.begin == 1) return as_answer();
      if (whole || !has_mark(phrase, Mark::kNegation)) found = phrase;
    }
    if (!found) return Retraction::kNone;
    const bool denied = std::ranges::any_of(marks_, [&](const MarkAt& mark) {
      const bool itself = mark.begin == found->begin && mark.end == found->end;
      return mark.mark == Mark::kNegation && is_within(mark, clause) && !itself &&
             !is_part_of_phrase(mark);
    });
    if (denied) return Retraction::kNone;
    return is_light(clause) ? Retraction::kCertain : Retraction::kPerhaps;
  }

  // A word that is the whole clause. What takes back more, or denies that, decides for itself.
  Retraction as_answer() const {
    const bool alone = std::ranges::all_of(clauses_, [this](const Range& clause) {
      return has_mark(clause, Mark::kRetraction) || (is_light(clause) && !holds_phrase(clause));
    });
    return alone ? Retraction::kCertain : Retraction::kPerhaps;
  }
  bool holds_phrase(const Range& clause) const {
    return std::ranges::any_of(marks_, [&](const MarkAt& mark) {
      return mark.mark == Mark::kRetraction && is_within(mark, clause) &&
             !has_mark({mark.begin, mark.end}, Mark::kNegation);
    });
  }

  // "Not at the moment.": it denies something, and says nothing else.
  bool is_short_denial() const {
    return !marks_.empty() && marks_.front().begin == 0 &&
           std::ranges::any_of(marks_,
                               [](const MarkAt& mark) {
                                 return mark.begin == 0 && mark.mark == Mark::kNegation;
                               }) &&
           std::ranges::all_of(clauses_, [this](const Range& clause) {
             return is_light(clause) && !holds_phrase(clause);
           });
  }

  const Lexemes& lexemes_;
  const WordSet& light_;
  const std::vector<MarkAt> marks_;
  std::vector<Range> clauses_;  // the comma in "April, April" ends none
};

}  // namespace

Retraction retraction_in(std::string_view sentence) {
  const Lexemes lexemes = cut_lexemes(sentence);
  if (is_question(lexemes)) return Retraction::kNone;
  Retraction strongest = Retraction::kNone;
  for (const StatementWords* words : StatementWords::all())
    strongest = std::max(strongest, RetractionReader(*words, lexemes).run());
  return strongest;
}

}  // namespace anima::language
