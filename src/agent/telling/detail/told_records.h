// What was told, as records of provenance and earlier states keep it. Thread-safety: pure.
// Complexity: O(statements of the thing); of a time, that of going back to the state of its entry.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "agent/telling/detail/told_times.h"
#include "memory/provenance.h"
#include "store/snapshot.h"

namespace anima::agent::detail {

// What of a record of provenance is still there; nothing of it: it is gone, or was told again
// since.
struct ToldByRecord {
  // What it says of when links hold. Beside it what this comes to, as follows.
  std::vector<ToldTime> times = {};
  // It stands on this record's word.
  std::optional<store::Triple> stated = {};
  // It ended, and nothing was told with that: a link that is closed by it, or a value that went
  // then and is not there again.
  std::optional<store::Triple> ended = {};
  // It was told again since, but this time of it on this record's word alone.
  std::optional<store::Triple> link = {};
  std::optional<Timestamp> begin = {};  // from when on a link was told to hold
  std::optional<store::Triple> fact() const { return stated ? stated : ended ? ended : link; }
};
// `all`: the records of what was told.
ToldByRecord told_by_record(const store::Snapshot& now, const memory::ProvenanceRecord& record,
                            std::span<const memory::ProvenanceRecord* const> all);

// The begins of a link, in order; nullopt: nobody says when.
std::vector<std::optional<Timestamp>> begins_of(const store::Snapshot& now,
                                                const store::Triple& link);
// From when on the entry told the link to hold; nullopt: it told no time, or that state is not
// kept.
std::optional<Timestamp> told_begin(const store::Snapshot& now, const store::Triple& link,
                                    store::Sequence entry);

}  // namespace anima::agent::detail
