// Triples put into and taken out of the graphs of a transaction, by the rules of rdf_mapping.h.
//
// What is inserted is said anew only where it was not said: a triple that is there keeps its author
// and its confidence. What is deleted is exactly the statement that the triple is: a link, a value
// of an attribute or of metadata, the existence of a concept. A thing of type Entity, or a
// predicate named by an IRI, that nothing in the graph mentions any more stops existing there: only
// mentions had made it. Triples that are not said by a statement of their own (the parts of
// propositions) cannot be taken out. Thread-safety: belongs to the transaction's thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "query/values.h"
#include "sparql/ntriples.h"
#include "sparql/plan/vocabulary.h"
#include "store/transaction.h"

namespace anima::sparql::update {

struct OwnTerm {
  RdfKind kind = RdfKind::kIri;
  std::string text, extra;

  OwnTerm() = default;
  explicit OwnTerm(const RdfTerm& term) : kind(term.kind), text(term.text), extra(term.extra) {}
  RdfTerm view() const { return {kind, text, extra}; }
};

struct OwnQuad {
  OwnTerm subject, predicate, object;
  std::string graph;  // its name in the store; empty: the default graph

  RdfTriple triple() const { return {subject.view(), predicate.view(), object.view()}; }
};

class Changes {
 public:
  explicit Changes(store::Transaction& transaction) : transaction_(transaction) {}

  // All of `quads`, in one state: the deletions first. Errors: kDenied (Anima's own books;
  // for deletions, what somebody who is trusted more states).
  Status remove(const std::vector<OwnQuad>& quads);
  Status insert(const std::vector<OwnQuad>& quads);
  // Everything that the graph says.
  Status clear(store::GraphId graph);
  // What one graph says is said in the other one, too.
  Status copy(store::GraphId from, store::GraphId to);

  std::uint64_t inserted() const { return inserted_; }
  std::uint64_t deleted() const { return deleted_; }

 private:
  struct Found {
    store::Triple statement;
    store::GraphId graph = store::GraphId::kDefault;
  };
  class Finder;

  Status may_retract(const store::Triple& statement, store::GraphId graph) const;
  Status retract(const std::vector<Found>& found);
  Status forget(store::GraphId graph, const std::vector<store::EntityId>& things);
  Status copy_statements(const store::Snapshot& from, store::PredicateClass one,
                         store::GraphId from_graph, store::GraphId to);
  Status copy_existence(const store::Snapshot& from, store::GraphId to);
  Status exist_in(const store::Snapshot& from, store::EntityId thing, store::GraphId to);

  store::Transaction& transaction_;
  plan::LiteralSurvey literals_;
  std::unordered_set<std::uint32_t> copied_things_;
  std::uint64_t inserted_ = 0, deleted_ = 0;
};

// Errors: kDenied where the graph belongs to Anima's own books.
Status check_writable(std::string_view graph);

}  // namespace anima::sparql::update
