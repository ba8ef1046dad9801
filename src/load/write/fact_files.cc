#include "load/write/fact_files.h"

#include <fmt/format.h>

#include <optional>

#include "memory/formats/import_formats.h"
#include "memory/formats/rdf_files.h"
#include "memory/formats/triples_json.h"
#include "sparql/rdf_import.h"

namespace anima::load {
namespace {

Result<std::uint64_t> write_rdf(const FactFile& file, sparql::RdfFormat format,
                                sparql::RdfImporter& importer,
                                const std::function<bool()>& cancelled) {
  memory::RdfFile rdf;
  rdf.file = file.file;
  rdf.text = file.text;
  rdf.format = format;
  rdf.base_iri = memory::base_iri_of_file(file.file);
  rdf.progress = [&cancelled](std::uint64_t) { return !cancelled || !cancelled(); };
  auto statements = memory::load_rdf(importer, rdf);
  if (!statements && statements.error().code == ErrorCode::kCancelled) {
    return fail(ErrorCode::kCancelled, "interrupted; nothing was loaded");
  }
  return statements;
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
    FactsReport& report = reports.emplace_back(FactsReport{file.file, "", 0});
    if (file.kind == FileKind::kRdf) {
      const auto format = rdf_kind(file.file, file.text).value_or(sparql::RdfFormat::kNTriples);
      report.format = sparql::rdf_format_info(format).name;
      if (!rdf) rdf.emplace(transaction, sparql::RdfImportOptions{});
      // Blank nodes are told apart by the log entry and the file that brought them.
      rdf->next_file(fmt::format("i{}f{}", entry, i));
      ANIMA_ASSIGN(report.statements, write_rdf(file, format, *rdf, cancelled));
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
