#include "sparql/update/load_file.h"

#include <charconv>
#include <utility>

#include "base/files/rooted_folder.h"
#include "sparql/plan/dataset.h"
#include "sparql/rdf_format.h"
#include "sparql/rdf_reader.h"

namespace anima::sparql::update {

namespace {

// The path of a file IRI; empty when it is none.
std::string path_of(std::string_view iri) {
  constexpr std::string_view kFile = "file://";
  if (!iri.starts_with(kFile)) return {};
  iri.remove_prefix(kFile.size());
  if (iri.starts_with("localhost/")) iri.remove_prefix(9);
  if (!iri.starts_with("/")) return {};
  std::string path;
  for (std::size_t i = 0; i < iri.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = iri.data() + i + 1;
    if (iri[i] == '%' && i + 2 < iri.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2 && byte != 0) {
      path.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      path.push_back(iri[i]);
    }
  }
  return path;
}

OwnTerm scoped(const RdfTerm& term, const std::string& scope) {
  OwnTerm own(term);
  if (own.kind == RdfKind::kBlank) own.text = scope + "." + own.text;
  return own;
}

}  // namespace

Result<std::vector<OwnQuad>> load_file(std::string_view iri, const LoadTarget& target) {
  const std::string path = path_of(iri);
  if (target.root.empty() || path.empty()) {
    return fail(ErrorCode::kDenied, "LOAD may not read <" + std::string(iri) + ">", {},
                target.root.empty() ? "allow a folder with --load-root"
                                    : "only files below the allowed folder can be loaded");
  }
  ANIMA_ASSIGN(const RootedFolder root, RootedFolder::open(target.root));
  ANIMA_ASSIGN(const std::string bytes, root.read_all(path, kMaxLoadBytes));
  auto format = rdf_format_of_file(path);
  if (!format) format = sniff_rdf_format(bytes);
  if (!format) {
    return fail(ErrorCode::kUnsupported, "the format of <" + std::string(iri) + "> is not known",
                {}, "give the file the ending of its format, such as .ttl");
  }
  std::vector<OwnQuad> quads;
  RdfReadOptions options;
  options.base_iri = iri;
  options.file_name = path;
  ANIMA_TRY(read_rdf(*format, bytes, options, [&](const RdfTriple& triple, const RdfTerm* graph) {
    OwnQuad quad;
    quad.subject = scoped(triple.subject, target.blank_scope);
    quad.predicate = OwnTerm(triple.predicate);
    quad.object = scoped(triple.object, target.blank_scope);
    if (target.graph) {
      quad.graph = *target.graph;
    } else if (graph != nullptr) {
      quad.graph = plan::stored_graph_name(graph->text);
    }
    quads.push_back(std::move(quad));
    return Status{};
  }));
  return quads;
}

}  // namespace anima::sparql::update
