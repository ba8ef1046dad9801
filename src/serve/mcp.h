// The Model Context Protocol over one KIP engine, without a transport: a message in, an answer out.
//
// Both eras at once. 2025-11-25 and earlier: `initialize`, `ping`, any of the versions listed.
// 2026-07-28: no session; a request that carries `_meta` with
// `io.modelcontextprotocol/protocolVersion` is answered in that era (`resultType` on results,
// `ttlMs` and `cacheScope` on what can be cached, `server/discover`). Tools `execute_kip`,
// `execute_kip_readonly`, `list_logs`; resources kip://docs/Instructions.md and kip://docs/KIP.md;
// prompt `kip_bootstrap`; `ask` where an asker is given, the tools of mcp_memory.h and what the
// owner's rules say of all of these where a house is, those of mcp_acting.h where the client may
// act, those of mcp_guard.h where it asks before it acts by tools of its own. SEARCH answers short
// hits (kip/engine.h, Caller). What is no valid call, what KIP refuses and what could not be
// written is a result with `isError`, also where it is one of several commands. Thread-safety:
// handle() from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/telling/space_asker.h"
#include "base/clock.h"
#include "base/json/json.h"
#include "kip/engine.h"
#include "serve/ask_tool.h"
#include "serve/kip_tool.h"
#include "serve/mcp_acting.h"
#include "serve/mcp_guard.h"
#include "serve/mcp_memory.h"
#include "serve/running_calls.h"

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
};

class McpServer {
 public:
  McpServer(std::shared_ptr<kip::Engine> engine, McpOptions options);

  // The answer to a request; nothing for a notification, an answer, or a request that the client
  // took back meanwhile (`notifications/cancelled`, on another thread): its KIP statements end with
  // an error, and what they wrote before stays. An array of requests is answered by an array, for
  // a client of 2025-03-26, whose version alone has it.
  std::optional<Json> handle(const Json& message);
  static bool is_cancellation(const Json& message);
  // Whether it is a version of the era with sessions.
  static bool has_sessions(std::string_view version);
  // Whether a message does not wait for its turn: one that takes a request back, or a `ping`. A
  // transport that reads ahead hands it in at once, on another thread.
  static bool overtakes(const Json& message);
  // The answer to bytes that are no JSON.
  static Json parse_error(const std::string& why);
  // The answer to a message of which more than so many bytes came; its id is null when it has none.
  static Json too_long(std::size_t most_bytes, const std::optional<Json>& id);

 private:
  struct Call;  // one request on its way
  Json dispatch(Call& call);
  Json initialize(const Call& call);
  Json discover() const;
  Json list_tools() const;
  const Json* definition_of(std::string_view tool) const;  // null: it is not offered
  Json call_tool(Call& call);
  Json run_tool(Call& call, const std::string& name, const Json& arguments);
  std::optional<Json> handle_batch(const Json& messages);
  std::optional<ToolAnswer> call_others(std::string_view name, const Json& arguments,
                                        const std::stop_token& stop);
  Json run_kip(const Json& arguments, bool readonly, std::stop_token stop);
  Json list_logs(const Json& arguments);
  Json ask(const Json& arguments, std::stop_token stop);
  Json read_resource(Call& call) const;
  Json get_prompt(Call& call) const;

  std::shared_ptr<kip::Engine> engine_;
  McpOptions options_;
  Json tools_;  // as tools/list has them
  std::unique_ptr<KipTool> kip_;
  std::optional<AskTool> ask_;
  RunningCalls running_;
  std::atomic<bool> takes_batches_ = false;  // the client speaks 2025-03-26
};

}  // namespace anima::serve
