// MCP over streamable HTTP at one address, /mcp: the same server of the protocol as over stdio
// (serve/mcp.h), for each client.
//
// POST brings a message. `initialize` begins a session, whose id the answer has as Mcp-Session-Id;
// all later messages show it. A request is answered as JSON, or as server-sent events where it has
// a progress token or the client takes nothing else: then progress is told each second until the
// answer. Notifications and answers are taken with 202. GET opens the stream of the server's own
// messages, DELETE ends the session. A request of the era without sessions (2026-07-28) needs none;
// its headers must say what its body says. A cancellation and a `ping` do not wait for their turn.
//
// Each use of a tool is judged as the door "mcp:TOOL" for the caller. Thread-safety: handle() from
// any thread. Ownership: what is passed in outlives it, and it outlives the server's threads.
// Errors: JSON-RPC errors with the status that the transport says. Source: MCP 2025-06-18 and
// 2025-11-25, Transports; MCP 2026-07-28.
#pragma once

#include <chrono>
#include <string>

#include "serve/http/message.h"
#include "serve/http/stream_keeper.h"
#include "serve/mcp_http/sessions.h"
#include "serve/turn_line.h"

namespace anima::serve::mcp_http {

struct TransportOptions {
  SessionOptions sessions = {};
  std::chrono::milliseconds turn_limit{30'000};
  std::chrono::milliseconds progress{1000};
};

class Transport {
 public:
  Transport(MemoryParts& parts, HouseTurn& turn, http::StreamKeeper& keeper,
            TransportOptions options);

  http::Response handle(const http::Request& request);
  // A message that does not wait for its turn. O(a short body).
  static bool overtakes(const http::Request& request);
  std::size_t sessions() { return book_.count(); }

 private:
  http::Response post(const http::Request& request);
  http::Response begin(const http::Request& request, const Json& message);
  http::Response answer(const http::Request& request, Json message, InUse session);
  http::Response streamed(Json message, InUse session);
  http::Response open_stream(const http::Request& request);
  http::Response end(const http::Request& request);
  // Nothing: it was taken back, or is none that is answered.
  std::optional<Json> run(const Json& message, Session& session);

  HouseTurn& turn_;
  http::StreamKeeper& keeper_;
  const TransportOptions options_;
  SessionBook book_;
};

}  // namespace anima::serve::mcp_http
