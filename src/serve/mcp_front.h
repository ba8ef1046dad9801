// McpFront: stands in front of another MCP server. It offers that server's tools under their own
// names, as the owner accepted them, and judges each call before the server sees it.
//
// The server is one of the house's book (tools/mcp/tool_book.h): its tools are pinned, it runs in
// the sandbox. Each call is one of a guarded session (agent/conversation/guard_session.h): what the
// server answers is kept with its labels and lowers the session's floor. A call that waits for an
// approval is put to whoever sits at the client, where the client can ask him (elicitation); else
// the answer says how to approve. Texts and structured content of an answer pass; of pictures and
// other data their kind and size are told. Both eras of the protocol (mcp.h), without resources and
// prompts. Thread-safety: handle() from one thread, and cancellations from any. Ownership: house
// and session outlive it. Source: MCP 2025-11-25 and 2026-07-28; issue "any model", 4.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/conversation/guard_session.h"
#include "base/json/json.h"
#include "serve/running_calls.h"

namespace anima::serve {

class McpFront {
 public:
  // Sends a request to the client and gives its result; nothing when there is none.
  using AskClient = std::function<std::optional<Json>(std::string_view method, Json params)>;

  // An empty `ask` asks nobody.
  McpFront(agent::GovernedHouse& house, agent::GuardSession& session, tools::ToolServer server,
           std::string version, AskClient ask);

  // The answer to a request; nothing for a notification, an answer, or a request that was taken
  // back.
  std::optional<Json> handle(const Json& message);

 private:
  struct Answer;
  Answer dispatch(const std::string& method, const Json& params, const std::stop_token& stop);
  Answer call(const Json& params, const std::stop_token& stop);
  Json list() const;
  // Whether the person at the client allowed the call, once.
  bool allowed_by_person(const agent::GuardVerdict& verdict);

  agent::GovernedHouse& house_;
  agent::GuardSession& session_;
  tools::ToolServer server_;
  std::string version_;
  AskClient ask_;
  bool may_ask_ = false;
  RunningCalls running_;
};

}  // namespace anima::serve
