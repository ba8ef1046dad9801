#include "language/names/occurrences.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/names/detail/inflection.h"
#include "language/text/detail/fold_table.h"
#include "language/text/guess.h"
#include "language/text/vocabulary.h"
#include "language/text/words.h"

namespace anima::language {
namespace {

constexpr std::array<std::string_view, 6> kForms = {"same",      "folded", "possessive",
                                                    "inflected", "joined", "unbroken"};
constexpr std::size_t kWidestGap = 12;  // bytes between two words of a name

// The languages whose endings are tried on a word.
std::vector<Language> reached(const std::vector<Language>& wanted, std::string_view word) {
  const std::vector<Language> of_script = languages_in(script_of(word));
  if (wanted.empty()) return of_script;
  std::vector<Language> languages;
  for (const Language language : wanted)
    if (std::ranges::find(of_script, language) != of_script.end()) languages.push_back(language);
  return languages;
}

bool is_apostrophe_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  return text[at] == '\'' || text.substr(at).starts_with("\xe2\x80\x99");
}

// Marks of the direction of writing and of no width, which nobody sees.
bool is_invisible(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF || c == 0x061C;
}

bool is_blank(std::string_view gap) {
  for (std::size_t at = 0; at < gap.size();) {
    const CodePoint point = decode_utf8(gap, at);
    if (!is_white_space(point.value) && !is_invisible(point.value)) return false;
    at += point.size;
  }
  return true;
}

// What may stand between two words of one name: blanks, or one mark that joins.
bool joins_words(std::string_view gap) {
  if (gap.empty() || gap.size() > kWidestGap) return false;
  if (is_blank(gap)) return true;
  if (gap == ". ") return true;  // behind an initial
  constexpr std::array<std::string_view, 10> kMarks = {
      "-", "_",           ".", "'", "\xe2\x80\x99", "\xe2\x80\x90", "\xc2\xb7", "\xe3\x83\xbb",
      "+", "\xe2\x80\x91"};
  return std::ranges::find(kMarks, gap) != kMarks.end();
}

// Where a place in the folded form of a token lies in the text.
std::size_t source_offset(std::string_view text, const Token& token, std::size_t folded) {
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

// One text being read for the names of a finder.
class NameScan {
 public:
  NameScan(const NameFinder& finder, std::string_view text)
      : finder_(finder), text_(text), tokens_(reader_.read(text)) {}

  std::vector<NameOccurrence> run() && {
    std::vector<Language> wanted = finder_.reach_.languages;
    if (finder_.reach_.every_language) wanted.clear();
    if (wanted.empty() && !finder_.reach_.every_language) wanted = likely_languages(text_);
    for (name_ = 0; name_ < finder_.names_.size(); ++name_) {
      const NameFinder::Name& name = finder_.names_[name_];
      if (name.words.empty()) continue;
      std::string together;
      for (const auto& word : name.words) together += word.folded;
      const bool unbroken =
          std::ranges::all_of(name.words, [](const auto& word) { return word.unbroken; });
      languages_.clear();
      for (const auto& word : name.words) languages_.push_back(reached(wanted, word.folded));
      for (std::size_t at = 0; at < tokens_.size(); ++at) {
        if (unbroken) {
          in_runs(at, together);
        } else if (!in_sequence(name, at)) {
          in_one_word(name, together, at);
        }
      }
    }
    return choose();
  }

 private:
  struct Match {
    NameForm form = NameForm::kSame;
    std::optional<Language> language;
    bool starts = true, ends = true;  // of an unbroken word: where in the token it stands
  };

  std::string_view gap_after(std::size_t token) const {
    return text_.substr(tokens_[token].end, tokens_[token + 1].begin - tokens_[token].end);
  }

  std::optional<Match> match(const NameFinder::Name& name, std::size_t word, std::size_t at) const {
    const auto& wanted = name.words[word];
    const Token& token = tokens_[at];
    if (token.folded == wanted.folded) return Match{};
    if (wanted.unbroken != token.unbroken) return std::nullopt;
    if (token.unbroken) {
      const bool first = word == 0, last = word + 1 == name.words.size();
      if ((first && token.folded.ends_with(wanted.folded)) ||
          (last && token.folded.starts_with(wanted.folded)))
        return Match{NameForm::kUnbroken, {}, !first, !last};
      return std::nullopt;
    }
    if (is_transcription(wanted, token)) return Match{NameForm::kFolded, {}};
    const std::vector<Language>& languages = languages_[word];
    const auto of = std::ranges::find_if(languages, [&](Language language) {
      return detail::is_form_of(token.folded, wanted.folded, vocabulary(language).names);
    });
    if (of == languages.end()) return std::nullopt;
    return Match{NameForm::kInflected, *of};
  }

  bool is_transcription(const NameFinder::Spelling& wanted, const Token& token) const;

  // The words of the name, one token each, from `at` on.
  bool in_sequence(const NameFinder::Name& name, std::size_t at) {
    if (at + name.words.size() > tokens_.size()) return false;
    NameOccurrence found;
    found.name = name_;
    for (std::size_t word = 0; word < name.words.size(); ++word) {
      const std::size_t token = at + word;
      if (word > 0 && !gap_fits(name, word, token - 1, found)) return false;
      const auto matched = match(name, word, token);
      if (!matched) return false;
      found.form = std::max(found.form, matched->form);
      if (matched->language) found.language = matched->language;
      const std::size_t size = name.words[word].folded.size();
      if (word == 0)
        found.begin = matched->starts ? tokens_[token].begin
                                      : source_offset(text_, tokens_[token],
                                                      tokens_[token].folded.size() - size);
      found.end = matched->ends ? tokens_[token].end : source_offset(text_, tokens_[token], size);
    }
    with_possessive(name, at + name.words.size() - 1, found);
    add(found);
    return true;
  }

  bool gap_fits(const NameFinder::Name& name, std::size_t word, std::size_t token,
                NameOccurrence& found) const {
    const std::string_view gap = gap_after(token);
    const std::string& written = name.words[word].gap_before;
    if (gap == written) return true;
    if (!joins_words(gap) && !(gap.empty() && tokens_[token].joint == kTouches)) return false;
    const bool blanks = is_blank(gap) && is_blank(written);
    found.form = std::max(found.form, blanks ? NameForm::kFolded : NameForm::kJoined);
    return true;
  }

  // "Aino's", "Hans'", "Ankara'da".
  void with_possessive(const NameFinder::Name& name, std::size_t token,
                       NameOccurrence& found) const {
    if (found.end != tokens_[token].end || !is_apostrophe_at(text_, found.end)) return;
    const std::size_t size = text_[found.end] == '\'' ? 1 : 3;
    const bool closes_quote =
        found.begin > 0 &&
        (text_[found.begin - 1] == '\'' || text_.substr(0, found.begin).ends_with("\xe2\x80\x98"));
    if (tokens_[token].joint == '\'' && token + 1 < tokens_.size()) {
      const Token& ending = tokens_[token + 1];
      // An apostrophe behind a name says more than what the text is in.
      const std::vector<Language> languages = languages_in(script_of(name.words.back().folded));
      const auto of = std::ranges::find_if(languages, [&](Language language) {
        return vocabulary(language).names.endings.contains(ending.folded);
      });
      if (ending.folded != "s" && of == languages.end()) return;
      found.end = ending.end;
      if (ending.folded != "s") found.language = *of;
    } else if (!closes_quote && text_[found.end - 1] != ' ' && ends_in_s(tokens_[token].folded)) {
      found.end += size;
    } else {
      return;
    }
    found.form = std::max(found.form, NameForm::kPossessive);
  }

  static bool ends_in_s(std::string_view word) {
    return word.ends_with('s') || word.ends_with('x') || word.ends_with('z');
  }

  // "velimatti", "VeliMattiPage", "anna2".
  void in_one_word(const NameFinder::Name& name, const std::string& together, std::size_t at) {
    const Token& token = tokens_[at];
    if (token.unbroken || token.folded.size() < together.size()) return;
    const auto add_joined = [&](std::size_t begin, std::size_t end) {
      add({begin, end, NameForm::kJoined, std::nullopt, name_});
    };
    if (token.folded.starts_with(together)) {
      const std::string_view rest = token.folded.substr(together.size());
      const bool number = rest.find_first_not_of("0123456789") == rest.npos;
      if (number && (name.words.size() > 1 || !rest.empty())) {
        add_joined(token.begin, source_offset(text_, token, together.size()));
        return;
      }
    }
    const std::string_view written = text_.substr(token.begin, token.end - token.begin);
    std::vector<std::size_t> cuts = capital_cuts(written);
    if (cuts.empty()) return;
    cuts.insert(cuts.begin(), 0);
    cuts.push_back(written.size());
    for (std::size_t from = 0; from + 1 < cuts.size(); ++from) {
      for (std::size_t to = from + 1; to < cuts.size(); ++to) {
        if (fold_for_finding(written.substr(cuts[from], cuts[to] - cuts[from])) != together)
          continue;
        add_joined(token.begin + cuts[from], token.begin + cuts[to]);
        return;
      }
    }
  }

  // Inside runs without blanks, also where one blank or middle dot parts them: "田中 太郎さん".
  void in_runs(std::size_t at, const std::string& together) {
    if (!tokens_[at].unbroken) return;
    std::string run(tokens_[at].folded);
    const std::size_t own = run.size();
    std::size_t last = at;
    while (last + 1 < tokens_.size() && tokens_[last + 1].unbroken &&
           run.size() < own + together.size() && joins_words(gap_after(last)))
      run += tokens_[++last].folded;
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
    while (folded > tokens_[token].folded.size()) folded -= tokens_[token++].folded.size();
    return source_offset(text_, tokens_[token], folded);
  }

  void add(NameOccurrence found) {
    const std::string& written = finder_.names_[name_].written;
    if (found.form == NameForm::kSame &&
        text_.substr(found.begin, found.end - found.begin) != written)
      found.form = NameForm::kFolded;
    if (found.form <= finder_.reach_.farthest) found_.push_back(found);
  }

  // In the order of the text, the longest at each place, the closest of equally long ones.
  std::vector<NameOccurrence> choose() {
    std::ranges::stable_sort(found_, [](const NameOccurrence& a, const NameOccurrence& b) {
      if (a.begin != b.begin) return a.begin < b.begin;
      return a.end != b.end ? a.end > b.end : a.form < b.form;
    });
    std::vector<NameOccurrence> chosen;
    for (const NameOccurrence& each : found_)
      if (chosen.empty() || each.end > chosen.back().end) chosen.push_back(each);
    return chosen;
  }

  const NameFinder& finder_;
  std::string_view text_;
  WordReader reader_;
  const std::vector<Token>& tokens_;
  std::size_t name_ = 0;
  std::vector<std::vector<Language>> languages_;  // of each word of the name
  std::vector<NameOccurrence> found_;
};

bool NameScan::is_transcription(const NameFinder::Spelling& wanted, const Token& token) const {
  if (token.folded == wanted.transcribed) return true;
  const std::string_view written = text_.substr(token.begin, token.end - token.begin);
  return !is_ascii(written) && detail::transcribed(written) == wanted.folded;
}

std::string_view to_string(NameForm form) { return kForms[static_cast<std::size_t>(form)]; }

NameFinder::NameFinder(std::span<const std::string> names, NameReach reach)
    : reach_(std::move(reach)) {
  WordReader reader;
  for (const std::string& written : names) {
    Name name;
    name.written = std::string(trim(written));
    const std::vector<Token>& tokens = reader.read(name.written);
    const std::string_view text = name.written;
    const auto letters = [](const Token& token) { return !token.digits; };
    for (std::size_t i = 0; i < tokens.size() && std::ranges::any_of(tokens, letters); ++i) {
      const std::string_view word = text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
      const std::size_t before = i == 0 ? 0 : tokens[i - 1].end;
      name.words.push_back({std::string(tokens[i].folded), detail::transcribed(word),
                            std::string(text.substr(before, tokens[i].begin - before)),
                            tokens[i].unbroken});
    }
    names_.push_back(std::move(name));
  }
}

std::vector<NameOccurrence> NameFinder::find(std::string_view text) const {
  return NameScan(*this, text).run();
}

std::vector<NameOccurrence> occurrences(std::string_view text, std::string_view name,
                                        const NameReach& reach) {
  const std::string names[] = {std::string(name)};
  return NameFinder(names, reach).find(text);
}

bool contains_name(std::string_view text, std::string_view name, const NameReach& reach) {
  return !occurrences(text, name, reach).empty();
}

std::vector<std::string> name_forms(std::string_view name, Language language) {
  WordReader reader;
  const std::vector<Token>& tokens = reader.read(name);
  if (tokens.empty()) return {};
  std::string before;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) before += std::string(tokens[i].folded) + ' ';
  std::vector<std::string> forms =
      detail::forms_of(tokens.back().folded, vocabulary(language).names);
  for (std::string& form : forms) form.insert(0, before);
  return forms;
}

}  // namespace anima::language
