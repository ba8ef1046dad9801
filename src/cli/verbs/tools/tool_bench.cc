#include "cli/verbs/tools/tool_bench.h"

#include "agent/findings/doc_tool.h"
#include "tools/external.h"
#include "tools/user_tool.h"

namespace anima::cli {

Status ToolBench::propose(tools::Proposal proposal) {
  proposals.push_back(std::move(proposal));
  return {};
}

std::vector<tools::RecalledEpisode> ToolBench::recall(std::span<const store::EntityId>,
                                                      std::size_t) {
  return {};
}

Result<tools::RuleAnswer> ToolBench::ask_rules(const std::string&) {
  return fail(ErrorCode::kNotFound, "no compartment's rules are asked here");
}

void add_agent_tools(tools::ToolTable& table) {
  agent::add_inside_tools(table);
  tools::add_external_tools(table, {}, {});
  table.add(tools::make_user_interact({}));
}

Result<tools::ToolOutput> call_tool(std::string_view name, const tools::ToolInput& input,
                                    ToolBench& bench) {
  tools::ToolTable table;
  add_agent_tools(table);
  ANIMA_ASSIGN(tools::ToolOutput output, table.run(name, input, bench));
  if (!output.success) return fail(ErrorCode::kInvalidArgument, output.result);
  return output;
}

}  // namespace anima::cli
