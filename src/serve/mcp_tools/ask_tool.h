// The tool `ask`: questions in plain words, with conversations that follow up. The same over MCP
// and HTTP.
//
// Conversations are of one client, by the names that it gives them; 64 are kept. Thread-safety: one
// thread at a time. Ownership: the asker and the memory outlive it. Errors: in the answers; what is
// not understood is an answer, and no error.
#pragma once

#include <map>
#include <string>

#include "agent/telling/space_asker.h"
#include "serve/mcp_tool.h"
#include "serve/mcp_tools/mcp_memory.h"

namespace anima::serve {

class AskTool {
 public:
  // `memory` null: nobody is told of what was answered.
  AskTool(agent::SpaceAsker& asker, McpMemory* memory) : asker_(asker), memory_(memory) {}

  static Json definition();  // as tools/list has it
  // The body is the contract's object (ask/ask.h). `as_of`: the state that is asked.
  ToolAnswer ask(const Json& arguments, std::optional<Json> as_of = {}, std::stop_token stop = {});

 private:
  agent::SpaceAsker& asker_;
  McpMemory* memory_;
  std::map<std::string, ask::Conversation, std::less<>> talks_;  // by session
};

}  // namespace anima::serve
