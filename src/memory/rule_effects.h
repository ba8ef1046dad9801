// What a change of the facts would do to what the rules derive: the rules are run on both states
// and the derived facts compared. Rules that read nothing of what changed are not run at all.
// Complexity: that of two Reasoners, when a rule reads a changed relation; else O(rules).
// Thread-safety: a function over two snapshots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/compartments.h"
#include "store/snapshot.h"

namespace anima::memory {

struct RuleEffects {
  std::vector<std::string> gained, lost;  // facts as Datalog, sorted; the first kShownEffects
  std::uint64_t gained_total = 0, lost_total = 0;
  // There were too many derived facts to compare one by one: only the totals' difference is known.
  bool counted_only = false;
  bool none() const { return gained_total + lost_total == 0; }
};
inline constexpr std::size_t kShownEffects = 20;

// `changed` are labels of the relations whose facts differ. Errors: those of the rules.
Result<RuleEffects> rule_effects(const store::Snapshot& before, const store::Snapshot& after,
                                 const std::vector<RuleSource>& rules,
                                 const std::vector<std::string>& changed);

}  // namespace anima::memory
