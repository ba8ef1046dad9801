// Writing RDF in any of its formats.
//
// A writer takes statements one by one and hands text to its sink in pieces. Turtle, TriG and
// RDF/XML gather what comes in a row about one subject (and, in TriG, one graph), so statements
// that come sorted make the shortest text; JSON-LD is held whole until finish(), for it gathers
// everything about a thing in one place (expanded and flattened, lists as lists). What is written
// reads back as the same statements: literals keep their form, blank nodes stay distinct
// (N-Triples, N-Quads, Turtle and TriG keep their labels).
//
// Thread-safety: one thread. Errors: kUnsupported (a graph in a format that names none; what XML
// cannot say: a predicate without an XML name, a control character), those of the sink. After an
// error the writer must be given up. Complexity: O(bytes); JSON-LD O(n log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sparql/ntriples.h"
#include "sparql/rdf_format.h"

namespace anima::sparql {

struct RdfPrefix {
  std::string prefix;  // "foaf"
  std::string iri;     // "http://xmlns.com/foaf/0.1/"
};

using TextSink = std::function<Status(std::string_view)>;

class RdfWriter {
 public:
  virtual ~RdfWriter() = default;
  // `graph` is null for the default graph. The views need not outlive the call.
  virtual Status add(const RdfTriple& triple, const RdfTerm* graph) = 0;
  virtual Status finish() = 0;  // once, last
};

// `prefixes`: for Turtle, TriG and RDF/XML; each namespace once.
std::unique_ptr<RdfWriter> make_rdf_writer(RdfFormat format, std::vector<RdfPrefix> prefixes,
                                           TextSink sink);

// Finds the namespaces worth a prefix, for whoever sees all statements before writing them.
class PrefixFinder {
 public:
  void see(const RdfTriple& triple);
  // Those used more than once, at most 100: well-known ones by their usual names, others "ns1",
  // "ns2" .. in the order of their IRIs. rdf: is always among them.
  std::vector<RdfPrefix> prefixes() const;

 private:
  void see_iri(std::string_view iri);

  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

// The part of an IRI that could be a namespace: up to its last "#", "/" or ":".
std::string_view iri_namespace(std::string_view iri);

}  // namespace anima::sparql
