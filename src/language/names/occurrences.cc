#include "language/names/occurrences.h"

#include <algorithm>
#include <array>
#include <deque>

#include "base/text/text.h"
#include "language/names/detail/inflection.h"
#include "language/names/detail/other_words.h"
#include "language/names/detail/signed_words.h"
#include "language/names/detail/word_gaps.h"
#include "language/names/known_words.h"
#include "language/text/detail/fold_table.h"
#include "language/text/guess.h"
#include "language/text/vocabulary.h"
#include "language/text/words.h"

namespace anima::language {

using detail::SignedWord;
using detail::SignFit;

namespace {

constexpr std::array<std::string_view, 6> kForms = {"same",      "folded", "possessive",
                                                    "inflected", "joined", "unbroken"};
constexpr std::size_t kMostWritten = 8;  // bytes of a letter for each byte that it is folded to
constexpr std::size_t kSameLetters = 2;  // bytes that a word and its forms without a prefix share
// Of a form in a language whose endings are not known: letters that it shares with the name, how
// many of the name may be changed, and how many stand behind it.
constexpr std::size_t kStem = 3, kChanged = 2, kLongestEnding = 5;

bool has_prefixes(Script script) {
  return std::ranges::any_of(languages_in(script), [](Language language) {
    return !vocabulary(language).names.prefixes.empty();
  });
}

std::size_t apostrophe_size_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  if (text[at] == '\'') return 1;
  return text.substr(at).starts_with("\xe2\x80\x99") ? 3 : 0;
}

std::size_t common_letters(std::string_view a, std::string_view b) {
  std::size_t letters = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size(); ++letters) {
    const CodePoint left = decode_utf8(a, i), right = decode_utf8(b, j);
    if (left.value != right.value) break;
    i += left.size;
    j += right.size;
  }
  return letters;
}

bool ends_in_s(std::string_view word) {
  return word.ends_with('s') || word.ends_with('x') || word.ends_with('z');
}

// Where a place in the folded form of a token lies in the text.
std::size_t source_offset(std::string_view text, const SignedWord& token, std::size_t folded) {
  if (folded == 0) return token.begin;
  if (folded == token.folded.size()) return token.end;
  std::string so_far;
  std::size_t at = token.begin;
  while (at < token.end && so_far.size() < folded) {
    const CodePoint point = decode_utf8(text, at);
    detail::append_folded_letter(so_far, point.value,
                                 detail::folded_letter(point.value, FoldStrength::kMarks),
                                 FoldStrength::kMarks);
    at += point.size;
  }
  // Marks that fold into nothing belong to the letter before.
  while (at < token.end) {
    const CodePoint point = decode_utf8(text, at);
    if (letter_kind(point.value) != LetterKind::kMark ||
        detail::folded_letter(point.value, FoldStrength::kMarks).size != 0)
      break;
    at += point.size;
  }
  return at;
}

}  // namespace

struct NameFinder::Names {
  struct Word {
    SignedWord written;
    std::string transcribed;      // "mueller" of "Müller"; the same as `folded` where nothing is
    std::string_view gap_before;  // what stands between it and the word before
    Script script = Script::kOther;
    bool prefixed = false;  // a form of it may begin with other letters
  };
  struct Name {
    std::string written;  // that the words look into
    detail::SignedWordReader reader;
    std::vector<Word> words;
    std::string together;       // its words as one
    bool unbroken = false;      // all of them
    bool bare_letter = false;   // one letter, without signs of its own
    bool may_be_word = false;   // one word with a capital letter and no signs, as words have it
    bool signs_inside = false;  // between words, and a part of them: "AT&T"
  };
  std::deque<Name> all;  // never moved

  void add(std::string_view written);
};

