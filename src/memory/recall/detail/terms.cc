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
  if (word.ideographic) return word.text;
  // A version or an address is the same in every language.
  if (word.whole) return language::fold_for_finding(word.text);
  OfLanguage& rules = of(language);
  if (rules_.drop_stop_words && rules.vocabulary.is_stop_word(word.text)) return {};
  if (!rules_.stems) return language::fold_for_finding(word.text);
  const std::string_view stem = rules.stemmer.stem(word.text);
  const bool stops = rules_.drop_stop_words && rules.stop_stems.contains(stem);
  return stops ? std::string() : language::fold_for_finding(stem);
}

TermReader::Term TermReader::intern(Language language, const TermWord& word) {
  auto& words = of(language).words;
  const auto known = words.find(std::string_view(word.text));
  if (known != words.end()) return known->second;
  std::string text = stem(language, word);
  Term term = kDropped;
  if (!text.empty()) {
    const auto next = static_cast<Term>(terms_.size() + 1);
    term = terms_.try_emplace(std::move(text), next).first->second;
  }
  words.emplace(word.text, term);
  return term;
}

TermReader::Term TermReader::find(Language language, const TermWord& word) {
  const std::string text = stem(language, word);
  if (text.empty()) return kDropped;
  const auto known = terms_.find(std::string_view(text));
  return known == terms_.end() ? kUnknown : known->second;
}

TermReader::Term TermReader::find_plain(const TermWord& word) const {
  const auto known = terms_.find(language::fold_for_finding(word.text));
  return known == terms_.end() ? kUnknown : known->second;
}

std::vector<TermReader::Term> TermReader::find_forms(const TermWord& word) const {
  std::vector<Term> terms;
  if (!rules_.stems) return terms;
  language::WordForms forms(language::fold_for_finding(word.text));
  if (word.ideographic || word.whole || forms.starts().empty()) return terms;
  for (const auto& of : languages_) {
    if (of == nullptr) continue;
    for (const auto& [known, term] : of->words) {
      if (term == kDropped) continue;
      const std::string folded = language::fold_for_finding(known);
      if (forms.has(folded)) terms.push_back(term);
    }
  }
  std::ranges::sort(terms);
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

std::size_t TermReader::heap_bytes() const {
  // A node of a hash table: the text in place, the value, a pointer and its bucket.
  constexpr std::size_t kNode = sizeof(std::string) + 40;
  std::size_t nodes = terms_.size();
  for (const auto& of : languages_) nodes += of == nullptr ? 0 : of->words.size();
  return nodes * kNode;
}

}  // namespace anima::memory::detail
