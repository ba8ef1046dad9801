// list_memories, update_memory, forget_memory and review over MCP: what a client remembered,
// managed by its handles, and what was asked back of it.
//
// A client sees the memories that recall may show it, without the exchanges of sessions, and
// changes what agent/house/memory_changes.h lets it. A handle is the id that `remember`, `recall`
// and `list_memories` give. Thread-safety: one thread at a time. Ownership: the house outlives it.
// Errors: in the answers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "agent/house/governed_house.h"
#include "serve/mcp_tool.h"

namespace anima::serve {

// The speaker that a call names; empty: none. Errors: kInvalidArgument (no name of a person).
Result<std::string> speaker_in(const Json& arguments);

class McpMemories {
 public:
  McpMemories(agent::GovernedHouse& house, agent::MemoryCaller caller)
      : house_(house), caller_(std::move(caller)) {}

  static std::vector<Json> definitions(bool readonly);  // as tools/list has them
  // Nothing when it is none of these tools. The arguments are known to be the tool's.
  std::optional<ToolAnswer> call(std::string_view tool, const Json& arguments);
  // One memory as the list shows it; exchanges of sessions are not there.
  ToolAnswer show(std::string_view id);
  // What forget_memory would take back.
  ToolAnswer would_forget(std::string_view id);

 private:
  ToolAnswer list(const Json& arguments);
  ToolAnswer found(const std::string& query, std::size_t limit, const std::string& speaker);
  ToolAnswer update(const Json& arguments);
  ToolAnswer forget(const Json& arguments);
  ToolAnswer review(const Json& arguments);
  Json shown(const memory::MemoryItem& item, std::size_t most_bytes) const;

  agent::GovernedHouse& house_;
  agent::MemoryCaller caller_;
};

}  // namespace anima::serve
