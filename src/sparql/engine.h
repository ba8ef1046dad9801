// SPARQL 1.1 over a space: queries of a snapshot, updates as entries of its log.
//
// An Engine parses, plans and runs. Texts that were parsed before are not parsed again. A query
// reads one snapshot and never changes anything; an update is one transaction: all of its
// operations or none. Which triples a space has is said in rdf_mapping.h: exactly those that its
// N-Quads export has. IRIs and blank nodes are compared as terms, wherever they stand.
// Thread-safety: every function of an Engine from any thread; a QueryAnswer may be read from one
// thread at a time. Errors: kSyntax ("line:column"), kUnsupported (SERVICE), kInvalidArgument,
// kLimitExceeded, kTimeout, kCancelled (the budget), and those of the store.
// Source: SPARQL 1.1 Query Language and SPARQL 1.1 Update (W3C Recommendations of 2013).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "query/derived.h"
#include "query/meter.h"
#include "query/values.h"
#include "sparql/ntriples.h"
#include "store/log.h"
#include "store/snapshot.h"
#include "store/space.h"

namespace anima::sparql {

// Of FROM, USING or the protocol. When it is given it replaces what the text says.
struct DatasetClause {
  bool given = false;
  std::vector<std::string> default_graphs, named_graphs;  // IRIs
};

struct QueryOptions {
  std::string base_iri;
  DatasetClause dataset;
  // What the default graph is when nothing chooses one: the store's with the graphs of all loaded
  // compartments (true), or the store's alone.
  bool union_default = true;
  // A scoped query: the graph of this compartment is the default graph and the only one. A text
  // that has FROM of its own is then refused (kInvalidArgument).
  std::optional<std::string> compartment;
  query::Budget budget;
  bool explain = false;  // plans only; explanation() of the answer says how it would run
  bool analyze = false;  // runs, and explanation() says what each step did
};

enum class QueryForm : std::uint8_t { kSelect, kAsk, kConstruct, kDescribe };

// Where the texts of a triple's terms are put that have to be made.
struct TripleScratch {
  std::string subject, predicate, object;
};

// What a query answers; keeps its snapshot alive.
class QueryAnswer {
 public:
  using TripleCodes = std::array<std::uint32_t, 3>;

  QueryForm form() const { return form_; }
  bool boolean() const { return boolean_; }                                 // of ASK
  const std::vector<std::string>& variables() const { return variables_; }  // of SELECT, no "?"
  std::size_t rows() const { return rows_; }
  // False where the variable is unbound. The term's texts live as long as the answer and the
  // scratch, whichever ends first.
  bool cell(std::size_t row, std::size_t column, RdfTerm* term, std::string& scratch) const;
  std::size_t triples() const { return triples_.size(); }  // of CONSTRUCT and DESCRIBE, each once
  RdfTriple triple(std::size_t number, TripleScratch& scratch) const;
  const std::string& explanation() const { return explanation_; }

 private:
  friend class QueryRun;
  QueryForm form_ = QueryForm::kSelect;
  bool boolean_ = false;
  std::vector<std::string> variables_;
  std::size_t rows_ = 0;
  std::vector<std::vector<std::uint32_t>> columns_;  // one a variable; codes of values_
  std::vector<TripleCodes> triples_;
  std::shared_ptr<query::Values> values_;
  std::string explanation_;
};

struct UpdateOptions {
  store::Origin origin;
  std::string base_iri;
  DatasetClause
      dataset;  // using-graph-uri of the protocol: an update with USING or WITH is refused
  bool union_default = true;  // for WHERE; what is inserted goes into the store's default graph
  std::string load_root;      // folder below which LOAD may read; empty: LOAD is refused
  query::Budget budget;
};

struct UpdateReport {
  std::uint64_t operations = 0;
  std::uint64_t inserted = 0, deleted = 0;  // triples that were not there, or were, in their graph
  std::vector<store::Sequence> entries;     // of the log: one, or none where nothing changed
};

struct EngineOptions {
  std::size_t cached_texts = 1024;
  std::shared_ptr<Clock> clock;    // default: the system's
  std::shared_ptr<Random> random;  // default: the system's; called under a lock
  // What rules derive: triples of the default graph beside those that are stated, for queries that
  // choose no graphs (`union_default`) and name their predicate, also within a path. They are in no
  // named graph, and updates do not see them. Null: none.
  std::shared_ptr<query::DerivedRelations> derived = {};
};

class Engine {
 public:
  virtual ~Engine() = default;
  static Result<std::shared_ptr<Engine>> open(std::shared_ptr<store::Space> space,
                                              EngineOptions options = {});

  // Of the newest state, or of any snapshot of the space (as of an earlier entry, a branch).
  virtual Result<QueryAnswer> query(std::string_view text, const QueryOptions& options = {}) = 0;
  virtual Result<QueryAnswer> query(const store::Snapshot& snapshot, std::string_view text,
                                    const QueryOptions& options = {}) = 0;
  virtual Result<UpdateReport> update(std::string_view text, const UpdateOptions& options) = 0;
};

// Only parses.
Status check(std::string_view text, bool update, std::string_view base_iri = {});

}  // namespace anima::sparql
