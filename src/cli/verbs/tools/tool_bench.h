// A tool that a person calls outside of a cycle: what it finds is shown, what it proposes is
// collected for the verb to decide about. Thread-safety: belongs to one thread.
#pragma once

#include <string_view>
#include <vector>

#include "memory/contradiction.h"
#include "tools/tool.h"
#include "tools/workbench.h"

namespace anima::cli {

// Episodes and rules need an agent; there are none here.
class ToolBench final : public tools::Workbench {
 public:
  explicit ToolBench(store::Snapshot snapshot)
      : snapshot_(std::move(snapshot)), contradictions_(snapshot_) {}
  ToolBench(const ToolBench&) = delete;
  ToolBench& operator=(const ToolBench&) = delete;

  const store::Snapshot& snapshot() const override { return snapshot_; }
  // The person at the terminal asks.
  store::Trust trust() const override { return store::Trust::kOperator; }
  Status propose(tools::Proposal proposal) override;
  std::string superseded(const store::Triple& triple) override {
    return contradictions_.superseded(triple);
  }
  std::vector<tools::RecalledEpisode> recall(std::span<const store::EntityId> symbols,
                                             std::size_t limit) override;
  Result<tools::RuleAnswer> ask_rules(const std::string& query) override;

  std::vector<tools::Proposal> proposals;

 private:
  store::Snapshot snapshot_;
  memory::Contradictions contradictions_;
};

// The fifteen tools of an agent's table, to be listed, or called for what they do with the graph
// alone: those that leave the process have no executor here, and nobody is asked.
void add_agent_tools(tools::ToolTable& table);
// Errors: kNotFound (no such tool), kInvalidArgument with the tool's own words when it could not do
// its work.
Result<tools::ToolOutput> call_tool(std::string_view name, const tools::ToolInput& input,
                                    ToolBench& bench);

}  // namespace anima::cli
