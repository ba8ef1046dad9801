// The rows that a base is made of: what lives at a snapshot, and what no longer does.
//
// Both merge the old base of the snapshot with the layers above it. Reads the snapshot only.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "store/checkpoint/base_builder.h"
#include "store/state/state.h"

namespace anima::store::detail {

// Codes of subject, predicate and object; the proposition's entity or 0; the code of the contexts
// that assert it; the entries between which it lived.
struct BaseRow {
  SubjectCode s;
  PredicateCode p;
  ObjectCode o;
  std::uint32_t proposition, set, born;
};
struct RetiredRow {
  SubjectCode s;
  PredicateCode p;
  ObjectCode o;
  std::uint32_t proposition, set, born, died;
  auto key() const { return std::tie(s, p, o, born, died, proposition); }
  bool operator<(const RetiredRow& other) const { return key() < other.key(); }
};

// Live statements in SPO order, with those of options.bulk. O(rows), plus sorting what is newer.
std::vector<BaseRow> live_rows(const SnapshotState& state, const BuildOptions& options);

// Statements that are no more, in the order of RetiredRow, each once; also propositions that were
// named without ever being asserted. O(rows).
std::vector<RetiredRow> retired_rows(const SnapshotState& state);

}  // namespace anima::store::detail
