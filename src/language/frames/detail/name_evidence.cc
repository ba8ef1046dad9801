#include "language/frames/detail/name_evidence.h"

#include <algorithm>

#include "base/text/text.h"
#include "language/language.h"
#include "language/names/known_words.h"
#include "language/text/fold.h"
#include "language/text/vocabulary.h"

namespace anima::language::detail {
namespace {

using Kind = Lexeme::Kind;

bool is_in_capitals(std::string_view word) {
  return count_code_points(word) > 1 && to_upper(word) == word;
}

}  // namespace

std::string_view NameEvidence::written(std::size_t at) const {
  return sentence_.substr(lexemes_[at].begin, lexemes_[at].end - lexemes_[at].begin);
}

bool NameEvidence::is_common(const std::string& folded) const {
  const Vocabulary& known =
      vocabulary(language_of_code(words_.language).value_or(Language::kEnglish));
  return words_.not_names.contains(folded) || known.is_stop_word(folded) ||
         known.compound_parts.contains(folded) || is_common_word(folded, words_.language);
}

// "xD"; a word in capitals beside others ("Rome LOL"), but for one before them ("IBM Research").
bool NameEvidence::is_oddly_written(std::size_t at, bool first, const ReadSide& name) const {
  const std::string_view word = written(at);
  const CodePoint begin = decode_utf8(word, 0);
  const std::string_view letter = word.substr(0, begin.size);
  if (to_lower(letter) == letter) return true;
  if (!is_in_capitals(word) || words_.organisation_words.contains(lexemes_[at].text)) return false;
  if (first) return false;
  for (std::size_t other = name.begin; other < name.end; ++other) {
    const bool beside = other != at && lexemes_[other].kind == Kind::kWord;
    if (beside && lexemes_[other].capital && !is_in_capitals(written(other))) return true;
  }
  return false;
}

NameEvidence::Seen NameEvidence::see(const ReadSide& name) const {
  Seen seen;
  const auto folded_from = [&](std::size_t at) {
    const std::size_t begin = lexemes_[at].begin, end = lexemes_[name.end - 1].end;
    return fold(sentence_.substr(begin, end - begin), FoldStrength::kCase);
  };
  std::size_t from = name.begin;
  for (const FrameWords::Phrase& the : words_.name_articles) {
    if (from + the.size() < name.end && stands_at(lexemes_, from, the)) from += the.size();
  }
  seen.folded = folded_from(from);
  if (from > name.begin && is_known_place(folded_from(name.begin)))  // "The Hague"
    seen.folded = folded_from(name.begin);
  for (std::size_t at = from; at < name.end; ++at) {
    const Lexeme& one = lexemes_[at];
    if (one.kind == Kind::kDigits) seen.digits = true;
    if (one.text == "&") {
      seen.ampersand = true;
      const bool joined = !one.spaced || (at + 1 < name.end && !lexemes_[at + 1].spaced);
      seen.odd = seen.odd || (joined && !is_in_capitals(written(at - 1)));
    }
    if (one.kind != Kind::kWord || !one.capital) continue;
    seen.odd = seen.odd || is_oddly_written(at, seen.words.empty(), name);
    seen.last_is_common = is_common(one.text);
    ++(seen.last_is_common ? seen.common : seen.unknown);
    seen.words.push_back(at);
  }
  return seen;
}

// "Tom Berg", "Karl-Heinz", "J. R. Miller".
bool NameEvidence::begins_with_person(const ReadSide& name) const {
  const std::string& first = lexemes_[name.begin].text;
  const bool initial = count_code_points(first) == 1 && name.begin + 1 < name.end &&
                       lexemes_[name.begin + 1].text == ".";
  return initial || is_given_name(first);
}

bool NameEvidence::begins_with_organisation(const Seen& seen) const {
  return !seen.words.empty() && is_known_organisation(lexemes_[seen.words.front()].text);
}

NameDoubt NameEvidence::of_name(const ReadSide& name, std::string_view type, bool topic) const {
  static constexpr std::string_view kPerson = "Person", kPlace = "Place", kAnimal = "Animal",
                                    kOrganisation = "Organisation", kLanguageType = "Language";
  const Seen seen = see(name);
  if (type == kAnimal || seen.words.empty()) return NameDoubt::kNone;
  if (type == kPerson) return of_person(name, seen);
  if (name.quoted) return NameDoubt::kNone;
  if (type == kPlace) return of_place(name, seen);
  if (type == kOrganisation) return of_organisation(name, seen);
  if (type == kLanguageType) return of_language(seen);
  return of_thing(name, seen, topic);
}

NameDoubt NameEvidence::of_person(const ReadSide& name, const Seen& seen) const {
  const bool titled = seen.words.size() > 1 && is_title(lexemes_[name.begin].text);
  if (begins_with_person(name) || titled)
    return seen.odd ? NameDoubt::kOddlyWritten : NameDoubt::kNone;
  if (seen.common > 0) return NameDoubt::kCommonWord;
  if (words_.nouns_capital || name.begin == 0) return NameDoubt::kUnknown;
  return seen.odd ? NameDoubt::kOddlyWritten : NameDoubt::kNone;
}

NameDoubt NameEvidence::of_place(const ReadSide& name, const Seen& seen) const {
  if (is_known_place(seen.folded)) return NameDoubt::kNone;
  if (seen.odd) return NameDoubt::kOddlyWritten;
  if (seen.words.size() == 1 && begins_with_person(name)) return NameDoubt::kPerson;
  if (seen.common > 0) return NameDoubt::kCommonWord;
  const bool of_others = seen.words.size() > 1 && is_known_place(lexemes_[name.begin].text);
  return words_.nouns_capital || of_others ? NameDoubt::kUnknown : NameDoubt::kNone;
}

// "Initech's".
bool NameEvidence::is_possessive(const ReadSide& name) const {
  return std::ranges::any_of(words_.own, [&](const FrameWords::Phrase& own) {
    return name.begin + own.size() < name.end && stands_at(lexemes_, name.end - own.size(), own);
  });
}

NameDoubt NameEvidence::of_organisation(const ReadSide& name, const Seen& seen) const {
  if (is_known_organisation(seen.folded)) return NameDoubt::kNone;
  if (seen.odd || is_possessive(name)) return NameDoubt::kOddlyWritten;
  const auto says_so = [&](std::size_t at) {
    return words_.organisation_words.contains(lexemes_[at].text);
  };
  if (seen.words.size() > 1 &&
      (std::ranges::any_of(seen.words, says_so) || begins_with_organisation(seen)))
    return NameDoubt::kNone;
  if (words_.institutions.contains(seen.folded)) return NameDoubt::kNone;
  if (begins_with_person(name)) return NameDoubt::kPerson;
  if (is_known_place(seen.folded)) return NameDoubt::kPlace;
  if (seen.unknown == 0 || (seen.last_is_common && !seen.ampersand)) return NameDoubt::kCommonWord;
  return words_.nouns_capital ? NameDoubt::kUnknown : NameDoubt::kNone;
}

NameDoubt NameEvidence::of_language(const Seen& seen) const {
  if (words_.language_names.contains(seen.folded)) return NameDoubt::kNone;
  return seen.common > 0 ? NameDoubt::kCommonWord : NameDoubt::kUnknown;
}

NameDoubt NameEvidence::of_thing(const ReadSide& name, const Seen& seen, bool topic) const {
  if (begins_with_person(name)) return NameDoubt::kPerson;
  if (is_known_place(seen.folded)) return NameDoubt::kPlace;
  if (topic || seen.digits || begins_with_organisation(seen)) return NameDoubt::kNone;
  if (seen.odd) return NameDoubt::kOddlyWritten;
  if (words_.nouns_capital) return seen.words.size() > 1 ? NameDoubt::kNone : NameDoubt::kUnknown;
  return seen.unknown > 0 ? NameDoubt::kNone : NameDoubt::kCommonWord;
}

NameDoubt NameEvidence::of_listed(const ReadSide& object, const FrameWords::Words& listed) const {
  bool unknown = false;
  for (std::size_t at = object.begin; at < object.end; ++at) {
    const Lexeme& one = lexemes_[at];
    if (listed.contains(one.text)) return NameDoubt::kNone;
    unknown = unknown || (one.capital && !is_common(one.text));
  }
  return unknown && !words_.nouns_capital ? NameDoubt::kNone : NameDoubt::kFigure;
}

}  // namespace anima::language::detail
