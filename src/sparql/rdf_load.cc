#include "sparql/rdf_load.h"

#include <map>
#include <vector>

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
  std::map<std::string, std::vector<update::OwnQuad>> elsewhere;
  RdfReadOptions how;
  how.base_iri = options.base_iri;
  how.file_name = options.file_name;
  ANIMA_ASSIGN(
      const std::uint64_t count,
      read_rdf(options.format, text, how, [&](const RdfTriple& triple, const RdfTerm* named) {
        if (named == nullptr) return importer.add(triple);
        update::OwnQuad quad;
        quad.subject = update::OwnTerm(triple.subject);
        quad.predicate = update::OwnTerm(triple.predicate);
        quad.object = update::OwnTerm(triple.object);
        elsewhere[plan::stored_graph_name(named->text)].push_back(std::move(quad));
        return Status{};
      }));
  ANIMA_TRY(importer.finish());
  for (const auto& [name, quads] : elsewhere) {
    ANIMA_TRY(update::check_writable(name));
    RdfImporter other(transaction, {transaction.graph(name), options.blank_scope});
    for (const update::OwnQuad& quad : quads) ANIMA_TRY(other.add(quad.triple()));
    ANIMA_TRY(other.finish());
  }
  return count;
}

}  // namespace anima::sparql
