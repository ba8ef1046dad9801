#include "memory/recall/detail/terms.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "language/text/compounds.h"
#include "language/text/forms.h"
#include "language/text/script.h"

namespace anima::memory::detail {
namespace {

using language::Token;

// A pair for each two neighbours, in the manner of the word index.
void add_run(const language::WordReader& reader, const Token& token, language::TermUse use,
             std::vector<TermWord>& words) {
  const std::vector<std::size_t> letters = reader.letters_of(token);
  const std::size_t count = letters.size() - 1;
  const auto add = [&](std::size_t from, std::size_t to) {
    TermWord word;
    word.text = token.folded.substr(letters[from], letters[to] - letters[from]);
    word.offset = token.begin;
    word.ideographic = true;
    words.push_back(std::move(word));
  };
  if (count == 1) return add(0, 1);
  for (std::size_t i = 0; i + 1 < count; ++i) add(i, i + 2);
  if (use == language::TermUse::kQuery) return;
  for (std::size_t i = 0; i < count; ++i)
    if (language::script_of(decode_utf8(token.folded, letters[i]).value) == language::Script::kHan)
      add(i, i + 1);
}

// Of a compound, and of a word that capitals cut: `written` is that word, or nothing.
void add_parts(const TermWord& whole, std::string_view written, std::vector<TermWord>& words) {
  const auto add = [&](std::string text) {
    TermWord part;
    part.text = std::move(text);
    part.offset = whole.offset;
    words.push_back(std::move(part));
  };
  const std::string folded = language::fold_for_finding(whole.text);
  for (const language::TextSpan& span : language::compound_parts(folded))
    add(folded.substr(span.begin, span.end - span.begin));
  std::vector<std::size_t> cuts = language::capital_cuts(written);
  if (cuts.empty()) return;
  cuts.push_back(written.size());
  std::size_t from = 0;
  for (const std::size_t to : cuts) {
    add(language::fold(written.substr(from, to - from), language::FoldStrength::kCase));
    from = to;
  }
}

}  // namespace

std::vector<TermWord> split_terms(std::string_view text, language::TermUse use) {
  language::WordReader reader(language::FoldStrength::kCase);
  std::vector<TermWord> words;
  for (const Token& token : reader.read(text)) {
    if (token.unbroken) {
      add_run(reader, token, use, words);
      continue;
    }
    TermWord word;
    word.text = beginning_of(token.folded, language::kLongestTerm);
    word.offset = token.begin;
    word.capital = token.capital;
    word.starts_sentence = token.starts_sentence;
    words.push_back(word);
    if (use == language::TermUse::kDocument)
      add_parts(word, token.capital_inside ? text.substr(token.begin, token.end - token.begin) : "",
                words);
  }
  return words;
}

void add_votes(const std::vector<TermWord>& words, LanguageVotes& votes) {
  for (const TermWord& word : words)
    if (!word.ideographic) votes.add(word.text);
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
  if (word.ideographic || forms.starts().empty()) return terms;
  for (const auto& of : languages_) {
    if (of == nullptr) continue;
    for (const auto& [known, term] : of->words) {
      if (term == kDropped) continue;
      const std::string folded = language::fold_for_finding(known);
      if (forms.has(folded)) terms.push_back(term);
    }
  }
  std::ranges::sort(terms);
  terms.erase(std::ranges::unique(terms).begin(), terms.end());
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
