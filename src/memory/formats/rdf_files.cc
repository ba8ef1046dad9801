#include "memory/formats/rdf_files.h"

#include <filesystem>
#include <system_error>

#include "sparql/iri.h"
#include "sparql/rdf_reader.h"

namespace anima::memory {

Result<std::uint64_t> load_rdf(sparql::RdfImporter& importer, const RdfFile& file) {
  sparql::RdfReadOptions options;
  options.base_iri = file.base_iri;
  options.file_name = file.file;
  options.progress = file.progress;
  return sparql::read_rdf(
      file.format, file.text, options,
      [&](const sparql::RdfTriple& triple, const sparql::RdfTerm* graph) -> Status {
        if (graph != nullptr && !file.takes_graphs) {
          return fail(ErrorCode::kInvalidArgument,
                      "the file names graphs, and all of it was to go into one", file.file,
                      "leave --compartment out, or give a file of triples");
        }
        return importer.add(triple, graph);
      });
}

std::string base_iri_of_file(const std::string& file) {
  std::error_code problem;
  const auto path = std::filesystem::absolute(file, problem);
  if (file == "-" || file.empty() || problem) return {};
  return sparql::file_iri(path.lexically_normal().string());
}

}  // namespace anima::memory
