// The tools of an MCP client that acts: it calls tools, and is told of each refusal and each wait
// what a model can do next.
//
// Every call is one of a guarded session (agent/conversation/guard_session.h), in the name of the
// agent "mcp": for the message that the session has, else as far trusted as the server was told.
// Each argument is judged by where it came from, and what the client was handed by any tool of the
// server lowers the floor, by which its own words are judged. The tools of the memory are those of
// mcp_memory.h; what they tell counts as untrusted. Thread-safety: one thread at a time. Ownership:
// house and session outlive it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/conversation/guard_session.h"
#include "base/json/json.h"
#include "serve/mcp_tool.h"

namespace anima::serve {

class McpActing {
 public:
  // `trust`: of calls for no message, as the session has it (GuardOptions::caller).
  McpActing(agent::GovernedHouse& house, agent::GuardSession& session, govern::Trust trust)
      : house_(house), session_(session), trust_(trust) {}

  // list_tools, call_tool, approval_status, why_denied. `why` does what the last one does, which
  // tools/list leaves out.
  static JsonArray definitions();

  using Answer = ToolAnswer;
  // Nothing when it is none of these tools. `stop` ends a tool that runs for call_tool; what it has
  // done stays done, and is audited.
  std::optional<Answer> call(std::string_view tool, const Json& arguments,
                             const std::stop_token& stop = {});
  agent::GuardSession& session() { return session_; }

 private:
  Answer list_tools() const;
  Answer call_tool(const Json& arguments, const std::stop_token& stop);
  Answer approval_status(const Json& arguments);
  Answer why_denied(const Json& arguments);

  agent::GovernedHouse& house_;
  agent::GuardSession& session_;
  govern::Trust trust_;
};

}  // namespace anima::serve