void NameFinder::Names::add(std::string_view written) {
  Name& name = all.emplace_back();
  name.written = trim(PlainReading(written).seen());
  const std::vector<SignedWord>& words = name.reader.read(name.written);
  if (std::ranges::all_of(words, &SignedWord::digits)) return;
  const std::string_view text = name.written;
  std::string_view gap;
  for (const SignedWord& word : words) {
    Word made{word, transcribed(text.substr(word.begin, word.end - word.begin)), gap};
    made.script = script_of(word.folded);
    made.prefixed = has_prefixes(made.script);
    name.signs_inside = name.signs_inside || !detail::telling_signs(gap).empty();
    name.together += word.folded;
    gap = word.gap;
    name.words.push_back(std::move(made));
  }
  name.unbroken = std::ranges::all_of(words, &SignedWord::unbroken);
  const SignedWord& first = words.front();
  const bool bare =
      detail::own_signs_before(first, first) + detail::own_signs_behind(first, first) == 0;
  const bool letter = count_code_points(name.together) == 1;
  name.bare_letter = !name.unbroken && letter && bare;
  name.may_be_word = words.size() == 1 && first.capital && !letter && bare;
}

// One text being read for the names of a finder.
class NameScan {
 public:
  using Name = NameFinder::Names::Name;
  using Word = NameFinder::Names::Word;

  NameScan(const NameFinder::Names& names, std::string_view text)
      : names_(names), text_(text), words_(reader_.read(text)) {}

  std::vector<NameOccurrence> run() && {
    for (name_ = 0; name_ < names_.all.size(); ++name_) {
      const Name& name = names_.all[name_];
      if (name.words.empty()) continue;
      signs_.reset();
      for (std::size_t at = 0; at < words_.size(); ++at) {
        if (name.unbroken) {
          in_runs(at, name.together);
        } else if (!in_sequence(name, at) && !in_list_order(name, at)) {
          in_one_word(name, at);
        }
      }
    }
    return choose();
  }

 private:
  struct Match {
    NameForm form = NameForm::kSame;
    bool starts = true, ends = true;  // of an unbroken word: where in the token it stands
    bool in_doubt = false;
    // In doubt only because the form is a name as well: "Ivana" is of Ivan, or another person.
    bool is_name_too = false;
    // The capital letter may be a word's: "Will you come?". A possessive says that it is none.
    bool is_word = false;
  };

  // What the words beside the name say of the language.
  struct Signs {
    LanguageVotes votes;
    bool english = false;  // all words in small letters are English; others share its small words
  };

  // --- one word ---------------------------------------------------------------------------------

  std::optional<Match> match(const Name& name, std::size_t word, std::size_t at) {
    const Word& wanted = name.words[word];
    const SignedWord &written = wanted.written, &token = words_[at];
    if (token.folded == written.folded)
      return Match{.in_doubt = is_another_word(name, wanted, token) ||
                               is_small_word(name, wanted, token) ||
                               has_other_tones(name, wanted, token),
                   .is_word = is_capital_word(name, wanted, at)};
    if (written.unbroken != token.unbroken) return std::nullopt;
    if (token.unbroken) {
      const std::size_t rest =
          token.folded.size() - std::min(token.folded.size(), written.folded.size());
      if (word == 0 && token.folded.ends_with(written.folded))
        return Match{NameForm::kUnbroken, false, true, !is_word_edge(at, rest)};
      if (word + 1 == name.words.size() && token.folded.starts_with(written.folded))
        return Match{NameForm::kUnbroken, true, false, !is_word_edge(at, written.folded.size())};
      return std::nullopt;
    }
    if (is_transcription(wanted, token)) return Match{NameForm::kFolded};
    if (token.folded.empty() || (!wanted.prefixed && token.folded[0] != written.folded[0]))
      return std::nullopt;
    for (const Spelling& spelling : spellings_of(wanted, token)) {
      const bool alike = spelling.form.substr(0, kSameLetters) ==
                         std::string_view(spelling.word).substr(0, kSameLetters);
      if (!alike && !wanted.prefixed) continue;
      if (auto found = inflected(name, wanted, token, spelling)) {
        found->in_doubt = found->in_doubt || is_form_of_small_word(name, wanted, token);
        return found;
      }
    }
    if (may_be_form(name, wanted, token)) return Match{NameForm::kInflected, true, true, true};
    return std::nullopt;
  }

