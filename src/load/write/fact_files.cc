#include "load/write/fact_files.h"

#include <fmt/format.h>

#include <optional>

#include "memory/import_formats.h"
#include "memory/triples_json.h"
#include "sparql/ntriples.h"
#include "sparql/rdf_import.h"

namespace anima::load {
namespace {

constexpr std::size_t kRdfBatch = 1024;

Result<std::uint64_t> write_ntriples(const FactFile& file, sparql::RdfImporter& importer,
                                     const std::function<bool()>& cancelled) {
  sparql::NTriplesReader reader(file.text, file.file);
  std::vector<sparql::RdfTriple> rows(kRdfBatch);
  std::uint64_t statements = 0;
  for (;;) {
    if (cancelled && cancelled())
      return fail(ErrorCode::kCancelled, "interrupted; nothing was loaded");
    ANIMA_ASSIGN(const std::size_t count, reader.next(rows));
    if (count == 0) return statements;
    for (std::size_t i = 0; i < count; ++i) ANIMA_TRY(importer.add(rows[i]));
    statements += count;
  }
}

}  // namespace

Result<std::vector<FactsReport>> write_facts(store::Transaction& transaction,
                                             const std::vector<FactFile>& files,
                                             const std::function<bool()>& cancelled) {
  const auto graph = store::GraphId::kDefault;
  const auto entry = static_cast<std::uint64_t>(transaction.view().sequence());
  std::optional<sparql::RdfImporter> rdf;
  std::vector<FactsReport> reports;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FactFile& file = files[i];
    FactsReport& report = reports.emplace_back(FactsReport{file.file, "n-triples", 0});
    if (file.kind == FileKind::kNTriples) {
      if (!rdf) rdf.emplace(transaction, sparql::RdfImportOptions{});
      // Blank nodes are told apart by the log entry and the file that brought them.
      rdf->next_file(fmt::format("i{}f{}", entry, i));
      ANIMA_ASSIGN(report.statements, write_ntriples(file, *rdf, cancelled));
    } else if (file.kind == FileKind::kTriplesJson) {
      report.format = "triples.json";
      ANIMA_ASSIGN(const auto loaded,
                   memory::load_triples_json(transaction, file.text, file.file, graph));
      report.statements = loaded.triples + loaded.duplicates;
    } else {
      report.format = "mcp-memory";
      ANIMA_ASSIGN(const auto loaded,
                   memory::load_mcp_memory(transaction, file.text, file.file, graph));
      report.statements = loaded.concepts + loaded.links;
    }
  }
  if (rdf) ANIMA_TRY(rdf->finish());
  return reports;
}

}  // namespace anima::load
