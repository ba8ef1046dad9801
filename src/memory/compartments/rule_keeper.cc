#include "memory/compartments/rule_keeper.h"

#include <atomic>

namespace anima::memory {

// The time of the call; durations are real ones.
class RuleKeeper::CallClock final : public Clock {
 public:
  Timestamp now() override { return {microseconds_.load()}; }
  std::int64_t monotonic_nanoseconds() override { return system_.monotonic_nanoseconds(); }
  // True when it was another time before.
  bool set(Timestamp time) {
    return microseconds_.exchange(time.microseconds) != time.microseconds;
  }

 private:
  SystemClock system_;
  std::atomic<std::int64_t> microseconds_{0};
};

RuleKeeper::RuleKeeper(store::Space& space, const CompartmentManager& compartments)
    : space_(space), compartments_(compartments), clock_(std::make_shared<CallClock>()) {}
RuleKeeper::~RuleKeeper() = default;

Result<const Reasoner*> RuleKeeper::at(const store::Snapshot& snapshot, Timestamp now) {
  std::vector<RuleSource> rules = compartments_.rules();
  const bool other_time = clock_->set(now);
  if (rules.empty()) return fail(ErrorCode::kNotFound, "no loaded compartment has rules");
  const bool stays =
      reasoner_ != nullptr && rules == rules_ && !(other_time && reasoner_->reads_clock());
  if (stays) {
    ANIMA_TRY(reasoner_->refresh(space_, snapshot));
    return reasoner_.get();
  }
  reasoner_.reset();
  ANIMA_ASSIGN(reasoner_, Reasoner::create(snapshot, rules, clock_));
  rules_ = std::move(rules);
  return reasoner_.get();
}

Result<RuleEffects> RuleKeeper::effects(const store::Snapshot& snapshot, Timestamp now,
                                        const store::Snapshot& branch,
                                        std::span<const store::Triple> links,
                                        const std::vector<std::string>& changed) {
  ANIMA_ASSIGN(const bool read, rules_read(compartments_.rules(), changed));
  if (!read) return RuleEffects{};
  ANIMA_ASSIGN(const Reasoner* reasoner, at(snapshot, now));
  return rule_effects(*reasoner, snapshot, branch, links, rules_, clock_);
}

}  // namespace anima::memory
