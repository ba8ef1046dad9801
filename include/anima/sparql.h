// SPARQL 1.1 over a memory: what Memory::sparql(), View::sparql() and Memory::sparql_update() take
// and answer. What triples a memory has is said in docs/sparql.md.
//
//   const anima::SparqlAnswer answer = memory.sparql("SELECT ?s ?o { ?s <urn:x:knows> ?o
//   }").value(); for (const auto& row : answer) std::cout << row["s"].text << " knows " <<
//   row["o"].text << '\n'; std::cout << answer.text("json").value();
//
// Keep what is looped over in a variable. Thread-safety: an answer may be read by one thread at a
// time; everything else is a plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anima/answers.h"
#include "base/result.h"

namespace anima {

struct SparqlSettings {
  std::string base = {};  // what relative IRIs are relative to
  std::string pack = {};  // a query of what this pack says alone; it may have no FROM of its own
  // IRIs of the graphs that make the dataset, in place of FROM and FROM NAMED (USING of updates).
  std::vector<std::string> default_graphs = {}, named_graphs = {};
  std::string load_root = {};  // the folder below which LOAD may read; empty: LOAD is refused
  CallLimits limits = {};
};

// A term of RDF, or nothing where a variable is unbound.
struct SparqlTerm {
  enum class Kind : std::uint8_t { kUnbound, kIri, kBlank, kLiteral };
  Kind kind = Kind::kUnbound;
  std::string text;      // the IRI, the blank node's label, the literal's lexical form
  std::string datatype;  // IRI of a literal's type: xsd:string, rdf:langString ..
  std::string language;  // its tag, where it has one

  explicit operator bool() const { return kind != Kind::kUnbound; }
  std::string to_string() const;  // as N-Triples writes it; empty for kUnbound
};

class SparqlAnswer {
 public:
  enum class Form : std::uint8_t { kRows, kTruth, kTriples };

  // One of its rows, seen in the answer, which it may not outlive.
  class Row {
   public:
    Row(const SparqlAnswer& answer, std::size_t index) : answer_(&answer), index_(index) {}
    std::size_t size() const { return answer_->variables().size(); }
    // The term of a variable, by place or by name ("s"); unbound when there is none such.
    SparqlTerm operator[](std::size_t column) const { return answer_->term(index_, column); }
    SparqlTerm operator[](std::string_view variable) const;

   private:
    const SparqlAnswer* answer_;
    std::size_t index_;
  };

  using Iterator = RowIterator<SparqlAnswer, Row>;

  Form form() const;
  bool truth() const;  // of ASK
  // Of SELECT, without "?"; "subject", "predicate", "object" of CONSTRUCT and DESCRIBE.
  const std::vector<std::string>& variables() const;
  std::size_t size() const;  // rows, or triples
  bool empty() const { return size() == 0; }
  SparqlTerm term(std::size_t row, std::size_t column) const;
  Row operator[](std::size_t index) const { return {*this, index}; }  // requires index < size()
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  // The whole answer: "json", "xml", "csv", "tsv" or "table" of rows and truths; "turtle",
  // "ntriples", "trig", "nquads", "rdfxml" or "jsonld" of triples. Errors: kInvalidArgument (no
  // such format for such an answer), kUnsupported (RDF/XML cannot say it). O(bytes).
  Result<std::string> text(std::string_view format) const;

 private:
  friend class Memory;
  friend class View;
  struct State;
  explicit SparqlAnswer(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// What an update did: one entry of the log, or none where it changed nothing.
struct SparqlChange {
  std::uint64_t operations = 0;
  std::uint64_t inserted = 0, deleted = 0;  // triples that were not there, or were, in their graph
  std::uint64_t entry = 0;                  // Memory::undo() takes it back; 0: nothing changed
};

// How a text of RDF is read.
struct RdfText {
  std::string_view text;
  std::string_view format;  // "ntriples", "nquads", "turtle", "trig", "rdfxml", "jsonld"
  std::string base = {};    // what relative IRIs are relative to
  std::string graph = {};   // the IRI of the graph of what names none; empty: the default graph
};

}  // namespace anima
