// The graphs that a query's patterns are matched against.
//
// What a query does not choose is the whole knowledge: the default graph is the store's with those
// of the loaded compartments, each triple once, and the named graphs are all that state anything.
// Anima's own books are never among them. A graph that nobody has is empty. Thread-safety: one
// thread. Source: SPARQL 1.1 Query Language, section 13; compartments: docs/design/DATA.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/snapshot.h"

namespace anima::sparql::plan {

struct DatasetChoice {
  bool given = false;  // default_graphs and named_graphs are the whole dataset
  std::vector<std::string> default_graphs, named_graphs;  // IRIs
  bool all_named = false;  // with `given`: the named graphs are all that there are
  bool union_default = true;
};

class Dataset {
 public:
  static constexpr std::uint16_t kDefault = 0;  // the default graph's number

  Dataset(const store::Snapshot& snapshot, const DatasetChoice& choice);

  // Every graph, the books too: for what things are called.
  const store::Snapshot& everything() const { return everything_; }
  // All knowledge: for what is said of statements without being one (hidden_triples.h).
  const store::Snapshot& knowledge() const { return knowledge_; }
  const std::vector<store::Snapshot>& scopes() const { return scopes_; }

  // The scopes of GRAPH <iri>, and of all named graphs together. Errors: kLimitExceeded.
  Result<std::uint16_t> graph(std::string_view iri);
  Result<std::uint16_t> graph(store::GraphId graph);
  Result<std::uint16_t> all_named();
  const std::vector<store::GraphId>& named() const { return named_; }
  bool has_named(std::string_view iri) const;
  // Whether the store's own default graph is part of the scope.
  bool has_store_default(std::uint16_t scope) const { return store_default_[scope]; }
  // No scope is narrower than what the space published.
  bool is_whole() const { return whole_; }

 private:
  Result<std::uint16_t> add(const std::vector<store::GraphId>& graphs);
  void choose_all(bool union_default);
  void choose(const DatasetChoice& choice);

  store::Snapshot everything_, knowledge_;
  std::vector<store::Snapshot> scopes_;
  std::vector<bool> store_default_;
  std::vector<store::GraphId> named_;  // sorted
  std::map<store::GraphId, std::uint16_t> scope_of_;
  std::optional<std::uint16_t> all_named_;
  bool whole_ = true;
};

// The graph that an IRI names, when it states anything and is knowledge. The source's form of a
// compartment's graph is understood, too.
std::optional<store::GraphId> find_graph(const store::Snapshot& knowledge, std::string_view iri);
// Named graphs of the knowledge that state anything, sorted.
std::vector<store::GraphId> named_graphs(const store::Snapshot& knowledge);
// The name in the store of the graph with this IRI.
std::string stored_graph_name(std::string_view iri);

}  // namespace anima::sparql::plan
