#include "sparql/plan/dataset.h"

#include <algorithm>
#include <limits>

#include "sparql/rdf_mapping.h"
#include "store/own_graphs.h"

namespace anima::sparql::plan {

using store::GraphId;
using store::Snapshot;

namespace {

constexpr std::string_view kCompartmentGraph = "urn:anima:compartment:";
constexpr std::string_view kCompartmentAlias = "https://akh-medu.dev/compartment/";

void insert_sorted(std::vector<GraphId>& graphs, GraphId graph) {
  const auto place = std::lower_bound(graphs.begin(), graphs.end(), graph);
  if (place == graphs.end() || *place != graph) graphs.insert(place, graph);
}

}  // namespace

std::string stored_graph_name(std::string_view iri) {
  if (iri.starts_with(kCompartmentAlias))
    return std::string(kCompartmentGraph) + std::string(iri.substr(kCompartmentAlias.size()));
  return graph_name(iri);
}

std::optional<GraphId> find_graph(const Snapshot& knowledge, std::string_view iri) {
  const std::string name = stored_graph_name(iri);
  if (store::is_own_graph(name)) return std::nullopt;
  const auto graph = knowledge.find_graph(name);
  if (!graph || (*graph != GraphId::kDefault && knowledge.graph_size(*graph) == 0))
    return std::nullopt;
  return graph;
}

std::vector<GraphId> named_graphs(const Snapshot& knowledge) {
  std::vector<GraphId> named;
  for (const GraphId graph : knowledge.graphs()) {
    if (graph != GraphId::kDefault && !store::is_own_graph(knowledge.graph_name(graph)) &&
        knowledge.graph_size(graph) > 0)
      named.push_back(graph);
  }
  return named;
}

Dataset::Dataset(const Snapshot& snapshot, const DatasetChoice& choice)
    : everything_(snapshot.with_books()), knowledge_(snapshot.knowledge()) {
  if (choice.given) {
    choose(choice);
  } else {
    choose_all(choice.union_default);
  }
}

void Dataset::choose_all(bool union_default) {
  named_ = named_graphs(knowledge_);
  std::vector<GraphId> graphs{GraphId::kDefault};
  if (union_default) {
    for (const GraphId graph : named_) {
      if (knowledge_.graph_name(graph).starts_with(kCompartmentGraph)) graphs.push_back(graph);
    }
  }
  if (graphs.size() == named_.size() + 1) {  // all of it, as it is
    scopes_.push_back(knowledge_);
    store_default_.push_back(true);
  } else {
    (void)add(graphs);
  }
}

void Dataset::choose(const DatasetChoice& choice) {
  std::vector<GraphId> graphs;
  for (const std::string& iri : choice.default_graphs) {
    if (const auto graph = find_graph(knowledge_, iri)) insert_sorted(graphs, *graph);
  }
  if (choice.all_named) named_ = named_graphs(knowledge_);
  for (const std::string& iri : choice.named_graphs) {
    if (const auto graph = find_graph(knowledge_, iri)) insert_sorted(named_, *graph);
  }
  (void)add(graphs);
}

Result<std::uint16_t> Dataset::add(const std::vector<GraphId>& graphs) {
  if (scopes_.size() >= std::numeric_limits<std::uint16_t>::max())
    return fail(ErrorCode::kLimitExceeded, "the query names too many graphs");
  whole_ = false;
  scopes_.push_back(knowledge_.in_graphs(graphs));
  store_default_.push_back(std::find(graphs.begin(), graphs.end(), GraphId::kDefault) !=
                           graphs.end());
  return static_cast<std::uint16_t>(scopes_.size() - 1);
}

Result<std::uint16_t> Dataset::graph(std::string_view iri) {
  const auto graph = find_graph(knowledge_, iri);
  if (!graph || !std::binary_search(named_.begin(), named_.end(), *graph)) return add({});
  return this->graph(*graph);
}

Result<std::uint16_t> Dataset::graph(GraphId graph) {
  const auto known = scope_of_.find(graph);
  if (known != scope_of_.end()) return known->second;
  ANIMA_ASSIGN(const std::uint16_t scope, add({graph}));
  scope_of_.emplace(graph, scope);
  return scope;
}

bool Dataset::has_named(std::string_view iri) const {
  const auto graph = find_graph(knowledge_, iri);
  return graph && std::binary_search(named_.begin(), named_.end(), *graph);
}

Result<std::uint16_t> Dataset::all_named() {
  if (!all_named_) {
    ANIMA_ASSIGN(all_named_, add(named_));
  }
  return *all_named_;
}

}  // namespace anima::sparql::plan
