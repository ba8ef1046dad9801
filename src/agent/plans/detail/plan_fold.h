// The plans of a log as the fold of its records. The rules are here, not at the writers: whoever
// wrote what, an event behind the end of its plan counts for nothing. On disk: docs/formats.md,
// kind 27. Thread-safety: functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/plans/kept_plan.h"
#include "govern/ledger/ledger.h"

namespace anima::agent::detail {

// The events of a plan in order, the first with its sealed part.
struct FoldedPlan {
  std::string id;
  Json begun;
  std::vector<Json> events = {};
  Timestamp first, last;  // of the log
  bool over = false;
};

void apply_plan_event(const govern::LedgerEntry& entry, std::vector<FoldedPlan>& plans);
const FoldedPlan* known_plan(const std::vector<FoldedPlan>& plans, std::string_view id);
// The newest event of a step: null when there is none.
const Json* last_event(const FoldedPlan& plan, std::string_view step);
// With what is sealed. It is kReady, or kOver where the log says so or its key is gone. Errors:
// kCorrupt.
Result<KeptPlan> opened_plan(const FoldedPlan& folded, store::Space& space);

}  // namespace anima::agent::detail
