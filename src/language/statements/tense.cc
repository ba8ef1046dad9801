#include "language/statements/tense.h"

#include <algorithm>

namespace anima::language {
namespace {

bool ends_sentence(const Lexemes& lexemes, std::size_t at) {
  const Lexeme& one = lexemes[at];
  if (one.kind != Lexeme::Kind::kSign) return false;
  if (one.text == "!" || one.text == "?" || one.text == ";" || one.text == "。") return true;
  // "7.5." and "a.m." go on.
  return one.text == "." && (at + 1 == lexemes.size() ||
                             (lexemes[at + 1].spaced && (at == 0 || lexemes[at - 1].number < 0)));
}

bool ends_clause(const Lexemes& lexemes, std::size_t at) {
  return ends_sentence(lexemes, at) || (lexemes[at].kind == Lexeme::Kind::kSign &&
                                        (lexemes[at].text == "," || lexemes[at].text == ":"));
}

struct Bounds {
  std::size_t from = 0, to = 0;
};

// Lexemes on either side beyond which a verb says nothing of a time: of a text without an end of a
// sentence each time would read all of it.
constexpr std::size_t kFarthest = 64;

template <typename Ends>
Bounds bounds_of(const Lexemes& lexemes, std::size_t from, std::size_t to, Ends ends) {
  Bounds bounds{from, to};
  const std::size_t first = from - std::min(from, kFarthest);
  const std::size_t last = std::min(lexemes.size(), to + kFarthest);
  while (bounds.from > first && !ends(lexemes, bounds.from - 1)) --bounds.from;
  while (bounds.to < last && !ends(lexemes, bounds.to)) ++bounds.to;
  return bounds;
}

Tense tense_of(Mark mark) {
  switch (mark) {
    case Mark::kPast:
      return Tense::kPast;
    case Mark::kPresent:
      return Tense::kPresent;
    case Mark::kFuture:
      return Tense::kFuture;
    default:
      return Tense::kUnknown;
  }
}

Tense nearest(const Lexemes& lexemes, Bounds bounds, std::size_t from, std::size_t to,
              const StatementWords& words) {
  Tense tense = Tense::kUnknown;
  std::size_t best = lexemes.size() + 1;
  for (const MarkAt& one : words.marks(lexemes, bounds.from, bounds.to)) {
    const Tense said = tense_of(one.mark);
    const bool itself = one.begin >= from && one.end <= to;
    if (said == Tense::kUnknown || itself) continue;
    const std::size_t away = one.begin >= to   ? one.begin - to
                             : from >= one.end ? from - one.end
                                               : 0;
    // "is", "are" beside a word of the past or the future says less than that does.
    const bool better = said != Tense::kPresent && tense == Tense::kPresent;
    const bool worse =
        said == Tense::kPresent && tense != Tense::kUnknown && tense != Tense::kPresent;
    if (better || (!worse && away < best)) {
      tense = said;
      best = away;
    }
  }
  return tense;
}

}  // namespace

Tense tense_around(const Lexemes& lexemes, std::size_t from, std::size_t to,
                   const StatementWords& words) {
  const Tense clause = nearest(lexemes, bounds_of(lexemes, from, to, ends_clause), from, to, words);
  if (clause != Tense::kUnknown) return clause;
  return nearest(lexemes, bounds_of(lexemes, from, to, ends_sentence), from, to, words);
}

}  // namespace anima::language
