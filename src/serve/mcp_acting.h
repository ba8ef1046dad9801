// The tools of an MCP client that acts: it calls tools, and is told of each refusal and each wait
// what a model can do next.
//
// Every call goes through the governed house in the name of the agent "mcp", as far trusted as the
// server was told; the tools of the memory are those of mcp_memory.h. What the client was handed by
// any tool of the server counts as recalled: an argument that took an address or four words in a
// row from it has that text's label. Answers of KIP, `ask` and `why` have no label of their own and
// count as untrusted. Thread-safety: one thread at a time. Ownership: the house outlives it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/governed_house.h"
#include "base/json.h"
#include "serve/mcp_tool.h"

namespace anima::serve {

class McpActing {
 public:
  McpActing(agent::GovernedHouse& house, govern::Trust trust) : house_(house), trust_(trust) {}

  // list_tools, call_tool, approval_status, why_denied. `why` does what the last one does, which
  // tools/list leaves out.
  static JsonArray definitions();

  using Answer = ToolAnswer;
  // Nothing when it is none of these tools. `stop` ends a tool that runs for call_tool; what it has
  // done stays done, and is audited.
  std::optional<Answer> call(std::string_view tool, const Json& arguments,
                             const std::stop_token& stop = {});
  // What another tool of the server gave the client.
  void handed_out(std::string_view tool, const Json& arguments, const Json& answer);

 private:
  Answer list_tools() const;
  Answer call_tool(const Json& arguments, const std::stop_token& stop);
  Answer approval_status(const Json& arguments);
  Answer why_denied(const Json& arguments);

  agent::GovernedHouse& house_;
  govern::Trust trust_;
};

}  // namespace anima::serve
