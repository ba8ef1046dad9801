// What every server of the Model Context Protocol here speaks, whatever it offers: messages of
// JSON-RPC 2.0, both eras of the protocol, and requests that the client takes back. Without a
// transport: a message in, an answer out.
//
// Both eras at once. 2025-11-25 and earlier: `initialize`, `ping`, any of the versions listed.
// 2026-07-28: no session; a request that carries `_meta` with
// `io.modelcontextprotocol/protocolVersion` is answered in that era (`resultType` on results,
// `ttlMs` and `cacheScope` on what can be cached, `server/discover`). Source: MCP 2025-11-25 and
// 2026-07-28; JSON-RPC 2.0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "serve/turn_line.h"

namespace anima::serve {

// The codes of error answers.
enum RpcError : int {
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kParseError = -32700,
  kServerBusy = -32000,
  kResourceNotFound = -32002,
  kHeaderMismatch = -32020,
  kUnsupportedVersion = -32022,
};

inline constexpr std::string_view kMcpVersionMember = "io.modelcontextprotocol/protocolVersion";

// A member of the `_meta` of a message's parameters; null: it has none.
const Json* mcp_meta(const Json& message, std::string_view member);
// An error answer; its id is null without one.
Json rpc_error(const Json* id, int code, std::string message, Json data = {});
// The answer to bytes that are no JSON.
Json rpc_parse_error(const std::string& why);
// The answer to a message of which more than so many bytes came; its id is null when it has none.
Json rpc_too_long(std::size_t most_bytes, const std::optional<Json>& id);

bool is_mcp_cancellation(const Json& message);
// Whether a message does not wait for its turn: one that takes a request back, or a `ping`. A
// transport that reads ahead hands it in at once, on another thread.
bool overtakes_mcp(const Json& message);
// What a message needs while it is handled; of the call of a tool what `of_tool` says.
Needs mcp_needs(const Json& message,
                const std::function<Needs(std::string_view tool, const Json& arguments)>& of_tool);
// Whether it is the version of the era without sessions.
bool mcp_version_is_modern(std::string_view version);
// The error answer to a message of that era whose `_meta` does not say what it must; nullopt: it
// does.
std::optional<Json> mcp_meta_error(const Json& message);
// Whether it is a version of the era with sessions.
bool mcp_version_has_sessions(std::string_view version);

// One request on its way: its parts, the era that it speaks, and the error that ends it.
struct McpCall {
  const Json* id = nullptr;
  std::string method;
  const Json* params = nullptr;  // an object; null: none came
  bool modern = false;           // of the era without sessions
  std::stop_token stop;          // the client took it back
  int error_code = 0;
  std::string error_message;
  Json error_data;

  // Ends the request with an error; gives the null that stands for its result.
  Json fail(int code, std::string message, Json data = {});
  const Json* param(std::string_view key) const;
};

// The requests that are on their way, by their JSON-RPC ids. A cancellation may overtake its
// request, when the transport reads ahead: the newest 64 of those are kept, and end the request as
// soon as it begins. Thread-safety: every function from any thread. Complexity: of the requests
// that run.
class RunningCalls {
 public:
  // Notes a request as long as it lives.
  class Entry {
   public:
    Entry(RunningCalls& calls, const Json& id);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    std::stop_token stop() const { return source_.get_token(); }

   private:
    RunningCalls& calls_;
    std::stop_source source_;
    std::multimap<std::string, std::stop_source>::iterator at_;
  };

  void cancel(const Json& id);

 private:
  static constexpr std::size_t kMostEarly = 64;
  std::mutex mutex_;
  std::multimap<std::string, std::stop_source> running_;
  std::deque<std::string> early_;  // cancelled before they came
};

// The protocol's side of one server: reads each message, answers what is the same for all servers
// (`initialize`, `server/discover`, `ping`), and hands on the rest.
//
// Thread-safety: handle() from any thread, as far as `dispatch` is.
class McpProtocol {
 public:
  struct Server {
    std::string name, title, version;
    Json capabilities = Json::object();
    std::string instructions = {};   // for the model; empty: none
    std::int64_t list_ttl_ms = 0;    // how long what can be cached holds
    std::string transport = "pipe";  // as traces call it; "tcp" over HTTP
  };
  // The result of a request that is none of those three; an error by McpCall::fail.
  using Dispatch = std::function<Json(McpCall& call)>;

  McpProtocol(Server server, Dispatch dispatch);

  // The answer to a request; nothing for a notification, an answer, or a request that the client
  // took back meanwhile (`notifications/cancelled`, on another thread). An array of requests is
  // answered by an array, for a client of 2025-03-26, whose version alone has it.
  std::optional<Json> handle(const Json& message);

 private:
  std::optional<Json> handle_batch(const Json& messages);
  std::optional<Json> traced(McpCall& call, const Json& message);
  std::optional<Json> answer(McpCall& call);
  Json result_of(McpCall& call);
  Json initialize(const McpCall& call);
  Json about_server() const;

  Server server_;
  Dispatch dispatch_;
  RunningCalls running_;
  std::atomic<bool> takes_batches_ = false;    // the client speaks 2025-03-26
  std::atomic<const char*> version_{nullptr};  // that was agreed upon; null: none yet
};

}  // namespace anima::serve
