// How what was told is written: a fact stated, ended, or taken back, in one transaction.
// Thread-safety: that of the transaction. Errors: those of the space.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/telling/detail/told_times.h"
#include "ask/ask.h"
#include "language/frames/frame_words.h"
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

// A relation that is made by use says whether it has room for one; one that only somebody made who
// is trusted less is made anew.
Result<store::EntityId> define_relation(store::Transaction& transaction,
                                        const language::FrameRelation& relation,
                                        const store::AssertOptions& told, store::Trust trust);

// When something was said.
struct SaidAt {
  Timestamp told;
  bool said_earlier = false;  // it takes the place of a text of that time
};
// Gives the link's proposition; kNone for a value. When a link holds is not said by it.
Result<store::EntityId> state_fact(store::Transaction& transaction, const ask::Statement& said,
                                   const SaidAt& said_at, const ToldPlace& place);

// How a fact ends.
struct EndOfFact {
  std::optional<Timestamp> at = {};           // as it was told; else only that it holds no longer
  Timestamp told;                             // when that was said
  bool said_earlier = false;                  // it takes the place of a text of that time
  std::optional<store::EntityId> newer = {};  // the link that takes its place
};
// Requires that nothing holds it back.
Status end_fact(store::Transaction& transaction, const store::Triple& fact, const EndOfFact& end,
                const ToldPlace& place);

// Gives a link that the transaction states its time among the others of its subject (timeline.h).
// A link that has ended holds again, and keeps the time that it held before. Gives what else held
// until `place.now` and holds no longer.
Result<std::vector<store::Triple>> hold_from(store::Transaction& transaction, const ToldTime& time,
                                             const ToldPlace& place);

// What a text said of when a link or a value holds was never told (told_times.h).
Status take_back_time(store::Transaction& transaction, const ToldTime& time,
                      const ToldPlace& place);

// What ended by this entry holds again.
Status take_back_end(store::Transaction& transaction, const store::Triple& fact,
                     store::Sequence entry, const ToldPlace& place);

// What the author told last of it goes, and what it had taken the place of holds again. What else
// says it stays, or ends where he denies it.
Status take_back(store::Transaction& transaction, const store::Triple& fact, bool denied,
                 const ToldPlace& place);

// The same of what was told before times were kept as records: one of several times of a link,
// which begins then.
Status take_back_time(store::Transaction& transaction, const store::Triple& link, Timestamp begin,
                      const ToldPlace& place);

// The objects that held under the link's predicate and that hold no longer, as text with commas
// between.
std::string ended_beside(const store::Snapshot& before, const store::Snapshot& after,
                         const store::Triple& link, Timestamp now);

// Of a fact that was told with this trust to hold: that somebody who is trusted more says
// otherwise. Empty: nobody does.
std::string held_back_words(const store::Snapshot& after, const store::Triple& fact,
                            store::Trust trust, Timestamp now);

// Of a value that was told in the place of an earlier text: that it does not stand, for something
// else was told since. Empty: it stands, or is a link.
std::string told_since_words(const store::Snapshot& after, const store::Triple& fact);

// What holds there, as text with commas between.
std::string held_values(const store::Snapshot& now, store::EntityId subject,
                        store::Predicate predicate);

}  // namespace anima::agent::detail
