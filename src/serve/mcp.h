// The memory as a server of the Model Context Protocol (mcp_protocol.h), over one KIP engine.
//
// Tools `execute_kip`, `execute_kip_readonly`, `list_logs`; resources kip://docs/Instructions.md
// and kip://docs/KIP.md; prompt `kip_bootstrap`; `ask` where an asker is given, the tools of
// mcp_memory.h and what the owner's rules say of all of these where a house is, those of
// mcp_acting.h where the client may act, those of mcp_guard.h where it asks before it acts by tools
// of its own. SEARCH answers short hits (kip/engine.h, Caller). What is no valid call, what KIP
// refuses and what could not be written is a result with `isError`, also where it is one of several
// commands. Thread-safety: handle() from any thread, as far as needs_of() lets messages run side by
// side: KIP, `list_logs` and what is no tool do, the other tools work with the house, and with a
// guard or a client that acts all tools work with its session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/telling/space_asker.h"
#include "base/clock.h"
#include "base/json/json.h"
#include "kip/engine.h"
#include "serve/mcp_protocol.h"
#include "serve/mcp_tools/ask_tool.h"
#include "serve/mcp_tools/kip_tool.h"
#include "serve/mcp_tools/mcp_acting.h"
#include "serve/mcp_tools/mcp_guard.h"
#include "serve/mcp_tools/mcp_memory.h"

namespace anima::serve {

struct McpOptions {
  std::string version = "0.1.0";
  // In whose name tools write.
  store::Origin origin = {.source = {}, .trust = store::Trust::kUntrusted};
  bool readonly = false;  // execute_kip is not offered
  // Of the JSON that a tool answers: what is longer comes in pages, or is refused.
  std::uint64_t most_answer_bytes = std::uint64_t{1} << 20;
  bool define_on_use = false;          // an UPSERT defines types and predicates that are not there
  McpMemory* memory = nullptr;         // recall, remember, why; judges each use of a tool; outlives
  McpActing* acting = nullptr;         // what else the client may do; outlives the server
  McpGuard* guard = nullptr;           // check_call, report_result; outlives the server
  agent::SpaceAsker* asker = nullptr;  // the tool `ask`; outlives the server
  std::shared_ptr<Clock> clock;
  std::string transport = "pipe";  // as traces call it
};

class McpServer {
 public:
  McpServer(std::shared_ptr<kip::Engine> engine, McpOptions options);
  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;

  // The answer to a request (McpProtocol::handle). The KIP statements of one that was taken back
  // end with an error, and what they wrote before stays.
  std::optional<Json> handle(const Json& message) { return protocol_->handle(message); }
  // What a message needs while it is handled. Any thread.
  Needs needs_of(const Json& message) const;

 private:
  McpProtocol::Server about() const;
  Json dispatch(McpCall& call);
  Json list_tools() const;
  const Json* definition_of(std::string_view tool) const;  // null: it is not offered
  Json call_tool(McpCall& call);
  Json run_tool(McpCall& call, const std::string& name, const Json& arguments);
  Json run_in_act(McpCall& call, const std::string& name, const Json& arguments);
  std::optional<ToolAnswer> call_others(std::string_view name, const Json& arguments,
                                        const std::stop_token& stop);
  Json run_kip(const Json& arguments, bool readonly, std::stop_token stop);
  Json list_logs(const Json& arguments);
  Json ask(const Json& arguments, std::stop_token stop);
  Json read_resource(McpCall& call) const;
  Json get_prompt(McpCall& call) const;

  std::shared_ptr<kip::Engine> engine_;
  McpOptions options_;
  Json tools_;  // as tools/list has them
  std::unique_ptr<KipTool> kip_;
  std::optional<AskTool> ask_;
  std::unique_ptr<McpProtocol> protocol_;
};

}  // namespace anima::serve
