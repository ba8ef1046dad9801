// What a change of the facts would do to what the rules derive. Rules that read nothing of what
// changed are not run at all; else the difference is carried through a reasoner that has run them,
// or, where that cannot tell (Reasoner::suppose), they are run on both states and the derived facts
// compared. Complexity: O(what changes); of the comparison that of two Reasoners.
// Thread-safety: functions over snapshots.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory/compartments/compartments.h"
#include "memory/compartments/reasoner.h"
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

// Whether a rule reads one of these relations, given by their labels. Errors: those of the rules.
Result<bool> rules_read(const std::vector<RuleSource>& rules,
                        const std::vector<std::string>& changed);
// Links that a branch of the reasoner's snapshot has beside. Errors: those of the rules.
Result<RuleEffects> rule_effects(const Reasoner& now, const store::Snapshot& before,
                                 const store::Snapshot& branch,
                                 std::span<const store::Triple> links,
                                 const std::vector<RuleSource>& rules,
                                 std::shared_ptr<Clock> clock = {});
// Two states, compared. Errors: those of the rules.
Result<RuleEffects> rule_effects(const store::Snapshot& before, const store::Snapshot& after,
                                 const std::vector<RuleSource>& rules,
                                 std::shared_ptr<Clock> clock = {});

}  // namespace anima::memory
