// The rules of the loaded compartments, run once and kept current from call to call.
//
// Each call names the snapshot and the time that it is about, and is answered from that state and
// no other, so that what was asked then can be asked again. The rules follow the log up to the
// snapshot; they are run anew when another set of rules is loaded, and, where they ask for the
// time, when the time is another one.
// Errors: kNotFound (no loaded compartment has rules); those of the rules. Complexity: O(what
// changed since the last call). Thread-safety: one thread. Ownership: space and manager outlive it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory/compartments/reasoner.h"
#include "memory/compartments/rule_effects.h"

namespace anima::memory {

class RuleKeeper {
 public:
  RuleKeeper(store::Space& space, const CompartmentManager& compartments);
  ~RuleKeeper();
  RuleKeeper(const RuleKeeper&) = delete;
  RuleKeeper& operator=(const RuleKeeper&) = delete;

  // The reasoner at this state; good until the next call.
  Result<const Reasoner*> at(const store::Snapshot& snapshot, Timestamp now);
  // What it would do to the rules if a branch of the snapshot held, which has these links beside;
  // `changed` are labels of their relations. Nothing without rules.
  Result<RuleEffects> effects(const store::Snapshot& snapshot, Timestamp now,
                              const store::Snapshot& branch, std::span<const store::Triple> links,
                              const std::vector<std::string>& changed);

 private:
  class CallClock;

  store::Space& space_;
  const CompartmentManager& compartments_;
  std::shared_ptr<CallClock> clock_;
  std::vector<RuleSource> rules_;  // that the reasoner has run
  std::unique_ptr<Reasoner> reasoner_;
};

}  // namespace anima::memory
