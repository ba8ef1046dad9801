#include "language/names/occurrences.h"

#include <algorithm>
#include <array>
#include <deque>

#include "base/text/text.h"
#include "language/names/detail/inflection.h"
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
  name.bare_letter =
      !name.unbroken && count_code_points(name.together) == 1 &&
      detail::own_signs_before(first, first) + detail::own_signs_behind(first, first) == 0;
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
  };

  // --- one word ---------------------------------------------------------------------------------

  std::optional<Match> match(const Name& name, std::size_t word, std::size_t at) {
    const Word& wanted = name.words[word];
    const SignedWord &written = wanted.written, &token = words_[at];
    if (token.folded == written.folded)
      return Match{NameForm::kSame, true, true, is_another_word(name, wanted, token)};
    if (written.unbroken != token.unbroken) return std::nullopt;
    if (token.unbroken) {
      const bool first = word == 0, last = word + 1 == name.words.size();
      if ((first && token.folded.ends_with(written.folded)) ||
          (last && token.folded.starts_with(written.folded)))
        return Match{NameForm::kUnbroken, !first, !last};
      return std::nullopt;
    }
    if (is_transcription(wanted, token)) return Match{NameForm::kFolded};
    if (token.folded.empty() || (!wanted.prefixed && token.folded[0] != written.folded[0]))
      return std::nullopt;
    for (const Spelling& spelling : spellings_of(wanted, token)) {
      const bool alike = spelling.form.substr(0, kSameLetters) ==
                         std::string_view(spelling.word).substr(0, kSameLetters);
      if (!alike && !wanted.prefixed) continue;
      if (const auto found = inflected(name, wanted, token, spelling)) return found;
    }
    return std::nullopt;
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
    if (!signs_) signs_ = read_signs(name);
    const std::vector<Language> of_script = languages_in(wanted.script);
    const auto votes = [&](Language language) { return signs_->votes.of(language); };
    const bool english = signs_->english && wanted.script == vocabulary(Language::kEnglish).script;
    std::uint32_t most = 0;
    for (const Language language : of_script) most = std::max(most, votes(language));
    bool found = false, open = most == 0 || detail::is_of_token(token);
    for (const Language language : of_script) {
      if (english ? language != Language::kEnglish : votes(language) * 2 < most) continue;
      const NameEndings& endings = vocabulary(language).names;
      const bool fits = detail::is_form_of(spelling.form, spelling.word, endings);
      found = found || fits;
      open = open || (fits ? detail::is_open_form_of(spelling.form, spelling.word, endings)
                           : votes(language) == most);
    }
    if (!found) return std::nullopt;
    return Match{NameForm::kInflected, true, true, open};
  }

  // Two letters that people write for each other, and that tell words apart: "على" is "on", "علي"
  // is Ali.
  bool is_another_word(const Name& name, const Word& wanted, const SignedWord& token) const {
    constexpr std::string_view kAlefMaksura = "\xd9\x89";
    const auto has = [&](std::string_view text) { return text.find(kAlefMaksura) != text.npos; };
    const SignedWord& written = wanted.written;
    return has(std::string_view(name.written).substr(written.begin, written.end - written.begin)) !=
           has(text_.substr(token.begin, token.end - token.begin));
  }

  bool is_transcription(const Word& wanted, const SignedWord& token) const {
    if (token.folded == wanted.transcribed) return true;
    if (token.folded.empty() || token.folded[0] != wanted.written.folded[0]) return false;
    const std::string_view written = text_.substr(token.begin, token.end - token.begin);
    return !is_ascii(written) && transcribed(written) == wanted.written.folded;
  }

  // What the words beside the name say of the language.
  struct Signs {
    LanguageVotes votes;
    bool english = false;  // all words in small letters are English; others share its small words
  };
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
    found.in_doubt = first->in_doubt;
    for (std::size_t word = 1; word < count; ++word) {
      last = match(name, word, at + word);
      if (!last || !gap_fits(name, word, at + word - 1, words_of_place(at, count), found))
        return false;
      found.form = std::max(found.form, last->form);
      found.in_doubt = found.in_doubt || last->in_doubt;
    }
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
    add(found);
    return true;
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

  // "Berg, Ada", "O'Neill, Pat": its last words first, and whole words alone.
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
    if (!comma.starts_with(',') || !detail::is_blank(comma.substr(1))) return false;
    NameOccurrence found{words_[at].begin, words_[at + count - 1].end, NameForm::kJoined, false,
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
          return add_joined(name, token, token.begin + cuts[from], token.begin + cuts[to]);
      }
    }
  }

  // What is inside the word has no signs of its own there.
  void add_joined(const Name& name, const SignedWord& token, std::size_t begin, std::size_t end) {
    NameOccurrence found{begin, end, NameForm::kJoined, name.signs_inside, name_};
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
      add(found);
    }
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
