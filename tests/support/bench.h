// The bench of one call of a tool in a test: a snapshot to read, no episodes and no rules; what the
// tool proposes is kept.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/workbench.h"

namespace anima::test {

class Bench : public tools::Workbench {
 public:
  explicit Bench(store::Snapshot snapshot) : snapshot_(std::move(snapshot)) {}
  const store::Snapshot& snapshot() const override { return snapshot_; }
  store::Trust trust() const override { return store::Trust::kOperator; }
  Status propose(tools::Proposal proposal) override {
    proposals.push_back(std::move(proposal));
    return {};
  }
  std::vector<tools::RecalledEpisode> recall(std::span<const store::EntityId>,
                                             std::size_t) override {
    return {};
  }
  Result<tools::RuleAnswer> ask_rules(const std::string&) override {
    return fail(ErrorCode::kNotFound, "no rules");
  }

  std::vector<tools::Proposal> proposals;

 private:
  store::Snapshot snapshot_;
};

}  // namespace anima::test
