// What each text said of when something holds, kept by itself: one record for each thing that it
// said, on the word of who told it, under a key of its own (`told_times_` and the number of the
// record of provenance). When a fact holds is laid out from these alone (timeline.h,
// value_timeline.h), so that a record that goes leaves what would be there without it. An end stays
// as a record where no begin of it is told any more: it says nothing then.
//
// The record of a link lies in the link's metadata, in the graph of what is told. That of a value
// lies in the metadata of the thing that has it, in the book kToldBook, for a value that was
// replaced is no knowledge: the value itself is there under `told_value_` and the same name, so
// that who forgets it finds it. What stood there before anybody told of it, and was replaced by
// what was told, is kept in the same way, on the word of who stated it.
//
// What somebody withdrew otherwise, as KIP's DELETE does, is kept as a record, too
// (`told_times_d` and its entry): of what was told or stood before that entry, on no higher trust,
// nothing counts. So what is undone or brought back before it stays withdrawn, and what is told
// behind it does not.
//
// What was told with a memory that is forgotten is marked so (`told_gone_` and the number), in the
// book: no record of it counts, also where an undo brings one back. Undoing the forgetting takes
// the mark away.
//
// Thread-safety: pure, but for writes, which are the transaction's. Errors: those of the space.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "memory/told_texts.h"
#include "store/transaction.h"

namespace anima::agent::detail {

using memory::kToldTimes;
using memory::kToldValue;
inline constexpr std::string_view kToldBook = "urn:anima:told";

// By which entry something was said, and how sure.
struct ToldWord {
  std::uint64_t provenance = 0;
  double confidence = 1.0;
  store::Sequence entry = store::Sequence::kNone;
};

struct ToldTime {
  store::Triple fact;  // a link, or a value of an attribute
  bool ends = false;   // it ended; else it began, or holds
  // When; without one it is only known that it holds, or holds no longer, when that is told.
  std::optional<Timestamp> at = {};
  Timestamp told = {};        // when that was said
  bool named = false;         // the words name the time
  bool said_earlier = false;  // and not when the entry was written
  bool moves = false;         // it takes the place of what held, also where there is room for more
  // It holds now: where something else began since `at`, or it ended since, from `told` on.
  bool from_now = false;
  bool corrects = false;   // an earlier word of when it began is wrong
  std::string newer = {};  // of an end: what took its place, as `superseded_by` names it
  // Nothing that was said of it before counts: of a link, or of all values of an attribute, which
  // then has no object.
  bool withdraws = false;
  // Of a value that nobody told: it stood in this graph, and something that was told replaced it.
  bool stood = false;
  store::GraphId graph = store::GraphId::kDefault;
  // Of a record that is kept.
  std::string author = {};
  ToldWord word = {};
  store::Trust trust = store::Trust::kHostile;
  store::Term value = {};
};

// Of one link, also of one that nobody states any more; in the order in which they were told. What
// counts no more, for somebody withdrew it since, is left out, here and below.
std::vector<ToldTime> told_times(const store::Snapshot& now, const store::Triple& link);
// Of the values of an attribute of a thing. O(what is told of the thing).
std::vector<ToldTime> told_values(const store::Snapshot& now, store::EntityId thing,
                                  store::Predicate attribute);
std::vector<ToldTime> told_values_of(const store::Snapshot& now, store::EntityId thing);
// Of a link, or of this value of an attribute.
std::vector<ToldTime> told_times_of(const store::Snapshot& now, const store::Triple& fact);
// It does not hold, and did by the word of somebody: a link that has ended, a value that was told
// or stood. An end of it that is told is kept, for what ended it may be taken back.
bool held_before(const store::Snapshot& now, const store::Triple& fact);
// The attributes whose values the thing has records of under this key.
std::vector<store::Predicate> attributes_of_record(const store::Snapshot& now,
                                                   store::EntityId thing, store::Predicate key);
// Those of which some text ever told a value. O(versions of what is said of the thing).
std::vector<store::Predicate> attributes_ever_told(const store::Snapshot& now,
                                                   store::EntityId thing);
// Those of one record of provenance, which is about the thing. O(those, and what is told of it).
std::vector<ToldTime> told_times_with(const store::Snapshot& now, std::uint64_t provenance,
                                      store::EntityId thing);
bool was_told_before(const ToldTime& a, const ToldTime& b);  // a strict order

// Some text told of it once, also where no record is left of that. O(versions of its records).
bool was_told_of(const store::Snapshot& now, const store::Triple& fact);

// In which entries somebody told that it holds, of a link or of any value of a thing, also where no
// record of that is left. O(versions of its records).
std::vector<store::Sequence> entries_that_told(const store::Snapshot& now, store::EntityId kept_by);
// The subjects of what was told and is withdrawn or forgotten since. O(those).
std::vector<store::EntityId> subjects_of_withdrawn(const store::Snapshot& now);

// The key of what somebody withdrew, or forgot.
bool is_withdrawal(std::string_view key);
// There was a record of what was told with it, which an undo may bring back.
bool may_return(const store::Snapshot& now, std::uint64_t provenance);
// Marks what was told with that record of provenance, about the thing, as forgotten.
Status mark_forgotten(store::Transaction& transaction, store::EntityId thing,
                      std::uint64_t provenance);
// Somebody told it in the graph of what is told by a word of which no record is left: what an undo
// brought back, and does not count. `left`: the records of it.
bool is_unfounded(const store::Snapshot& now, const store::Assertion& word,
                  std::span<const ToldTime> left);
// Keeps it as the word of its entry: a link must be known. `graph`: that of what is told.
Status keep_told_time(store::Transaction& transaction, ToldTime& time, store::GraphId graph);
Status drop_told_time(store::Transaction& transaction, const ToldTime& time, store::GraphId graph);

}  // namespace anima::agent::detail
