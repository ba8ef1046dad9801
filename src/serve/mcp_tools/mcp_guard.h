// The guarded session over MCP: a model that uses tools of its own asks before it acts and reports
// what they gave, with check_call and report_result (docs/governance_values.md).
//
// The message and its plan are not the model's to say: `anima mcp --guard --message`, or another
// process of the session (`anima guard call`, anima/guarded_session.h), says them. A call that may
// run lowers the session's floor at once by the least trusted field that its tool declares, for a
// model may forget to report; so does what the memory's tools hand out. A tool that the model calls
// without asking is nothing that this can stop: the program around it must ask instead.
// Thread-safety: one thread at a time. Ownership: house and session outlive it.
#pragma once

#include <optional>
#include <string_view>

#include "agent/conversation/guard_session.h"
#include "serve/mcp_tool.h"

namespace anima::serve {

// A tool of the memory is going to tell the model what it holds: lowers the session's floor.
Status memory_tells(agent::GuardSession& session, std::string_view tool);

class McpGuard {
 public:
  McpGuard(agent::GovernedHouse& house, agent::GuardSession& session)
      : house_(house), session_(session) {}

  static JsonArray definitions();  // as tools/list has them
  agent::GuardSession& session() { return session_; }
  // Nothing when it is none of these tools.
  std::optional<ToolAnswer> call(std::string_view tool, const Json& arguments);

 private:
  ToolAnswer check_call(const Json& arguments);
  ToolAnswer report_result(const Json& arguments);

  agent::GovernedHouse& house_;
  agent::GuardSession& session_;
};

}  // namespace anima::serve
