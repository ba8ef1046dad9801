// McpFront: stands in front of another MCP server. It offers that server's tools under their own
// names, as the owner accepted them, and judges each call before the server sees it.
//
// The server is one of the house's book (tools/tool_book.h): its tools are pinned, it runs in the
// sandbox, what it answers is labelled. A call that waits for an approval is put to whoever sits at
// the client, where the client can ask him (elicitation); else the answer says how to approve.
// Texts and structured content of an answer pass; of pictures and other data their kind and size
// are told. Both eras of the protocol (mcp.h), without resources and prompts. Thread-safety:
// handle() from one thread, and cancellations from any. Ownership: the house outlives it. Source:
// MCP 2025-11-25 and 2026-07-28; issue "any model", 4.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/governed_house.h"
#include "base/json.h"
#include "serve/running_calls.h"

namespace anima::serve {

class McpFront {
 public:
  // Sends a request to the client and gives its result; nothing when there is none.
  using AskClient = std::function<std::optional<Json>(std::string_view method, Json params)>;

  // An empty `ask` asks nobody.
  McpFront(agent::GovernedHouse& house, tools::ToolServer server, govern::Trust trust,
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
  bool allowed_by_person(const govern::Outcome& outcome);

  agent::GovernedHouse& house_;
  tools::ToolServer server_;
  govern::Trust trust_;
  std::string version_;
  AskClient ask_;
  bool may_ask_ = false;
  RunningCalls running_;
};

}  // namespace anima::serve
