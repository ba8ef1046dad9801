#include "memory/knowledge_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/crypto.h"
#include "base/text/text.h"

namespace anima::memory {
namespace {

constexpr std::array<std::string_view, 44> kStopWords = {
    "about", "after", "all",  "and",  "are", "because", "been", "but",  "can",   "could", "did",
    "does",  "for",   "from", "had",  "has", "have",    "her",  "him",  "his",   "how",   "into",
    "its",   "not",   "our",  "out",  "she", "should",  "than", "that", "the",   "their", "them",
    "then",  "there", "they", "this", "was", "were",    "what", "when", "which", "with",  "you"};

bool is_term_character(char32_t c) {
  const CharClass kind = classify(c);
  return kind == CharClass::kLetter || kind == CharClass::kDigit || kind == CharClass::kMark ||
         kind == CharClass::kIdeograph || c == '_' || c == '\'' || c == '-';
}

void keep_term(std::vector<std::string>& terms, std::string& term) {
  if (count_code_points(term) > 2 && std::ranges::find(kStopWords, term) == kStopWords.end())
    terms.push_back(term);
  term.clear();
}

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

std::map<std::string, double, std::less<>> frequencies_of(std::string_view text) {
  std::map<std::string, double, std::less<>> counts;
  const auto terms = knowledge_terms(text);
  for (const std::string& term : terms) counts[term] += 1.0 / static_cast<double>(terms.size());
  return counts;
}

}  // namespace

std::vector<std::string> knowledge_terms(std::string_view text) {
  const std::string lower = to_lower(text);
  std::vector<std::string> terms;
  std::string term;
  for (std::size_t at = 0; at < lower.size();) {
    const CodePoint point = decode_utf8(lower, at);
    if (is_term_character(point.value))
      term += std::string_view(lower).substr(at, point.size);
    else
      keep_term(terms, term);
    at += point.size;
  }
  keep_term(terms, term);
  return terms;
}

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
  const Counts wanted = weigh(frequencies_of(query.text), without);
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
