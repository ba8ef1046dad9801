// Which of several statements holds: the one rule for whoever answers.
//
// A statement has three times. *Asserted* is when its word entered the log: the entry that
// Assertion::born names, which maintenance keeps when it writes the statement again (restate.h).
// *Observed* is when its source saw it (`observed_at` in the metadata of a link), and never later
// than asserted unless the source is at least verified. *Valid* is from `valid_from` until before
// `valid_to`; what held, ended and holds again keeps its earlier times in `held_before`. What
// metadata says of these counts only from somebody who is trusted as far as
// whoever states the link.
//
// Where there is room for one value only, the most trusted holds; of equal trust the one that was
// observed last, then the one that was asserted last. What is trusted less never takes the place of
// what is trusted more: it contradicts it.
// Thread-safety: pure. Complexity: O(the assertions of the statements that are compared).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/snapshot.h"

namespace anima::store {

// Who writes maintenance and what every space begins with.
inline constexpr std::string_view kSystemAuthor = "$system";
// Of what a what-if tries: nobody's word, so it is held back by none.
inline constexpr std::string_view kBranchAuthor = "$branch";

// The metadata of a link that says when it holds, and what took its place.
inline constexpr std::string_view kHeldBefore = "held_before";
inline constexpr std::string_view kTimesOfAStatement[] = {"observed_at", "valid_from", "valid_to",
                                                          "superseded_by", kHeldBefore};

// From `from` on until before `to`; what is missing bounds nothing.
struct Period {
  std::optional<Timestamp> from, to;
  bool operator==(const Period&) const = default;
};
// As `held_before` has it: "2010-01-01T00:00:00Z/2015-01-01T00:00:00Z", ".." for what is missing.
std::string to_string(const Period& period);
std::optional<Period> parse_period(std::string_view text);
// One of them, or a list. Nothing where one of it is none.
std::optional<std::vector<Period>> read_periods(const ValueView& value);
bool is_valid(const Period& period, Timestamp from, Timestamp until);
bool overlap(const Period& a, const Period& b);

// On whose word a statement stands, and from when.
struct Standing {
  Trust trust = Trust::kHostile;
  Timestamp observed;
  Sequence asserted = Sequence::kNone;
  std::optional<Timestamp> valid_from, valid_to;
  std::vector<Period> before;  // earlier times, in order
};

// That of its best assertion in the snapshot's scope; that of nobody when it has none.
Standing standing_of(const Snapshot& snapshot, const Triple& statement);
bool outranks(const Standing& a, const Standing& b);  // a strict order
// At some moment from `from` on until before `until`; where these are one, at that moment.
bool is_valid(const Standing& standing, Timestamp from, Timestamp until);
// Under a relation with room for one: of two that say only when they ended, the one that ended
// first made place for the other, if its word is worth as much.
bool makes_place(const Standing& earlier, const Standing& later);
// Both are valid at some moment.
bool overlap(const Standing& a, const Standing& b);

// The times of a link: the earlier ones in order, and last the one of `valid_from` and `valid_to`,
// also where these bound nothing.
std::vector<Period> periods_of(const Snapshot& snapshot, EntityId link);

// Whether any link says when it holds. O(log n).
bool has_times(const Snapshot& snapshot);

// What the link's metadata says under the key, on the word of somebody who is trusted as far as
// whoever states the link.
std::optional<Term> said_of_link(const Snapshot& snapshot, EntityId link, std::string_view key);

// What of the snapshot is stated by somebody who is trusted at least so far. A concept is there on
// the word of whoever says anything about it, and definitions of types and predicates on anybody's:
// they state nothing. O(1); what is read costs a look at who states it, in each row.
Snapshot trusted_view(const Snapshot& snapshot, Trust floor);

// How far those are trusted who say that the thing exists, the most of them.
Trust trust_of_thing(const Snapshot& snapshot, EntityId thing);
// Of several things that a name may mean: who is trusted less must not say what a name means.
// O(things).
void keep_most_trusted(const Snapshot& snapshot, std::vector<EntityId>& things);
// Whether that is all of it; when everything below was retracted, perhaps false. O(entries).
bool all_trusted(const Snapshot& snapshot, Trust floor);
// Whether somebody states it whom the snapshot's scope counts. A definition may be there without.
bool is_in_scope(const Snapshot& snapshot, const Triple& statement);

// Whether a value of an attribute of a predicate's definition counts: it does on the word of
// somebody who is trusted as far as whoever defines it.
bool defines(const Snapshot& snapshot, EntityId definition, Predicate attribute, Term value);
// The predicate's definition says that a subject has one object at most (`functional: true`). A
// definition counts in a view of what is trusted, too, so that one rule holds in each view.
bool is_functional(const Snapshot& snapshot, Predicate predicate);
// Of the objects that a subject has under a functional predicate those that hold at some moment
// from `from` on until before `until`, sorted. Each moment has one: the most trusted of what is
// valid then; of equal trust what says when it began, or was seen by then, before what does not;
// then what was observed last. What nothing tells apart, as two of one entry, holds together:
// nobody knows which. What took the place of another, or ended after it, began when that ended.
std::vector<Term> holders(const Snapshot& snapshot, EntityId subject, Predicate functional,
                          Timestamp from, Timestamp until);
// At one moment.
std::vector<Term> holders_at(const Snapshot& snapshot, EntityId subject, Predicate functional,
                             Timestamp at);

// Of the values that somebody gives an attribute or metadata key, those of one graph on one level
// of trust that hold: of the most trusted; of several graphs on that level of the one that is most
// certain (of the link, where the values are about one), then of the lower one. Their order stays.
std::vector<std::uint32_t> holding_values(const Snapshot& snapshot, EntityId subject,
                                          Predicate predicate,
                                          std::span<const std::uint32_t> codes);

// Whether somebody who is trusted more states a value of the attribute in this graph.
bool is_outranked(const Snapshot& snapshot, EntityId subject, Predicate attribute, GraphId graph,
                  Trust trust);

// Whether somebody who is trusted more than `trust` asserts the statement, in this graph or,
// without one, in any: then it is not for the less trusted to withdraw. What Anima itself noted in
// a caller's act counts not; what a space begins with is the operator's. O(its assertions).
bool is_stated_by_higher(const Snapshot& snapshot, const Triple& statement,
                         std::optional<GraphId> graph, Trust trust);

}  // namespace anima::store
