// What each text said of when a link holds, kept by itself: one record for each thing that it said,
// in the metadata of the link under a key of its own (`told_times_` and the number of the record of
// provenance), in the graph of what is told and on the word of who
// told it. When a link holds is laid out from these alone (timeline.h), so that a record that goes
// leaves what would be there without it. An end stays as a record where no begin of the link is
// told any more: it says nothing then. Thread-safety: pure, but for writes, which are the
// transaction's. Errors: those of the space.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/transaction.h"

namespace anima::agent::detail {

inline constexpr std::string_view kToldTimes = "told_times_";

// By which entry something was said, and how sure.
struct ToldWord {
  std::uint64_t provenance = 0;
  double confidence = 1.0;
  store::Sequence entry = store::Sequence::kNone;
};

struct ToldTime {
  store::Triple link;
  bool ends = false;  // it ended; else it began, or holds
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
  // Of a record that is kept.
  ToldWord word = {};
  store::Trust trust = store::Trust::kHostile;
  store::Term value = {};
};

// Of one link, also of one that nobody states any more; in the order in which they were told.
std::vector<ToldTime> told_times(const store::Snapshot& now, const store::Triple& link);
// Those of one record of provenance. O(those).
std::vector<ToldTime> told_times_with(const store::Snapshot& now, std::uint64_t provenance);
bool was_told_before(const ToldTime& a, const ToldTime& b);  // a strict order

// Keeps it as the word of its entry: the link must be known. `graph`: that of what is told.
Status keep_told_time(store::Transaction& transaction, ToldTime& time, store::GraphId graph);
Status drop_told_time(store::Transaction& transaction, const ToldTime& time, store::GraphId graph);

}  // namespace anima::agent::detail
