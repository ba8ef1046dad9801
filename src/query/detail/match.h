// Ordering and access paths of a group of patterns: which slot is bound by which step.
//
// Every start is tried; after it the cheapest connected item follows; the order with the fewest
// expected rows wins. A slot that several patterns can bind at once is bound by intersecting their
// sorted lists, so cyclic patterns cost no more than their largest possible answer (generic join).
// Counts of patterns with constants are exact.
#pragma once

#include <span>
#include <vector>

#include "query/detail/batch.h"

namespace anima::query::detail {

// Which slots are bound in every row, and which in some.
struct Bound {
  SlotSet certain, possible;
};

struct Accessor {
  enum class Kind : std::uint8_t { kObjects, kSubjects, kList };
  Kind kind = Kind::kList;
  Ref predicate, key;  // key: the subject of kObjects, the object of kSubjects
  std::uint16_t scope = 0;
  const Candidates* list = nullptr;
  std::span<const std::uint32_t> also;  // further predicates of a constant one
};

struct Step {
  enum class Kind : std::uint8_t {
    kScan,         // any pattern, whatever of it is bound
    kExtend,       // binds `slot` by intersecting accessors
    kCheck,        // everything bound: tests patterns and lists
    kProposition,  // statement bound: finds the link's entity
    kOpen,         // link's entity bound: its subject, predicate, object
    kGraph,        // statement bound: the graphs that assert it, one row each
  };
  Kind kind = Kind::kScan;
  Slot slot = 0;
  std::vector<Accessor> accessors;
  std::vector<const StatementPattern*> patterns;
  std::vector<const Candidates*> lists;
  double estimate = 0;  // rows after the step, for one row before the first
};

// `used` are slots that somebody else reads: a link's entity that nobody reads is not looked up.
// Spends from the run; not a whole plan when its budget is used up (run.failed()). O(items^2).
std::vector<Step> plan_match(const Node& node, Run& run, Statistics& statistics,
                             const Bound& before, const SlotSet& used);

void collect_slots(const StatementPattern& pattern, SlotSet* slots);

}  // namespace anima::query::detail
