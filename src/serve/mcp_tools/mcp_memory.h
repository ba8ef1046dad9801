// The memory's own tools over MCP, for every client: recall, remember, why and those of
// mcp_memories.h, and what the rules of the space's owner say about the use of these and of the
// server's other tools.
//
// Each use of a tool is judged as the call of the door "mcp:TOOL" (agent/house/gate.h) by the agent
// "mcp", or by whose token it is, as far trusted as the server was told: a rule that denies it, or
// a line that was stopped, has it refused, and a rule that asks has it wait for the owner. What a
// client keeps has its trust; what it is handed has the label that it was kept with. Thread-safety:
// one thread at a time; refused() from any. Ownership: the house and the explainer outlive it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/house/governed_house.h"
#include "agent/house/space_why.h"
#include "serve/mcp_tool.h"
#include "serve/mcp_tools/mcp_memories.h"
#include "serve/turn_line.h"

namespace anima::serve {

inline constexpr std::string_view kMcpDoor = "mcp";
// The tools that are doors of the memory; those that act are judged by what they call.
std::vector<std::string> mcp_doors();
// What a call of a tool needs, be it one of these or none: KIP and its log need no house.
Needs mcp_tool_needs(std::string_view tool, const Json& arguments);
// Whether what the tool answers holds texts that others wrote.
bool mcp_tool_tells(std::string_view tool);

struct McpMemoryOptions {
  govern::Trust trust = govern::Trust::kUntrusted;
  std::string author, source;                    // of what is remembered
  bool readonly = false;                         // nothing is remembered
  std::string subject = std::string(kMcpAgent);  // who asks, for the rules
  Timestamp since = {};                          // from when on there is this author
};

class McpMemory {
 public:
  McpMemory(agent::GovernedHouse& house, agent::SpaceWhy& why, McpMemoryOptions options)
      : house_(house),
        why_(why),
        options_(std::move(options)),
        memories_(house_, {.author = options_.author,
                           .source = options_.source,
                           .trust = options_.trust,
                           .since = options_.since}) {}

  // Why a call of this subject was refused, by the id that the refusal named.
  static ToolAnswer refusal(agent::GovernedHouse& house, std::string_view id,
                            std::string_view subject = kMcpAgent);

  JsonArray definitions() const;  // as tools/list has them
  // Nothing when it is none of these tools.
  std::optional<ToolAnswer> call(std::string_view tool, const Json& arguments);
  // Nothing when the tool, one of these or of the server, may be used.
  std::optional<ToolAnswer> refused(std::string_view tool, const Json& arguments);
  // One memory as list_memories shows it.
  ToolAnswer show(std::string_view id) { return memories_.show(id); }
  ToolAnswer would_forget(std::string_view id) { return memories_.would_forget(id); }
  // What a question was answered with: a correction that names nothing is about that.
  void answered(const std::vector<ask::SaidFact>& facts, const std::string& speaker) {
    house_.answered({options_.author, speaker, options_.source}, facts);
  }

 private:
  ToolAnswer recall(const Json& arguments);
  ToolAnswer remember(const Json& arguments);
  ToolAnswer why(const Json& arguments);

  agent::GovernedHouse& house_;
  agent::SpaceWhy& why_;
  McpMemoryOptions options_;
  McpMemories memories_;
  const JsonArray offered_ = definitions();
};

}  // namespace anima::serve
