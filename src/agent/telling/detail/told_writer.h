// How what was told is written: a fact stated, ended, or taken back, in one transaction.
// Thread-safety: that of the transaction. Errors: those of the space.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ask/ask.h"
#include "store/transaction.h"

namespace anima::agent::detail {

// As whom, how sure, into which graph, and with which provenance.
struct ToldPlace {
  store::AssertOptions told;  // in the graph of what was told
  store::Trust trust = store::Trust::kUntrusted;
  std::string author;
  Timestamp now;
  const store::Snapshot& before;  // the state that the transaction begins with
  // What was told with a memory that is withdrawn never holds again.
  std::set<std::uint64_t> withdrawn = {};  // ids of provenance
};

// Why somebody who is trusted so far cannot end it; empty when he can. `told`: the graph of what
// was told, where there is one.
std::string held_back(const store::Snapshot& now, const store::Triple& fact, store::Trust trust,
                      std::optional<store::GraphId> told);

// Gives the link's proposition; kNone for a value. A link that has ended holds again, and keeps the
// time that it held before.
Result<store::EntityId> state_fact(store::Transaction& transaction, const ask::Statement& said,
                                   const ToldPlace& place);

// Requires that nothing holds it back. `newer`: the link that takes its place.
Status end_fact(store::Transaction& transaction, const store::Triple& fact,
                std::optional<store::EntityId> newer, const ToldPlace& place);

// Under a relation that has room for one: the other links of the subject that hold then, and that
// the author told, or somebody who is trusted less. This one takes their place; what is held back,
// or told by somebody who is trusted as far, contradicts it.
std::vector<store::Triple> replaced_by(const store::Snapshot& now, const store::Triple& link,
                                       const ToldPlace& place, Timestamp time);

// Ends what a new object of a functional predicate takes the place of.
Status supersede(store::Transaction& transaction, const ask::Statement& said, store::EntityId newer,
                 const ToldPlace& place);

// Of a link that is told only now and held from `since` on, under a relation that has room for one:
// where another one of the subject is known since, that one stands, and this ended when it began.
// False: none is.
Result<bool> end_by_later(store::Transaction& transaction, const store::Triple& link,
                          store::EntityId proposition, Timestamp since, const ToldPlace& place);
// Says from when on it held; then, where the relation has room for one, as end_by_later().
Result<bool> hold_since(store::Transaction& transaction, const ask::Statement& said,
                        store::EntityId proposition, Timestamp since, const ToldPlace& place);

// What ended by this entry holds again.
Status take_back_end(store::Transaction& transaction, const store::Triple& fact,
                     store::Sequence entry, const ToldPlace& place);

// What the author told last of it goes, and what it had taken the place of holds again. What else
// says it stays, or ends where he denies it.
Status take_back(store::Transaction& transaction, const store::Triple& fact, bool denied,
                 const ToldPlace& place);

// The objects that held under the link's predicate and that hold no longer, as text with commas
// between.
std::string ended_beside(const store::Snapshot& before, const store::Snapshot& after,
                         const store::Triple& link, Timestamp now);

// The statement about the thing that has this provenance.
std::optional<store::Triple> told_with(const store::Snapshot& now, store::EntityId thing,
                                       std::uint64_t provenance);

// The link of the thing that an end closes which was written with this provenance.
std::optional<store::Triple> ended_with(const store::Snapshot& now, store::EntityId thing,
                                        std::uint64_t provenance);

// What holds there, as text with commas between.
std::string held_values(const store::Snapshot& now, store::EntityId subject,
                        store::Predicate predicate);

}  // namespace anima::agent::detail
