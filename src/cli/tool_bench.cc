#include "cli/tool_bench.h"

#include "tools/external.h"

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

Result<tools::ToolOutput> call_tool(std::string_view name, const tools::ToolInput& input,
                                    ToolBench& bench) {
  tools::ToolTable table;
  tools::add_graph_tools(table);
  tools::add_external_tools(table, {}, {});  // for what they do with a text at hand
  ANIMA_ASSIGN(tools::ToolOutput output, table.run(name, input, bench));
  if (!output.success) return fail(ErrorCode::kInvalidArgument, output.result);
  return output;
}

}  // namespace anima::cli
