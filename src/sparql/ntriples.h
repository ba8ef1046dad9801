// N-Triples and N-Quads 1.1: reading text into terms and writing terms as text.
//
// The reader walks one stretch of memory (a mapped file, or a part of one that begins at a line)
// and hands out views into it; only terms with escapes are copied. It accepts exactly the grammar:
// absolute IRIs, every escape, comments, blank lines, CR, LF and CRLF. Nothing is skipped: the
// first fault ends the reading with kSyntax and "line:column" (columns count code points from 1).
// Bytes that are no UTF-8 are such a fault. The writer's form is canonical: one blank between
// terms, escapes only where the grammar needs them, LF at the end. Thread-safety: a reader belongs
// to one thread. Source: W3C Recommendation
// "RDF 1.1 N-Triples" (2014), sections 2 to 4 and 7; "RDF 1.1 N-Quads" (2014), sections 2 and 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::sparql {

enum class RdfKind : std::uint8_t { kIri, kBlank, kString, kLanguageString, kTyped };

// A term of RDF. `extra` is the language tag or the datatype IRI; xsd:string is kString.
struct RdfTerm {
  RdfKind kind = RdfKind::kIri;
  std::string_view text;  // IRI, label without "_:", or lexical form
  std::string_view extra;
  bool operator==(const RdfTerm&) const = default;
};

struct RdfTriple {
  RdfTerm subject;
  RdfTerm predicate;
  RdfTerm object;
};

struct RdfQuad {
  RdfTriple triple;
  RdfTerm graph;       // an IRI or a blank node, where there is one
  bool named = false;  // false: in the default graph
};

class NTriplesReader {
 public:
  // `text` must outlive the reader; `name` (of the file) begins the `where` of errors.
  explicit NTriplesReader(std::string_view text, std::string name = {},
                          std::uint64_t first_line = 1);

  // Fills at most out.size() triples; 0 means the end. The views are valid until the next call.
  // Requires room for one.
  Result<std::size_t> next(std::span<RdfTriple> out);
  // The same of N-Quads.
  Result<std::size_t> next(std::span<RdfQuad> out);
  // Bytes read so far: for progress.
  std::size_t position() const { return static_cast<std::size_t>(at_ - text_.data()); }

 private:
  enum class Line : std::uint8_t { kTriple, kNothing, kFault };
  template <typename ReadLine>
  Result<std::size_t> fill(std::size_t room, const ReadLine& read);
  Line read_line(RdfTriple& out, RdfQuad* quad);
  bool read_subject(RdfTerm& out);
  bool read_graph(RdfQuad& out);
  bool read_object(RdfTerm& out);
  bool read_iri(std::string_view& out);
  bool read_blank(RdfTerm& out);
  bool read_literal(RdfTerm& out);
  bool read_language(RdfTerm& out);
  bool unescape(const char* from, const char* stop, bool in_iri, std::string_view& out);
  bool read_escape(const char*& at, const char* stop, bool in_iri, std::string& out);
  void skip_blanks();
  bool fault(const char* at, const char* message);
  Error error() const;

  std::string_view text_;
  std::string name_;
  std::uint64_t first_line_;
  const char* at_;
  const char* end_;    // of what is UTF-8 whole lines
  bool invalid_utf8_;  // something follows end_ that is none
  const char* fault_at_ = nullptr;
  const char* fault_ = nullptr;
  std::deque<std::string> unescaped_;
};

// Appends a term, or a whole line with its full stop and line end.
void append_ntriples(std::string& out, const RdfTerm& term);
void append_ntriples(std::string& out, const RdfTriple& triple);
// A line of N-Quads; without a graph it is one of N-Triples.
void append_nquads(std::string& out, const RdfTriple& triple, const RdfTerm* graph);
// Whether the text can be an IRI of N-Triples without escapes: a scheme, and no forbidden
// character.
bool is_absolute_iri(std::string_view text);
bool is_blank_label(std::string_view text);

inline constexpr std::string_view kXsd = "http://www.w3.org/2001/XMLSchema#";

}  // namespace anima::sparql
