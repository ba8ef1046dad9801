// The bench of one action: a snapshot to read, proposals to collect, rules and episodes to ask.
// Thread-safety: one thread; lives for one cycle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory/compartments/rule_keeper.h"
#include "memory/contradiction.h"
#include "tools/workbench.h"

namespace anima::agent::detail {

class Bench final : public tools::Workbench {
 public:
  // Rules are asked as they are at `snapshot` and at the time `now`; `trust` is the agent's.
  Bench(const store::Snapshot& snapshot, store::Trust trust, memory::RuleKeeper& rules,
        Timestamp now, std::optional<memory::QuestionMatch> question)
      : snapshot_(snapshot),
        trust_(trust),
        rules_(rules),
        now_(now),
        question_(std::move(question)),
        contradictions_(snapshot_) {}

  const store::Snapshot& snapshot() const override { return snapshot_; }
  store::Trust trust() const override { return trust_; }
  Status propose(tools::Proposal proposal) override;
  std::string superseded(const store::Triple& triple) override {
    return contradictions_.superseded(triple);
  }
  std::vector<tools::RecalledEpisode> recall(std::span<const store::EntityId> symbols,
                                             std::size_t limit) override;
  Result<tools::RuleAnswer> ask_rules(const std::string& query) override;

  std::vector<tools::Proposal> proposals;
  std::optional<memory::QuestionAnswer> answer;

 private:
  const store::Snapshot& snapshot_;
  store::Trust trust_;
  memory::RuleKeeper& rules_;
  Timestamp now_;
  std::optional<memory::QuestionMatch> question_;
  memory::Contradictions contradictions_;
};

}  // namespace anima::agent::detail
