// Loading RDF into a transaction, triple by triple, by the rules of rdf_mapping.h.
//
// Every mention of a thing asserts its existence in the graph. Blank nodes are kept apart:
// `blank_scope` (no two imports have the same one) goes before each label. What is said about a
// proposition waits for finish(), because its subject, predicate and object may come later in the
// file. After an error the transaction must be given up. Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sparql/ntriples.h"
#include "sparql/rdf_mapping.h"
#include "store/transaction.h"

namespace anima::sparql {

struct RdfImportOptions {
  store::GraphId graph = store::GraphId::kDefault;
  std::string
      blank_scope;  // begins the label of every blank node; letters and digits, may be empty
};

struct RdfImportCounts {
  std::uint64_t triples = 0;     // read
  std::uint64_t links = 0;       // asserted, repetitions counted
  std::uint64_t attributes = 0;  // and metadata
};

class RdfImporter {
 public:
  RdfImporter(store::Transaction& transaction, RdfImportOptions options);

  Status add(const RdfTriple& triple);
  Status finish();
  const RdfImportCounts& counts() const { return counts_; }

 private:
  // A triple about a proposition, kept until finish().
  struct Waiting {
    RdfKind kind;
    std::string proposition, predicate, text, extra;
  };
  struct Reified {
    std::string subject, predicate, object;  // terms as keys of resolve()
    store::EntityId link = store::EntityId::kNone;
    bool open = false;  // being resolved: found again means a circle
  };

  Result<store::EntityId> entity(const RdfTerm& term);
  Result<store::EntityId> make_entity(const RdfTerm& term);
  Result<store::EntityId> type(std::string_view name);
  Result<store::Predicate> link_predicate(std::string_view iri);
  Result<store::EntityId> proposition(const std::string& name);
  Result<store::EntityId> reified_end(const std::string& key);
  Status say(store::EntityId subject, std::string_view predicate, const RdfTerm& object);
  Status add_value(store::EntityId subject, std::string_view key, const RdfTerm& object);
  bool is_existence(const RdfTriple& triple) const;
  std::string scoped(std::string_view label) const;

  store::Transaction& transaction_;
  RdfImportOptions options_;
  store::AssertOptions assert_;
  RdfImportCounts counts_;
  std::string key_;
  std::unordered_map<std::string, store::EntityId> entities_;  // by term: "<iri" or "_label"
  std::unordered_map<std::string, store::EntityId> predicates_;
  std::map<std::pair<store::EntityId, std::string>, std::vector<store::Term>> metadata_;
  std::map<std::string, Reified> reified_;
  std::vector<Waiting> waiting_;
  std::vector<Waiting> about_;  // links whose object is a proposition
};

}  // namespace anima::sparql
