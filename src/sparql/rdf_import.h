// Loading RDF into a transaction, triple by triple, by the rules of rdf_mapping.h.
//
// Every mention of a thing asserts its existence in the graph. Blank nodes are kept apart from
// those that are there: one keeps its label while nothing in the space bears it; else `blank_scope`
// (no two imports have the same one) goes before it. So what one space exported comes into an empty
// one with the same labels. Named graphs are made as they are named (graph_name() of rdf_mapping.h;
// a blank node names the graph "_:LABEL"); Anima's own books are no graphs to write. Plain links
// and attributes go the way of the BulkWriter, so nothing is seen before finish(). What is said
// about a proposition waits for finish() anyway, because its subject, predicate and object may come
// later in the file. After an error the transaction must be given up. Thread-safety: one thread at
// a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "sparql/ntriples.h"
#include "store/transaction.h"

namespace anima::sparql {

struct RdfImportOptions {
  store::GraphId graph = store::GraphId::kDefault;
  // Goes before the label of a blank node that the space has already; letters and digits. Empty:
  // equal labels are one node.
  std::string blank_scope;
};

struct RdfImportCounts {
  std::uint64_t triples = 0;     // read
  std::uint64_t links = 0;       // of these, repetitions counted
  std::uint64_t attributes = 0;  // ditto, metadata with them
};

class RdfImporter {
 public:
  RdfImporter(store::Transaction& transaction, RdfImportOptions options);
  ~RdfImporter();
  RdfImporter(const RdfImporter&) = delete;
  RdfImporter& operator=(const RdfImporter&) = delete;

  Status add(const RdfTriple& triple);
  // Into the graph of that name, or where `graph` is null into that of the options. Errors: kDenied
  // (one of Anima's own books).
  Status add(const RdfTriple& triple, const RdfTerm* graph);
  // Keeps the blank nodes of what follows apart from those before: for the next file of one import.
  void next_file(std::string blank_scope);
  // Asserts everything. To be called once, last.
  Status finish();
  const RdfImportCounts& counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anima::sparql
