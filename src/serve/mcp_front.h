// McpFront: stands in front of another MCP server. It offers that server's tools under their own
// names, as the owner accepted them, and judges each call before the server sees it.
//
// The server is one of the house's book (tools/mcp/tool_book.h): its tools are pinned, it runs in
// the sandbox. Each call is one of a guarded session (agent/conversation/guard_session.h): what the
// server answers is kept with its labels and lowers the session's floor. A call that waits for an
// approval is put to whoever sits at the client, where the client can ask him (elicitation); else
// the answer says how to approve. Texts and structured content of an answer pass; of pictures and
// other data their kind and size are told. The protocol is that of mcp_protocol.h, without
// resources and prompts. Thread-safety: handle() from any thread, as far as needs_of() lets
// messages run side by side: calls go to the server one after the other, also while the person is
// asked. Ownership: house and session outlive it.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/conversation/guard_session.h"
#include "base/json/json.h"
#include "serve/mcp_protocol.h"

namespace anima::serve {

class McpFront {
 public:
  // Sends a request to the client and gives its result; nothing when there is none, and when `stop`
  // asks for an end of the waiting.
  using AskClient = std::function<std::optional<Json>(std::string_view method, Json params,
                                                      const std::stop_token& stop)>;

  // An empty `ask` asks nobody.
  McpFront(agent::GovernedHouse& house, agent::GuardSession& session, tools::ToolServer server,
           const std::string& version, AskClient ask);
  McpFront(const McpFront&) = delete;
  McpFront& operator=(const McpFront&) = delete;

  std::optional<Json> handle(const Json& message);  // as McpProtocol::handle
  // What a message needs while it is handled. Any thread.
  static Needs needs_of(const Json& message);

 private:
  Json dispatch(McpCall& call);
  Json call_tool(McpCall& call);
  Json list() const;
  // Whether the person at the client allowed the call, once.
  bool allowed_by_person(const agent::GuardVerdict& verdict, const std::stop_token& stop);

  agent::GovernedHouse& house_;
  agent::GuardSession& session_;
  tools::ToolServer server_;
  AskClient ask_;
  bool may_ask_ = false;  // the client can put a question to its person
  McpProtocol protocol_;
};

}  // namespace anima::serve
