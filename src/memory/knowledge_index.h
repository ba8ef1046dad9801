// The knowledge index of source document 004: TF-IDF with cosine similarity over whole documents.
//
// Terms are those of recall (recall/detail/terms.h): stems without stop words, by the language of
// the document; a word of a query that no document has so counts as its forms that some have.
// Weight tf x idf, tf = count / length, idf = ln((1+N)/(1+df)) + 1. The same content has the same
// id ("doc_" and 16 hex digits of its SHA-256). Ties are by id. Thread-safety: one thread at a
// time. Source: governance specification 1.8, table rows 74-76.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::memory {

struct KnowledgeDocument {
  std::string id;
  std::string content;
  std::string domain;
  std::string source;
};

struct KnowledgeQuery {
  std::string text;
  std::optional<std::string> domain = {};
  std::optional<std::string> source = {};
  std::size_t limit = 10;
  double minimum_score = 0.01;
  // Ids of documents that are found like others and count for no weight: the scores of the others
  // tell nothing of their words.
  const std::set<std::string, std::less<>>* weightless = nullptr;
};

struct KnowledgeHit {
  const KnowledgeDocument* document = nullptr;
  double score = 0;
};

// idf as the source's own code has it, without smoothing; for comparison with its figures.
enum class IdfRule { kSmoothed, kRaw };

class KnowledgeIndex {
 public:
  explicit KnowledgeIndex(IdfRule rule = IdfRule::kSmoothed) : rule_(rule) {}

  std::string add(std::string content, std::string domain = {}, std::string source = {});  // its id
  Status remove(std::string_view id);  // kNotFound
  std::vector<KnowledgeHit> search(const KnowledgeQuery& query) const;
  std::size_t size() const { return entries_.size(); }

 private:
  using Counts = std::map<std::string, double, std::less<>>;
  struct Entry {
    KnowledgeDocument document;
    Counts frequencies;  // count / length
  };
  using Documents = std::map<std::string, std::size_t, std::less<>>;  // with a term
  // Of how many documents, and with which terms, that count for no weight.
  struct Weightless {
    std::size_t documents = 0;
    Documents frequency;
  };
  Weightless weightless_of(const KnowledgeQuery& query) const;
  double idf(std::string_view term, const Weightless& without) const;
  Counts weigh(const Counts& frequencies, const Weightless& without) const;

  IdfRule rule_;
  std::map<std::string, Entry, std::less<>> entries_;
  Documents document_frequency_;
};

std::string knowledge_id(std::string_view content);  // the id that add() gives

}  // namespace anima::memory
