#include "sparql/rdf_load.h"

#include "sparql/plan/dataset.h"
#include "sparql/rdf_import.h"
#include "sparql/rdf_reader.h"
#include "sparql/update/changes.h"

namespace anima::sparql {

Result<std::uint64_t> load_rdf(store::Transaction& transaction, std::string_view text,
                               const RdfLoadOptions& options) {
  const std::string graph =
      options.graph.empty() ? std::string() : plan::stored_graph_name(options.graph);
  ANIMA_TRY(update::check_writable(graph));
  RdfImportOptions into;
  into.graph = graph.empty() ? store::GraphId::kDefault : transaction.graph(graph);
  into.blank_scope = options.blank_scope;
  RdfImporter importer(transaction, into);
  RdfReadOptions how;
  how.base_iri = options.base_iri;
  how.file_name = options.file_name;
  ANIMA_ASSIGN(
      const std::uint64_t count,
      read_rdf(options.format, text, how, [&](const RdfTriple& triple, const RdfTerm* named) {
        return importer.add(triple, named);
      }));
  ANIMA_TRY(importer.finish());
  return count;
}

}  // namespace anima::sparql
