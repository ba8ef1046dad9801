#include "sparql/graph_changes.h"

#include <string>

#include "sparql/rdf_mapping.h"
#include "sparql/update/changes.h"

namespace anima::sparql {

Status clear_graph(store::Transaction& transaction, std::string_view graph_iri) {
  const std::string name = graph_iri.empty() ? std::string() : graph_name(graph_iri);
  ANIMA_TRY(update::check_writable(name));
  const auto graph = graph_iri.empty() ? std::optional(store::GraphId::kDefault)
                                       : transaction.live().find_graph(name);
  return graph ? update::Changes(transaction).clear(*graph) : Status();
}

}  // namespace anima::sparql
