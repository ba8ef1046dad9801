// Loading RDF into a transaction, triple by triple, by the rules of rdf_mapping.h.
//
// Every mention of a thing asserts its existence in the graph. Blank nodes are kept apart:
// `blank_scope` (no two imports have the same one) goes before each label. Plain links and
// attributes go the way of the BulkWriter, so nothing is seen before finish(). What is said about a
// proposition waits for finish() anyway, because its subject, predicate and object may come later
// in the file. After an error the transaction must be given up. Thread-safety: one thread at a
// time.
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
  std::string
      blank_scope;  // begins the label of every blank node; letters and digits, may be empty
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