  const Signs& signs_of(const Name& name) {
    if (!signs_) signs_ = read_signs(name);
    return *signs_;
  }
  std::uint32_t most_votes(const Name& name, Script script) {
    std::uint32_t most = 0;
    for (const Language language : languages_in(script))
      most = std::max(most, signs_of(name).votes.of(language));
    return most;
  }

  // Where the text is in a language that changes its names, or in none that is known: what begins
  // as the name does may be a form of it ("Jono" of Jonas in Lithuanian).
  bool may_be_form(const Name& name, const Word& wanted, const SignedWord& token) {
    const SignedWord& written = wanted.written;
    const std::size_t letters = count_code_points(written.folded);
    const std::size_t own = count_code_points(token.folded);
    if (letters < kStem || own > letters + kLongestEnding || written.digits || token.digits)
      return false;
    const bool capitals = detail::has_capitals(wanted.script);
    const std::size_t shared = common_letters(token.folded, written.folded);
    if (capitals ? !token.capital || !written.capital ||
                       shared < std::max(kStem, letters - std::min(letters, kChanged))
                 : shared < letters)
      return false;
    const std::uint32_t most = most_votes(name, wanted.script);
    if (most == 0) return true;
    return std::ranges::any_of(languages_in(wanted.script), [&](Language language) {
      const NameEndings& endings = vocabulary(language).names;
      return signs_of(name).votes.of(language) == most &&
             !(endings.stems.empty() && endings.swaps.empty());
    });
  }

  // A name in small letters that is a word there: "I will go", "la pierre". Addresses and names of
  // the machine's have no capitals.
  bool is_small_word(const Name& name, const Word& wanted, const SignedWord& token) {
    return is_small_word(name, wanted, token, text_.substr(token.begin, token.end - token.begin));
  }
  bool is_form_of_small_word(const Name& name, const Word& wanted, const SignedWord& token) {
    return is_small_word(name, wanted, token, name.written);
  }
  bool is_small_word(const Name& name, const Word& wanted, const SignedWord& token,
                     std::string_view word) {
    if (!name.may_be_word || token.capital || detail::is_of_token(token)) return false;
    const bool open = most_votes(name, wanted.script) == 0;
    return detail::is_a_word(word, spoken(name, wanted.script), open);
  }
  // A text that is the name alone is no sentence that begins.
  bool is_capital_word(const Name& name, const Word& wanted, std::size_t at) {
    if (!name.may_be_word || words_.size() == 1 || !words_[at].capital ||
        detail::is_of_token(words_[at]))
      return false;
    return detail::may_be_a_word(text_, words_, at, name.written, spoken(name, wanted.script));
  }
  // The languages of the script that the other words speak for most; English where they say
  // nothing.
  std::vector<Language> spoken(const Name& name, Script script) {
    const Signs& signs = signs_of(name);
    const std::uint32_t most = most_votes(name, script);
    if (script == Script::kLatin && (signs.english || most == 0)) return {Language::kEnglish};
    std::vector<Language> languages = languages_in(script);
    std::erase_if(languages, [&](Language language) { return signs.votes.of(language) < most; });
    return languages;
  }

  // Vietnamese tells words apart by their marks: "làn" is a breeze, Lan a person.
  bool has_other_tones(const Name& name, const Word& wanted, const SignedWord& token) {
    const std::string_view written = text_.substr(token.begin, token.end - token.begin);
    if (wanted.script != Script::kLatin || is_ascii(written)) return false;
    const std::uint32_t votes = signs_of(name).votes.of(Language::kVietnamese);
    const bool by_votes = votes > 0 && votes >= most_votes(name, wanted.script);
    if (!by_votes && !detail::has_vietnamese_letter(text_) &&
        !detail::has_vietnamese_letter(name.written))
      return false;
    const SignedWord& own = wanted.written;
    return fold(written, FoldStrength::kCase) !=
           fold(std::string_view(name.written).substr(own.begin, own.end - own.begin),
                FoldStrength::kCase);
  }

