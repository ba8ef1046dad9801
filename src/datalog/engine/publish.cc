// Getting ready for updates, and publishing what others may see.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "datalog/engine/database.h"

namespace anima::datalog {

// Plans of maintenance and the look-ups that they need.
Status Database::prepare() {
  if (prepared_) return {};
  prepared_ = true;
  const auto build = [&](const Plan& chosen) {
    for (const Op& op : chosen.ops) {
      for (const Access& access : op.access) {
        Relation& rows = relation(access.relation);
        if (access.full()) {
          rows.ensure_primary();
        } else {
          rows.parts(access.key_columns, rows.now(), seen());
        }
      }
    }
  };
  for (std::size_t id = 0; id < relations_.size(); ++id) {
    relation(static_cast<RelationId>(id)).ensure_primary();
  }
  for (std::uint32_t rule = 0; rule < network().rules.size(); ++rule) {
    const NetworkRule& r = network().rules[rule];
    const Component& component = network().components[network().relations[r.rule.head].component];
    if (component.lattice) continue;
    const bool grouping = r.kind == RuleKind::kGrouping;
    for (std::uint32_t d = 0; d < r.rule.body.size(); ++d) {
      if (r.rule.body[d].predicate == kNone) continue;
      PlanRequest request;
      request.goal = PlanGoal::kDelta;
      request.delta_literal = d;
      request.track = !grouping;
      build(*plan(rule, request));
    }
    PlanRequest request;
    request.goal = grouping ? PlanGoal::kGroup : PlanGoal::kCheck;
    request.guard = !grouping;
    build(*plan(rule, request));
    if (grouping) {
      std::vector<std::uint32_t> keys;
      for (std::uint32_t c = 0; c < r.rule.grouping->keys.size(); ++c) keys.push_back(c);
      Relation& groups = relation(r.rule.head);
      if (keys.size() < groups.columns()) groups.parts(keys, groups.now(), seen());
    } else if (component.recursive) {
      request.guard = false;
      request.track = true;
      build(*plan(rule, request));
    }
  }
  published_ = nullptr;
  return {};
}

void WantedIndexes::miss(RelationId relation, std::vector<std::uint32_t> columns) {
  const MutexLock lock(mutex_);
  Key key{relation, std::move(columns)};
  if (++misses_[key] != 2) return;
  ready_.push_back(std::move(key));
  any_.store(true, std::memory_order_relaxed);
}

std::vector<WantedIndexes::Key> WantedIndexes::take() {
  const MutexLock lock(mutex_);
  any_.store(false, std::memory_order_relaxed);
  return std::exchange(ready_, {});
}

void Database::build_index(RelationId id, std::span<const std::uint32_t> columns) {
  relation(id).parts(columns, now(id), seen());
  renewed_.push_back(id);
}

std::shared_ptr<const Published> Database::publish() {
  auto out = std::make_shared<Published>();
  out->epoch = epoch_;
  for (std::size_t i = 0; i < relations_.size(); ++i) {
    const bool same = published_ != nullptr && !changes_[i].touched &&
                      std::ranges::find(renewed_, i) == renewed_.end();
    out->relations.push_back(same ? published_->relations[i] : relations_[i]->publish(epoch_));
  }
  for (auto& [key, set] : asked_) out->asked[key] = set->publish(epoch_);
  out->foreign = foreign_;
  renewed_.clear();
  published_ = out;
  return out;
}

}  // namespace anima::datalog
