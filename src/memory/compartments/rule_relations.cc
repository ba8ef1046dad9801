#include "memory/compartments/rule_relations.h"

#include <algorithm>
#include <utility>

#include "datalog/space_facts.h"

namespace anima::memory {

RuleRelations::RuleRelations(store::Space& space, FileSystem& files, std::shared_ptr<Clock> clock)
    : space_(space), clock_(std::move(clock)), compartments_(space, files, "") {}
RuleRelations::~RuleRelations() = default;

Status RuleRelations::take_rules() {
  ANIMA_ASSIGN(const store::Snapshot now, space_.snapshot());
  if (rules_at_ == now.sequence()) return {};
  ANIMA_TRY(compartments_.refresh());
  rules_at_ = now.sequence();
  std::vector<RuleSource> rules = compartments_.rules();
  if (rules == rules_) return {};
  rules_ = std::move(rules);
  names_ = derived_relations(rules_);
  reasoner_.reset();
  found_.clear();
  return {};
}

// Rules that ask for the time say what is true now, whether the space has changed or not.
Status RuleRelations::go_to(const store::Snapshot& snapshot) {
  const bool stays = reasoner_ != nullptr && !reasoner_->reads_clock();
  if (stays && snapshot.sequence() == at_) return {};
  found_.clear();
  if (stays) {
    ANIMA_TRY(reasoner_->refresh(space_, snapshot.knowledge()));
  } else {
    reasoner_.reset();
    ANIMA_ASSIGN(reasoner_, Reasoner::create(snapshot.knowledge(), rules_, clock_));
  }
  at_ = snapshot.sequence();
  return {};
}

Result<std::shared_ptr<const query::DerivedRelation>> RuleRelations::find(
    const store::Snapshot& snapshot, std::string_view predicate) {
  const MutexLock lock(mutex_);
  ANIMA_TRY(take_rules());
  const std::string name = datalog::predicate_name(predicate);
  if (!std::ranges::binary_search(names_, name)) {
    return std::shared_ptr<const query::DerivedRelation>();
  }
  ANIMA_TRY(go_to(snapshot));
  auto& kept = found_[std::string(predicate)];
  if (kept == nullptr) {
    ANIMA_ASSIGN(query::DerivedRelation relation, reasoner_->relation(predicate));
    kept = std::make_shared<const query::DerivedRelation>(std::move(relation));
  }
  return kept;
}

std::vector<std::string> RuleRelations::names() {
  const MutexLock lock(mutex_);
  return take_rules() ? names_ : std::vector<std::string>();
}

}  // namespace anima::memory
