#include "memory/recall/detail/terms.h"

#include <algorithm>
#include <utility>

#include "language/text/forms.h"

namespace anima::memory::detail {
std::vector<TermWord> split_terms(std::string_view text, language::TermUse use) {
  language::TermSplitter splitter(use, language::FoldStrength::kCase);
  std::vector<TermWord> words;
  splitter.split(text, [&](const language::IndexTerm& term) {
    TermWord word;
    word.text = term.text;
    word.offset = term.begin;
    word.end = term.end;
    word.capital = term.capital;
    word.starts_sentence = term.starts_sentence;
    word.ideographic =
        term.kind == language::TermKind::kPair || term.kind == language::TermKind::kLone;
    word.whole = term.kind == language::TermKind::kWhole;
    word.parts.assign(term.parts.begin(), term.parts.end());
    word.inside.assign(term.inside.begin(), term.inside.end());
    word.spelled = term.spelled;
    words.push_back(std::move(word));
  });
  return words;
}

void add_votes(const std::vector<TermWord>& words, LanguageVotes& votes) {
  for (const TermWord& word : words)
    if (!word.ideographic && !word.whole) votes.add(word.text);
}

TermReader::OfLanguage::OfLanguage(Language language)
    : stemmer(language), vocabulary(language::vocabulary(language)) {
  for (const std::string& word : vocabulary.stop_words) stop_stems.emplace(stemmer.stem(word));
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
  const auto known = of.words.find(std::string_view(word.text));
  if (known != of.words.end()) {
    known->second.unsure = known->second.unsure && !sure;
    return known->second.term;
  }
  std::string text = stem_in(of, word);
  Term term = kDropped;
  if (!text.empty()) {
    const auto next = static_cast<Term>(words_of_.size());
    const auto [place, fresh] = of.terms.try_emplace(std::move(text), next);
    term = place->second;
    if (fresh) words_of_.push_back(0);
    ++words_of_[term];
  }
  const auto made = of.words.emplace(word.text, OfLanguage::Known{term, !sure}).first;
  // Others are forms of nothing.
  if (!rules_.stems || term == kDropped || word.ideographic || word.whole) return term;
  std::string_view letters = made->first;
  if (std::string folded = language::fold_for_finding(letters); folded != letters)
    letters = of.folded.emplace_back(std::move(folded));
  of.by_letters.emplace(letters, &made->second);
  return term;
}

TermReader::Term TermReader::find_in(OfLanguage& of, const TermWord& word) const {
  const std::string text = stem_in(of, word);
  const auto known = of.terms.find(std::string_view(text));
  return known == of.terms.end() ? kUnknown : known->second;
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
        const auto plain = of->terms.find(language::fold_for_finding(text));
        if (plain == of->terms.end()) break;
        term = plain->second;
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
    if (const auto known = of->terms.find(text); known != of->terms.end())
      terms.push_back(known->second);
  }
  return terms;
}

std::vector<TermReader::Term> TermReader::find_forms(const TermWord& word) const {
  std::vector<Term> terms;
  if (!rules_.stems) return terms;
  const std::string asked = language::fold_for_finding(word.text);
  language::WordForms forms(asked);
  if (word.ideographic || word.whole || forms.starts().empty()) return terms;
  for (std::size_t i = 0; i < languages_.size(); ++i) {
    if (languages_[i] == nullptr) continue;
    const language::LanguageSet language = language::set_of(static_cast<Language>(i));
    const auto& words = languages_[i]->by_letters;
    // The word itself with other accents has another stem.
    for (auto [one, end] = words.equal_range(asked); one != end; ++one)
      terms.push_back(one->second->term);
    for (const std::string& start : forms.starts()) {
      for (auto one = words.lower_bound(start); one != words.end(); ++one) {
        const auto& [folded, known] = *one;
        if (!folded.starts_with(start)) break;
        const language::FormSense sense = forms.sense(folded);
        if (sense.fits(language) || (known->unsure && sense.fits({}))) terms.push_back(known->term);
      }
    }
  }
  std::ranges::sort(terms);
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

bool TermReader::has_other_forms(const TermWord& word, std::span<const Term> terms) const {
  const bool itself = std::ranges::any_of(languages_, [&](const auto& of) {
    return of != nullptr && of->words.contains(std::string_view(word.text));
  });
  return itself && std::ranges::any_of(terms, [&](Term term) { return words_of_[term] > 1; });
}

std::size_t TermReader::heap_bytes() const {
  // A node of a hash table: the text in place, the value, a pointer and its bucket. One of a tree
  // takes as much.
  constexpr std::size_t kNode = sizeof(std::string) + 40;
  std::size_t nodes = 0;
  for (const auto& of : languages_)
    nodes += of == nullptr ? 0 : of->words.size() + of->by_letters.size() + of->terms.size();
  return nodes * kNode + words_of_.capacity() * sizeof(words_of_[0]);
}

}  // namespace anima::memory::detail
