// The tools of an MCP client that acts: it recalls labelled texts, remembers, calls tools, and is
// told of each refusal and each wait what a model can do next.
//
// Every call goes through the governed house in the name of the agent "mcp", as far trusted as the
// server was told. What the client was handed by any tool of the server counts as recalled: an
// argument that took an address or four words in a row from it has that text's label. Answers of
// KIP have no label of their own and count as untrusted. Thread-safety: one thread at a time.
// Ownership: the house outlives it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/governed_house.h"
#include "base/json.h"

namespace anima::serve {

inline constexpr std::string_view kMcpAgent = "mcp";

class McpActing {
 public:
  // `source`: where what it remembers is said to come from.
  McpActing(agent::GovernedHouse& house, govern::Trust trust, std::string author,
            std::string source)
      : house_(house), trust_(trust), author_(std::move(author)), source_(std::move(source)) {}

  // As tools/list has them: recall, remember, list_tools, call_tool, approval_status, why_denied.
  static JsonArray definitions();

  struct Answer {
    Json body;  // {"result": ..} or {"error": {"code","message","hint"?}}
    bool is_error = false;
  };
  // Nothing when it is none of these tools. `stop` ends a tool that runs for call_tool; what it has
  // done stays done, and is audited.
  std::optional<Answer> call(std::string_view tool, const Json& arguments,
                             const std::stop_token& stop = {});
  // What another tool of the server gave the client.
  void handed_out(std::string_view tool, const Json& arguments, const Json& answer);

 private:
  Answer recall(const Json& arguments);
  Answer remember(const Json& arguments);
  Answer list_tools() const;
  Answer call_tool(const Json& arguments, const std::stop_token& stop);
  Answer approval_status(const Json& arguments);
  Answer why_denied(const Json& arguments);

  agent::GovernedHouse& house_;
  govern::Trust trust_;
  std::string author_, source_;
};

}  // namespace anima::serve
