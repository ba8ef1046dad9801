// What the tools have in common that reach the world through the executor. Thread-safety:
// immutable.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/detail/tool_base.h"
#include "tools/external.h"

namespace anima::tools::detail {

// What a call became, for a tool without output of its own.
ToolOutput refused(const govern::Outcome& outcome);

class ActingTool : public BuiltinTool {
 public:
  ActingTool(ToolInfo info, Act act, Actor actor)
      : BuiltinTool(std::move(info)), act_(std::move(act)), actor_(std::move(actor)) {}

 protected:
  govern::Outcome call(std::string tool, Json arguments) const;
  // With the labels of the facts of the graph that the arguments are (fact_labels.h).
  govern::Outcome call(const Workbench& bench, std::string tool, Json arguments) const;
  const Actor& actor() const { return actor_; }

 private:
  govern::Outcome act(std::string tool, Json arguments,
                      std::vector<govern::ArgumentOrigin> origins) const;
  Act act_;
  Actor actor_;
};

void add_ingest_tools(ToolTable& table, const Act& act, const Actor& actor);

}  // namespace anima::tools::detail
