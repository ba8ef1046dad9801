#include "memory/knowledge_index.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/crypto.h"
#include "language/text/forms.h"
#include "memory/recall/detail/terms.h"

namespace anima::memory {
namespace {

double cosine(const std::map<std::string, double, std::less<>>& a,
              const std::map<std::string, double, std::less<>>& b) {
  double dot = 0;
  double length_a = 0;
  double length_b = 0;
  for (const auto& [term, weight] : a) {
    length_a += weight * weight;
    if (const auto other = b.find(term); other != b.end()) dot += weight * other->second;
  }
  for (const auto& [term, weight] : b) length_b += weight * weight;
  return dot == 0 ? 0 : dot / (std::sqrt(length_a) * std::sqrt(length_b));
}

using Counts = std::map<std::string, double, std::less<>>;

struct Terms {
  std::vector<detail::TermWord> words;  // without stop words
  std::vector<std::string> stems;       // of each
};

// By the language of the text, English where it gives no sign.
Terms terms_of(std::string_view text, language::TermUse use) {
  thread_local detail::TermReader reader;
  Terms terms;
  std::vector<detail::TermWord> words = detail::split_terms(text, use);
  language::LanguageVotes votes;
  detail::add_votes(words, votes);
  const language::Language language = votes.sure().value_or(language::Language::kEnglish);
  for (detail::TermWord& word : words) {
    std::string stem = reader.stem(language, word);
    if (stem.empty()) continue;
    terms.stems.push_back(std::move(stem));
    terms.words.push_back(std::move(word));
  }
  // A query of nothing but stop words asks for them, or they are words of another language.
  if (use == language::TermUse::kQuery && terms.words.empty()) {
    for (const detail::TermWord& word : words)
      terms.stems.push_back(language::fold_for_finding(word.text));
    terms.words = std::move(words);
  }
  return terms;
}

Counts frequencies_of(std::string_view text) {
  const Terms terms = terms_of(text, language::TermUse::kDocument);
  Counts counts;
  for (const std::string& term : terms.stems)
    counts[term] += 1.0 / static_cast<double>(terms.stems.size());
  return counts;
}

std::vector<std::string> stems_in_any_language(const detail::TermWord& word) {
  thread_local detail::TermReader reader({.stems = true, .drop_stop_words = false});
  std::vector<std::string> stems;
  for (const language::Language language : language::stemmed_languages())
    stems.push_back(reader.stem(language, word));
  return stems;
}

// A word that no document has as its language says counts as each form of it that some have.
template <typename Documents>
Counts frequencies_of_query(std::string_view text, const Documents& documents) {
  const Terms terms = terms_of(text, language::TermUse::kQuery);
  Counts counts;
  for (std::size_t i = 0; i < terms.stems.size(); ++i) {
    const double share = 1.0 / static_cast<double>(terms.stems.size());
    counts[terms.stems[i]] += share;
    if (terms.words[i].ideographic || documents.contains(terms.stems[i])) continue;
    for (const std::string& stem : stems_in_any_language(terms.words[i]))
      if (documents.contains(stem)) counts[stem] = share;
    language::WordForms forms(language::fold_for_finding(terms.words[i].text));
    for (const std::string& start : forms.starts()) {
      for (auto at = documents.lower_bound(start);
           at != documents.end() && at->first.starts_with(start); ++at)
        if (forms.has(at->first)) counts[at->first] = share;
    }
  }
  return counts;
}

}  // namespace

std::string knowledge_id(std::string_view content) {
  return "doc_" + to_hex(sha256(content)).substr(0, 16);
}

std::string KnowledgeIndex::add(std::string content, std::string domain, std::string source) {
  std::string id = knowledge_id(content);
  if (entries_.contains(id)) return id;
  Entry entry{{id, std::move(content), std::move(domain), std::move(source)}, {}};
  entry.frequencies = frequencies_of(entry.document.content);
  for (const auto& [term, frequency] : entry.frequencies) ++document_frequency_[term];
  entries_.emplace(id, std::move(entry));
  return id;
}

Status KnowledgeIndex::remove(std::string_view id) {
  const auto found = entries_.find(id);
  if (found == entries_.end())
    return fail(ErrorCode::kNotFound, "there is no document '" + std::string(id) + "'");
  for (const auto& [term, frequency] : found->second.frequencies) {
    const auto count = document_frequency_.find(term);
    if (--count->second == 0) document_frequency_.erase(count);
  }
  entries_.erase(found);
  return {};
}

KnowledgeIndex::Weightless KnowledgeIndex::weightless_of(const KnowledgeQuery& query) const {
  Weightless without;
  if (query.weightless == nullptr) return without;
  for (const std::string& id : *query.weightless) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) continue;
    ++without.documents;
    for (const auto& [term, frequency] : found->second.frequencies) ++without.frequency[term];
  }
  return without;
}

double KnowledgeIndex::idf(std::string_view term, const Weightless& without) const {
  const auto with_term = [&](const Documents& documents) -> std::size_t {
    const auto found = documents.find(term);
    return found == documents.end() ? 0 : found->second;
  };
  const auto documents = static_cast<double>(entries_.size() - without.documents);
  const auto frequency =
      static_cast<double>(with_term(document_frequency_) - with_term(without.frequency));
  if (rule_ == IdfRule::kSmoothed) return std::log((1 + documents) / (1 + frequency)) + 1;
  return frequency == 0 ? 0 : std::log(documents / frequency);
}

KnowledgeIndex::Counts KnowledgeIndex::weigh(const Counts& frequencies,
                                             const Weightless& without) const {
  Counts weights;
  for (const auto& [term, frequency] : frequencies)
    weights.emplace(term, frequency * idf(term, without));
  return weights;
}

std::vector<KnowledgeHit> KnowledgeIndex::search(const KnowledgeQuery& query) const {
  const Weightless without = weightless_of(query);
  const Counts wanted = weigh(frequencies_of_query(query.text, document_frequency_), without);
  std::vector<KnowledgeHit> hits;
  for (const auto& [id, entry] : entries_) {
    if (query.domain && entry.document.domain != *query.domain) continue;
    if (query.source && entry.document.source != *query.source) continue;
    const double score = cosine(wanted, weigh(entry.frequencies, without));
    if (score >= query.minimum_score) hits.push_back({&entry.document, score});
  }
  std::ranges::stable_sort(hits, std::ranges::greater{}, &KnowledgeHit::score);
  if (hits.size() > query.limit) hits.resize(query.limit);
  return hits;
}

}  // namespace anima::memory
