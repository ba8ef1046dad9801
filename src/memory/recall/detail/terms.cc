#include "memory/recall/detail/terms.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "language/names/written_names.h"
#include "language/text/forms.h"

namespace anima::memory::detail {
namespace {

constexpr std::size_t kLettersAWord = 5;           // bytes of a text, with the blank, no fewer
constexpr std::size_t kLongestRemembered = 65536;  // bytes of a text whose buffers are kept

std::shared_ptr<const TermWord::Instead> instead_of(const language::IndexTerm& term) {
  if (term.parts.empty() && term.inside.empty() && term.spelled.empty()) return nullptr;
  auto instead = std::make_shared<TermWord::Instead>();
  instead->parts.assign(term.parts.begin(), term.parts.end());
  instead->inside.assign(term.inside.begin(), term.inside.end());
  instead->spelled = term.spelled;
  return instead;
}

std::vector<TermWord> split_by(language::TermSplitter& splitter, std::string_view text) {
  std::vector<TermWord> words;
  words.reserve(text.size() / kLettersAWord + 1);
  splitter.split(text, [&](const language::IndexTerm& term) {
    TermWord& word = words.emplace_back();
    word.text = term.text;
    word.offset = term.begin;
    word.end = term.end;
    word.capital = term.capital;
    word.starts_sentence = term.starts_sentence;
    word.ideographic =
        term.kind == language::TermKind::kPair || term.kind == language::TermKind::kLone;
    word.run = term.kind == language::TermKind::kRun;
    word.whole = word.run || term.kind == language::TermKind::kWhole;
    word.instead = instead_of(term);
  });
  return words;
}

}  // namespace

std::vector<TermWord> split_terms(std::string_view text, language::TermUse use) {
  constexpr auto kStrength = language::FoldStrength::kCase;
  if (text.size() > kLongestRemembered) {
    language::TermSplitter splitter(use, kStrength);
    return split_by(splitter, text);
  }
  // Texts are short, and there are many: their buffers are used again.
  thread_local std::array<std::optional<language::TermSplitter>, 4> splitters;
  std::optional<language::TermSplitter>& splitter = splitters[static_cast<std::size_t>(use)];
  if (!splitter) splitter.emplace(use, kStrength);
  return split_by(*splitter, text);
}

bool is_written_as_name(std::string_view text, std::span<const TermWord> words, std::size_t at) {
  const TermWord& word = words[at];
  if (!word.capital || word.ideographic || word.whole) return false;
  const language::NamePlace place{text.substr(word.offset, word.end - word.offset), word.text,
                                  at + 1 < words.size() ? words[at + 1].text : std::string_view(),
                                  word.capital, word.starts_sentence};
  return language::is_written_as_name(place, words.size(), [&] {
    return std::ranges::any_of(words, [](const TermWord& other) {
      return !other.capital && !other.whole && !other.ideographic;
    });
  });
}

void add_votes(const std::vector<TermWord>& words, LanguageVotes& votes) {
  for (const TermWord& word : words)
    if (!word.ideographic && !word.whole) votes.add(word.text);
}

TermReader::OfLanguage::OfLanguage(Language language)
    : stemmer(language), vocabulary(language::vocabulary(language)) {
  for (const std::string& word : vocabulary.stop_words) stop_stems.emplace(stemmer.stem(word));
}

auto TermReader::OfLanguage::letters_in_order() -> const std::vector<Letters>& {
  if (in_order == by_letters.size()) return by_letters;
  const auto middle = by_letters.begin() + static_cast<std::ptrdiff_t>(in_order);
  std::ranges::sort(middle, by_letters.end(), {}, &Letters::first);
  std::ranges::inplace_merge(by_letters.begin(), middle, by_letters.end(), {}, &Letters::first);
  in_order = by_letters.size();
  return by_letters;
}

TermReader::OfLanguage& TermReader::of(Language language) {
  auto& of = languages_[static_cast<std::size_t>(language)];
  if (of == nullptr) of = std::make_unique<OfLanguage>(language);
  return *of;
}

std::string TermReader::stem(Language language, const TermWord& word) {
  return stem_in(of(language), word);
}

std::string TermReader::stem_in(OfLanguage& of, const TermWord& word) const {
  if (word.ideographic) return word.text;
  // A version or an address is the same in every language.
  if (word.whole) return language::fold_for_finding(word.text);
  if (rules_.drop_stop_words && of.vocabulary.is_stop_word(word.text)) return {};
  if (!rules_.stems) return language::fold_for_finding(word.text);
  const std::string_view stem = of.stemmer.stem(word.text);
  const bool stops = rules_.drop_stop_words && of.stop_stems.contains(stem);
  return stops ? std::string() : language::fold_for_finding(stem);
}

TermReader::Term TermReader::intern(Language language, const TermWord& word, bool sure) {
  OfLanguage& of = this->of(language);
  if (auto* known = of.words.find(word.text)) {
    known->value.unsure = known->value.unsure && !sure;
    return known->value.term;
  }
  const std::string text = stem_in(of, word);
  Term term = kDropped;
  if (!text.empty()) {
    const auto* place = of.terms.find(text);
    if (place == nullptr) {
      place = &of.terms.add(text, static_cast<Term>(words_of_.size()));
      words_of_.push_back(0);
    }
    term = place->value;
    ++words_of_[term];
  }
  const auto& made = of.words.add(word.text, OfLanguage::Known{term, !sure});
  // Others are forms of nothing.
  if (!rules_.stems || term == kDropped || word.ideographic || word.whole) return term;
  std::string_view letters = made.text;
  if (!is_ascii(letters)) letters = of.folded.emplace_back(language::fold_for_finding(letters));
  of.by_letters.emplace_back(letters, &made.value);
  return term;
}

TermReader::Term TermReader::intern_name(Language language, const TermWord& word) {
  OfLanguage& of = this->of(language);
  const std::string text = language::fold_for_finding(word.text);
  if (const auto* known = of.terms.find(text)) return known->value;
  const auto term = static_cast<Term>(words_of_.size());
  of.terms.add(text, term);
  words_of_.push_back(1);
  return term;
}

TermReader::Term TermReader::find_in(OfLanguage& of, const TermWord& word) const {
  const std::string text = stem_in(of, word);
  const auto* known = of.terms.find(text);
  return known == nullptr ? kUnknown : known->value;
}

std::vector<TermReader::Term> TermReader::find(const TermWord& word) {
  std::vector<Term> terms;
  for (const auto& of : languages_) {
    if (of == nullptr || of->words.empty()) continue;
    if (const Term term = find_in(*of, word); term != kUnknown) terms.push_back(term);
  }
  return terms;
}

std::vector<std::vector<TermReader::Term>> TermReader::find_together(
    std::span<const std::string> words) {
  std::vector<std::vector<Term>> all;
  for (const auto& of : languages_) {
    if (of == nullptr || of->words.empty()) continue;
    std::vector<Term> terms;
    for (const std::string& text : words) {
      TermWord word;
      word.text = text;
      Term term = find_in(*of, word);
      if (term == kUnknown) {
        const auto* plain = of->terms.find(language::fold_for_finding(text));
        if (plain == nullptr) break;
        term = plain->value;
      }
      terms.push_back(term);
    }
    if (terms.size() == words.size()) all.push_back(std::move(terms));
  }
  return all;
}

std::vector<TermReader::Term> TermReader::find_plain(const TermWord& word) const {
  std::vector<Term> terms;
  const std::string text = language::fold_for_finding(word.text);
  for (const auto& of : languages_) {
    if (of == nullptr) continue;
    if (const auto* known = of->terms.find(text)) terms.push_back(known->value);
  }
  return terms;
}

std::vector<TermReader::Term> TermReader::find_forms(const TermWord& word) {
  std::vector<Term> terms;
  if (!rules_.stems) return terms;
  const std::string asked = language::fold_for_finding(word.text);
  language::WordForms forms(asked);
  if (word.ideographic || word.whole || forms.starts().empty()) return terms;
  for (std::size_t i = 0; i < languages_.size(); ++i) {
    if (languages_[i] == nullptr) continue;
    const language::LanguageSet language = language::set_of(static_cast<Language>(i));
    const std::vector<OfLanguage::Letters>& words = languages_[i]->letters_in_order();
    const auto from = [&](std::string_view letters) {
      return std::ranges::lower_bound(words, letters, {}, &OfLanguage::Letters::first);
    };
    // The word itself with other accents has another stem.
    for (auto one = from(asked); one != words.end() && one->first == asked; ++one)
      terms.push_back(one->second->term);
    for (const std::string& start : forms.starts()) {
      for (auto one = from(start); one != words.end(); ++one) {
        const auto& [folded, known] = *one;
        if (!folded.starts_with(start)) break;
        if (forms.fits(folded, language) || (known->unsure && forms.fits(folded, {})))
          terms.push_back(known->term);
      }
    }
  }
  std::ranges::sort(terms);
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

bool TermReader::has_other_forms(const TermWord& word, std::span<const Term> terms) const {
  const bool itself = std::ranges::any_of(languages_, [&](const auto& of) {
    return of != nullptr && of->words.find(word.text) != nullptr;
  });
  return itself && (terms.size() > 1 ||
                    std::ranges::any_of(terms, [&](Term term) { return words_of_[term] > 1; }));
}

std::size_t TermReader::heap_bytes() const {
  std::size_t bytes = words_of_.capacity() * sizeof(words_of_[0]);
  for (const auto& of : languages_) {
    if (of == nullptr) continue;
    bytes += of->words.heap_bytes() + of->terms.heap_bytes();
    bytes += of->by_letters.capacity() * sizeof(OfLanguage::Letters);
  }
  return bytes;
}

}  // namespace anima::memory::detail