  // Whether a word ends at a place in the folded form of an unbroken token: by the dictionaries of
  // ICU, or before what a language writes behind a name (a particle of Korean).
  bool is_word_edge(std::size_t token, std::size_t folded) const {
    const SignedWord& word = words_[token];
    if (folded == 0 || folded >= word.folded.size()) return true;
    const std::string_view rest = word.folded.substr(folded);
    for (const Language language : languages_in(script_of(rest))) {
      if (vocabulary(language).names.endings.contains(rest)) return true;
    }
    const std::size_t place = source_offset(text_, word, folded) - word.begin;
    const std::vector<TextSpan> parts =
        unbroken_words(text_.substr(word.begin, word.end - word.begin));
    return std::ranges::any_of(
        parts, [&](const TextSpan& part) { return part.begin == place || part.end == place; });
  }

  // A word of the text and the one of the name, as either may be transcribed: "Jürgens" is a form
  // of "Juergen", and "Muellers" of "Müller".
  struct Spelling {
    std::string form, word;
  };
  std::vector<Spelling> spellings_of(const Word& wanted, const SignedWord& token) const {
    std::vector<Spelling> all{{std::string(token.folded), std::string(wanted.written.folded)}};
    if (wanted.transcribed != wanted.written.folded)
      all.push_back({std::string(token.folded), wanted.transcribed});
    const std::string_view written = text_.substr(token.begin, token.end - token.begin);
    if (!is_ascii(written)) {
      std::string form = language::transcribed(written);
      if (form != token.folded)
        all.push_back({std::move(form), std::string(wanted.written.folded)});
    }
    return all;
  }

  // With an ending of the language that the other words of the text are in. Where these leave that
  // open it may be a form in some language, or another name; and nobody declines an address.
  std::optional<Match> inflected(const Name& name, const Word& wanted, const SignedWord& token,
                                 const Spelling& spelling) {
    const Signs& signs = signs_of(name);
    const std::vector<Language> of_script = languages_in(wanted.script);
    const auto votes = [&](Language language) { return signs.votes.of(language); };
    const bool english = signs.english && wanted.script == vocabulary(Language::kEnglish).script;
    const std::uint32_t most = most_votes(name, wanted.script);
    bool found = false, open = most == 0 || detail::is_of_token(token);
    bool name_too = is_given_name_without_marks(token.folded);
    for (const Language language : of_script) {
      if (english ? language != Language::kEnglish : votes(language) * 2 < most) continue;
      const NameEndings& endings = vocabulary(language).names;
      const bool fits = detail::is_form_of(spelling.form, spelling.word, endings);
      found = found || fits;
      open = open || (fits ? detail::is_open_form_of(spelling.form, spelling.word, endings)
                           : votes(language) == most);
      name_too = name_too ||
                 (fits && detail::may_be_form_of_another(spelling.form, spelling.word, endings));
    }
    if (!found) return std::nullopt;
    return Match{NameForm::kInflected, true, true, open || name_too, !open && name_too};
  }

  bool is_another_word(const Name& name, const Word& wanted, const SignedWord& token) const {
    const SignedWord& written = wanted.written;
    return detail::are_told_apart(
        std::string_view(name.written).substr(written.begin, written.end - written.begin),
        text_.substr(token.begin, token.end - token.begin));
  }

  bool is_transcription(const Word& wanted, const SignedWord& token) const {
    if (token.folded == wanted.transcribed) return true;
    if (token.folded.empty() || token.folded[0] != wanted.written.folded[0]) return false;
    const std::string_view written = text_.substr(token.begin, token.end - token.begin);
    return !is_ascii(written) && transcribed(written) == wanted.written.folded;
  }

