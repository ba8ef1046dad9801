#include "sparql/rdf_writer.h"

#include <algorithm>
#include <utility>

#include "sparql/rdf/writers.h"

namespace anima::sparql {
namespace {

constexpr std::size_t kMostNamespaces = 100'000;  // counted
constexpr std::size_t kMostPrefixes = 100;        // given

struct WellKnown {
  std::string_view iri;
  std::string_view prefix;
};
constexpr WellKnown kWellKnown[] = {
    {"http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf"},
    {"http://www.w3.org/2000/01/rdf-schema#", "rdfs"},
    {"http://www.w3.org/2001/XMLSchema#", "xsd"},
    {"http://www.w3.org/2002/07/owl#", "owl"},
    {"http://www.w3.org/2004/02/skos/core#", "skos"},
    {"http://xmlns.com/foaf/0.1/", "foaf"},
    {"http://purl.org/dc/elements/1.1/", "dc"},
    {"http://purl.org/dc/terms/", "dcterms"},
    {"http://www.w3.org/ns/dcat#", "dcat"},
    {"http://www.w3.org/ns/prov#", "prov"},
    {"http://www.w3.org/ns/shacl#", "sh"},
    {"http://schema.org/", "schema"},
    {"https://schema.org/", "schemas"},
    {"http://www.w3.org/2003/01/geo/wgs84_pos#", "geo"},
    {"http://www.w3.org/2006/vcard/ns#", "vcard"},
    {"urn:anima:attribute:", "attribute"},
    {"urn:anima:metadata:", "metadata"},
    {"urn:anima:predicate:", "predicate"},
    {"urn:anima:proposition:", "proposition"},
    {"urn:anima:concept:%24ConceptType:", "type"},
};

// N-Triples or N-Quads.
class LineWriter : public RdfWriter {
 public:
  LineWriter(bool quads, TextSink sink) : quads_(quads), out_(std::move(sink)) {}
  Status add(const RdfTriple& triple, const RdfTerm* graph) override {
    if (graph != nullptr && !quads_) {
      return fail(ErrorCode::kUnsupported, "N-Triples cannot name a graph", {}, "write N-Quads");
    }
    append_nquads(out_.text(), triple, graph);
    return out_.flush_if_large();
  }
  Status finish() override { return out_.flush(); }

 private:
  bool quads_;
  rdf::TextBuffer out_;
};

}  // namespace

std::unique_ptr<RdfWriter> make_rdf_writer(RdfFormat format, std::vector<RdfPrefix> prefixes,
                                           TextSink sink) {
  switch (format) {
    case RdfFormat::kTurtle:
    case RdfFormat::kTriG:
      return rdf::make_turtle_writer(format == RdfFormat::kTriG, std::move(prefixes),
                                     std::move(sink));
    case RdfFormat::kRdfXml:
      return rdf::make_rdfxml_writer(std::move(prefixes), std::move(sink));
    case RdfFormat::kJsonLd:
      return rdf::make_jsonld_writer(std::move(sink));
    case RdfFormat::kNTriples:
    case RdfFormat::kNQuads:
      break;
  }
  return std::make_unique<LineWriter>(format == RdfFormat::kNQuads, std::move(sink));
}

std::string_view iri_namespace(std::string_view iri) {
  const std::size_t last = iri.find_last_of("#/:");
  return last == std::string_view::npos ? std::string_view() : iri.substr(0, last + 1);
}

void PrefixFinder::see(const RdfTriple& triple) {
  if (triple.subject.kind == RdfKind::kIri) see_iri(triple.subject.text);
  see_iri(triple.predicate.text);
  if (triple.object.kind == RdfKind::kIri) see_iri(triple.object.text);
  if (triple.object.kind == RdfKind::kTyped) see_iri(triple.object.extra);
}

void PrefixFinder::see_iri(std::string_view iri) {
  const std::string_view space = iri_namespace(iri);
  const auto found = counts_.find(space);
  if (found != counts_.end()) {
    ++found->second;
  } else if (counts_.size() < kMostNamespaces && space.size() < iri.size()) {
    counts_.emplace(space, 1);
  }
}

std::vector<RdfPrefix> PrefixFinder::prefixes() const {
  std::vector<std::pair<std::uint64_t, std::string_view>> used;
  for (const auto& [iri, count] : counts_) {
    // "http://" and "urn:" alone are no namespaces.
    const bool bare = iri.ends_with("//") || iri.find(':') + 1 == iri.size();
    if (count > 1 && !bare && iri != kWellKnown[0].iri) used.emplace_back(count, iri);
  }
  std::sort(used.begin(), used.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (used.size() > kMostPrefixes) used.resize(kMostPrefixes);
  std::sort(used.begin(), used.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<RdfPrefix> out{{std::string(kWellKnown[0].prefix), std::string(kWellKnown[0].iri)}};
  std::size_t number = 0;
  for (const auto& each : used) {
    const std::string_view iri = each.second;
    const auto known = std::find_if(std::begin(kWellKnown), std::end(kWellKnown),
                                    [iri](const WellKnown& row) { return row.iri == iri; });
    out.push_back({known != std::end(kWellKnown) ? std::string(known->prefix)
                                                 : "ns" + std::to_string(++number),
                   std::string(iri)});
  }
  return out;
}

}  // namespace anima::sparql
