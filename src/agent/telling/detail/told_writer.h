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

// Gives the link's proposition; kNone for a value. When a link holds is not said by it.
Result<store::EntityId> state_fact(store::Transaction& transaction, const ask::Statement& said,
                                   const ToldPlace& place);

// Requires that nothing holds it back. `newer`: the link that takes its place.
Status end_fact(store::Transaction& transaction, const store::Triple& fact,
                std::optional<store::EntityId> newer, const ToldPlace& place);

// What an earlier word of when the link began is, beside what is told now.
enum class EarlierBegin { kStands, kIsWrong, kIsAnother };
// From when on a link is told to hold.
struct Begin {
  Timestamp from;
  Timestamp told;      // when that was said
  bool dated = false;  // the time was told; else it only holds then
  EarlierBegin earlier = EarlierBegin::kStands;
  bool moves = false;  // it takes the place of what held, also where there is room for more
  // It takes the place of a text of that time: what was told since stands.
  std::optional<Timestamp> since = {};
};
// Gives a link that the transaction states its time among the others of its subject (timeline.h).
// A link that has ended holds again, and keeps the time that it held before. Gives what held until
// now and holds no longer.
Result<std::vector<store::Triple>> hold_from(store::Transaction& transaction,
                                             const store::Triple& link, const Begin& begin,
                                             const ToldPlace& place);

// What ended by this entry holds again.
Status take_back_end(store::Transaction& transaction, const store::Triple& fact,
                     store::Sequence entry, const ToldPlace& place);

// What the author told last of it goes, and what it had taken the place of holds again. What else
// says it stays, or ends where he denies it.
Status take_back(store::Transaction& transaction, const store::Triple& fact, bool denied,
                 const ToldPlace& place);

// One of several times of a link, which begins then, was never told.
Status take_back_time(store::Transaction& transaction, const store::Triple& link, Timestamp begin,
                      const ToldPlace& place);

// The objects that held under the link's predicate and that hold no longer, as text with commas
// between.
std::string ended_beside(const store::Snapshot& before, const store::Snapshot& after,
                         const store::Triple& link, Timestamp now);

// What holds there, as text with commas between.
std::string held_values(const store::Snapshot& now, store::EntityId subject,
                        store::Predicate predicate);

}  // namespace anima::agent::detail