  Signs read_signs(const Name& name) const {
    Signs signs;
    signs.votes.add_text(text_without(name));
    std::size_t english = 0;
    for (const SignedWord& token : words_) {
      if (is_own(name, token)) continue;
      const bool known = vocabulary(Language::kEnglish).is_stop_word(token.folded) ||
                         is_common_word(token.folded, code_of(Language::kEnglish));
      if (!known && !token.capital && !token.digits) return signs;
      english += known ? 1 : 0;
    }
    signs.english = english > 1 && signs.votes.of(Language::kEnglish) > 0;
    return signs;
  }

  static bool is_own(const Name& name, const SignedWord& token) {
    return std::ranges::any_of(name.words, [&](const Word& word) {
      return token.folded.starts_with(word.written.folded);
    });
  }

  // "Mia" is a word of Italian, and says nothing of the text that "Mia Vantors" is.
  std::string text_without(const Name& name) const {
    std::string rest(text_);
    for (const SignedWord& token : words_) {
      if (is_own(name, token))
        std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(token.begin),
                    token.end - token.begin, ' ');
    }
    return rest;
  }

  // --- several words ----------------------------------------------------------------------------

  // The words of the name, one token each, from `at` on.
  bool in_sequence(const Name& name, std::size_t at) {
    const std::size_t count = name.words.size();
    if (at + count > words_.size()) return false;
    NameOccurrence found;
    found.name = name_;
    const auto first = match(name, 0, at);
    if (!first) return false;
    auto last = first;
    found.form = first->form;
    std::size_t inflected = 0, names_too = 0;
    const auto note = [&](const Match& matched) {
      found.form = std::max(found.form, matched.form);
      found.in_doubt = found.in_doubt || (matched.in_doubt && !matched.is_name_too);
      inflected += matched.form == NameForm::kInflected ? 1 : 0;
      names_too += matched.is_name_too ? 1 : 0;
    };
    note(*first);
    for (std::size_t word = 1; word < count; ++word) {
      last = match(name, word, at + word);
      if (!last || !gap_fits(name, word, at + word - 1, words_of_place(at, count), found))
        return false;
      note(*last);
    }
    // Words that are inflected together are of one name: "Ivana Horvata".
    found.in_doubt = found.in_doubt || (names_too > 0 && inflected < 2);
    const Word &begins = name.words.front(), &ends = name.words.back();
    const SignedWord &from = words_[at], &to = words_[at + count - 1];
    if (first->starts && !fits(detail::signs_before(begins.written, from), found)) return false;
    if (last->ends && !fits(detail::signs_behind(ends.written, to), found)) return false;
    if (name.bare_letter && detail::is_tied(from)) found.in_doubt = true;
    const std::size_t first_size = begins.written.folded.size();
    found.begin = first->starts ? from.begin - detail::own_signs_before(begins.written, from)
                                : source_offset(text_, from, from.folded.size() - first_size);
    found.end = last->ends ? to.end + detail::own_signs_behind(ends.written, to)
                           : source_offset(text_, to, ends.written.folded.size());
    if (last->ends) with_possessive(ends, at + count - 1, found);
    const bool possessive = found.form == NameForm::kPossessive;
    found.in_doubt =
        found.in_doubt || (first->is_word && !possessive) ||
        (name.bare_letter && is_elided(at, found)) ||
        (!from.unbroken && (from.joined_before || to.joined_behind) && !detail::is_of_token(from) &&
         detail::is_hyphenated(words_, at, at + count - 1, spoken(name, begins.script))) ||
        (from.capital && first->starts &&
         detail::is_behind_particle(words_, at, spoken(name, begins.script)));
    add(found);
    return true;
  }
  // "C'est": what an apostrophe joins to a letter that is no possessive.
  bool is_elided(std::size_t at, const NameOccurrence& found) const {
    const SignedWord& letter = words_[at];
    const std::size_t size = apostrophe_size_at(text_, letter.end);
    return letter.joined_behind && size > 0 && letter.gap.size() == size &&
           words_[at + 1].folded != "s" && found.end <= words_[at + 1].end;
  }

  std::span<const SignedWord> words_of_place(std::size_t at, std::size_t count) const {
    return std::span(words_).subspan(at, count);
  }

  // Whether the signs are those of the name; what is in doubt is noted.
  static bool fits(SignFit fit, NameOccurrence& found) {
    found.in_doubt = found.in_doubt || fit == SignFit::kInDoubt;
    return fit != SignFit::kAnother;
  }

  // Before the word of the name, and behind the token; `place` are the tokens of the whole name.
  bool gap_fits(const Name& name, std::size_t word, std::size_t token,
                std::span<const SignedWord> place, NameOccurrence& found) const {
    const SignedWord &left = words_[token], &right = words_[token + 1];
    const std::string_view gap = left.gap, written = name.words[word].gap_before;
    if (gap == written) return true;
    const SignedWord& before = name.words[word - 1].written;
    const SignedWord& behind = name.words[word].written;
    if (!fits(detail::signs_behind(before, left), found) ||
        !fits(detail::signs_before(behind, right), found))
      return false;
    const bool blanks = detail::is_blank(gap) && detail::is_blank(written);
    found.form = std::max(found.form, blanks ? NameForm::kFolded : NameForm::kJoined);
    return gap_joins(gap, written, static_cast<std::size_t>(&left - place.data()), place, found);
  }

  static bool gap_joins(std::string_view gap, std::string_view written, std::size_t left,
                        std::span<const SignedWord> place, NameOccurrence& found) {
    const std::string signs = detail::telling_signs(written);
    const bool same_signs = signs == detail::telling_signs(gap);
    if (detail::joins_words(gap) || gap.empty()) {
      // "AT T" may be AT&T.
      found.in_doubt = found.in_doubt || (!signs.empty() && !same_signs);
      return true;
    }
    if (!same_signs) return false;
    std::string bare(detail::without_enclosing(gap, place, left));
    std::erase_if(bare, [&](char c) { return signs.find(c) != signs.npos; });
    if (detail::is_full_stop(bare)) {
      found.in_doubt = found.in_doubt || !detail::is_abbreviation(place[left]);
      return true;
    }
    return detail::joins_words(bare) || (bare.empty() && !signs.empty());
  }

  // "Aino's", "Hans'", "Ankara'da", "C++'s".
  void with_possessive(const Word& name, std::size_t token, NameOccurrence& found) const {
    const std::size_t size = apostrophe_size_at(text_, found.end);
    if (size == 0) return;
    const std::string_view before = text_.substr(0, found.begin);
    const bool closes_quote = before.ends_with('\'') || before.ends_with("\xe2\x80\x98");
    if (token + 1 < words_.size() && words_[token + 1].begin == found.end + size) {
      const SignedWord& ending = words_[token + 1];
      // An apostrophe behind a name says more than what the text is in.
      const std::vector<Language> languages = languages_in(name.script);
      const bool known = std::ranges::any_of(languages, [&](Language language) {
        return vocabulary(language).names.endings.contains(ending.folded);
      });
      if (ending.folded != "s" && !known) return;
      found.end = ending.end;
    } else if (!closes_quote && ends_in_s(words_[token].folded)) {
      found.end += size;
    } else {
      return;
    }
    found.form = std::max(found.form, NameForm::kPossessive);
  }

  // "Berg, Ada", "O'Neill, Pat", "Berg Ada": its last words first, and whole words alone.
  bool in_list_order(const Name& name, std::size_t at) {
    for (std::size_t family = 1; family < name.words.size(); ++family) {
      if (in_list_order(name, at, family)) return true;
    }
    return false;
  }
  bool in_list_order(const Name& name, std::size_t at, std::size_t family) {
    const std::size_t count = name.words.size(), given = count - family;
    if (at + count > words_.size()) return false;
    const bool small = !words_[at].capital && name.words[given].written.capital;
    if (small || !words_[at + family].capital) return false;
    const std::string_view comma = words_[at + family - 1].gap;
    // Without a comma it may be another name: "Berg Ada".
    const bool blank = detail::is_blank(comma) && detail::has_capitals(name.words.front().script) &&
                       words_[at].folded == name.words[given].written.folded;
    if (!blank && (!comma.starts_with(',') || !detail::is_blank(comma.substr(1)))) return false;
    NameOccurrence found{words_[at].begin, words_[at + count - 1].end, NameForm::kJoined, blank,
                         name_};
    for (std::size_t word = 0; word < count; ++word) {
      const std::size_t token = word < given ? at + family + word : at + word - given;
      if (!is_whole(name, word, token)) return false;
      const bool begins = word == 0 || word == given;
      if (!begins && !gap_fits(name, word, token - 1, words_of_place(at, count), found))
        return false;
    }
    const SignedWord& last = words_[at + count - 1];
    if (!fits(detail::signs_before(name.words[given].written, words_[at]), found) ||
        !fits(detail::signs_behind(name.words[given - 1].written, last), found))
      return false;
    found.in_doubt = found.in_doubt || detail::may_be_a_list(words_, at, at + count - 1);
    add(found);
    return true;
  }
  bool is_whole(const Name& name, std::size_t word, std::size_t at) {
    const auto matched = match(name, word, at);
    return matched && matched->form <= NameForm::kFolded;
  }

  // --- one word for all of them -----------------------------------------------------------------

  // "velimatti", "VeliMattiPage", "anna2".
  void in_one_word(const Name& name, std::size_t at) {
    const SignedWord& token = words_[at];
    const std::string& together = name.together;
    if (name.bare_letter || token.unbroken || token.folded.size() < together.size()) return;
    if (token.folded.starts_with(together)) {
      const std::string_view rest = token.folded.substr(together.size());
      const bool number = rest.find_first_not_of("0123456789") == rest.npos;
      if (number && (name.words.size() > 1 || !rest.empty()))
        return add_joined(name, token, token.begin, source_offset(text_, token, together.size()));
    }
    const std::string_view written = text_.substr(token.begin, token.end - token.begin);
    std::vector<std::size_t> cuts = capital_cuts(written);
    if (cuts.empty()) return;
    cuts.insert(cuts.begin(), 0);
    cuts.push_back(written.size());
    for (std::size_t from = 0; from + 1 < cuts.size(); ++from) {
      for (std::size_t to = from + 1; to < cuts.size(); ++to) {
        if (cuts[to] - cuts[from] > kMostWritten * together.size()) break;
        if (fold_for_finding(written.substr(cuts[from], cuts[to] - cuts[from])) == together)
          return add_joined(name, token, token.begin + cuts[from], token.begin + cuts[to],
                            from == 1 && detail::is_joined_particle(written.substr(0, cuts[from])));
      }
    }
  }

  // What is inside the word has no signs of its own there.
  void add_joined(const Name& name, const SignedWord& token, std::size_t begin, std::size_t end,
                  bool in_doubt = false) {
    NameOccurrence found{begin, end, NameForm::kJoined, in_doubt || name.signs_inside, name_};
    SignedWord part = token;
    if (begin != token.begin) part.before = {};
    if (end != token.end) part.behind = {};
    if (fits(detail::signs_before(name.words.front().written, part), found) &&
        fits(detail::signs_behind(name.words.back().written, part), found))
      add(found);
  }

  // Inside runs without blanks, also where one blank or middle dot parts them: "田中 太郎さん".
  void in_runs(std::size_t at, const std::string& together) {
    if (!words_[at].unbroken) return;
    std::string run(words_[at].folded);
    const std::size_t own = run.size();
    std::size_t last = at;
    while (last + 1 < words_.size() && words_[last + 1].unbroken &&
           run.size() < own + together.size() && detail::joins_words(words_[last].gap))
      run += words_[++last].folded;
    for (std::size_t from = run.find(together); from < own; from = run.find(together, from + 1)) {
      NameOccurrence found;
      found.name = name_;
      found.begin = offset_in_run(at, from);
      found.end = offset_in_run(at, from + together.size());
      found.form =
          from == 0 && together.size() == own && last == at ? NameForm::kSame : NameForm::kUnbroken;
      const bool alone = words_.size() == 1 && own == together.size();
      found.in_doubt = !is_edge_of_run(at, from) || !is_edge_of_run(at, from + together.size()) ||
                       (!alone && is_word_of_script(together)) || may_be_longer(at, found);
      add(found);
    }
  }
  // "하나" is one, and Hana.
  static bool is_word_of_script(std::string_view name) {
    return std::ranges::any_of(languages_in(script_of(name)), [&](Language language) {
      return is_name_and_word(name, code_of(language));
    });
  }
  // Inside one run alone.
  bool may_be_longer(std::size_t token, const NameOccurrence& found) const {
    const SignedWord& word = words_[token];
    if (found.end > word.end) return false;
    return detail::may_be_longer(text_, text_.substr(word.begin, word.end - word.begin),
                                 found.begin - word.begin, found.end - word.begin);
  }
  bool is_edge_of_run(std::size_t token, std::size_t folded) const {
    while (folded > words_[token].folded.size()) folded -= words_[token++].folded.size();
    return is_word_edge(token, folded);
  }
  std::size_t offset_in_run(std::size_t token, std::size_t folded) const {
    while (folded > words_[token].folded.size()) folded -= words_[token++].folded.size();
    return source_offset(text_, words_[token], folded);
  }

  // --- what is found ----------------------------------------------------------------------------

  void add(NameOccurrence found) {
    if (found.form == NameForm::kSame &&
        text_.substr(found.begin, found.end - found.begin) != names_.all[name_].written)
      found.form = NameForm::kFolded;
    found_.push_back(found);
  }

  // In the order of the text, the longest at each place, the closest of equally long ones; what is
  // in doubt where nothing sure is.
  std::vector<NameOccurrence> choose() {
    std::ranges::stable_sort(found_, [](const NameOccurrence& a, const NameOccurrence& b) {
      if (a.in_doubt != b.in_doubt) return b.in_doubt;
      if (a.begin != b.begin) return a.begin < b.begin;
      return a.end != b.end ? a.end > b.end : a.form < b.form;
    });
    std::vector<NameOccurrence> sure, doubtful;
    for (const NameOccurrence& each : found_) {
      std::vector<NameOccurrence>& chosen = each.in_doubt ? doubtful : sure;
      if (chosen.empty() || each.end > chosen.back().end) chosen.push_back(each);
    }
    std::erase_if(doubtful, [&](const NameOccurrence& each) {
      // The last sure one that begins before it ends.
      const auto next = std::ranges::lower_bound(sure, each.end, {}, &NameOccurrence::begin);
      return next != sure.begin() && std::prev(next)->end > each.begin;
    });
    sure.insert(sure.end(), doubtful.begin(), doubtful.end());
    std::ranges::stable_sort(sure, {}, &NameOccurrence::begin);
    return sure;
  }

  const NameFinder::Names& names_;
  std::string_view text_;
  detail::SignedWordReader reader_;
  const std::vector<SignedWord>& words_;
  std::size_t name_ = 0;
  std::optional<Signs> signs_;  // of the text without the name
  std::vector<NameOccurrence> found_;
};

std::string_view to_string(NameForm form) { return kForms[static_cast<std::size_t>(form)]; }

NameFinder::NameFinder(std::span<const std::string> names) {
  auto made = std::make_shared<Names>();
  for (const std::string& name : names) made->add(name);
  names_ = std::move(made);
}

std::vector<NameOccurrence> NameFinder::find(const PlainReading& text) const {
  return NameScan(*names_, text.text()).run();
}

}  // namespace anima::language
