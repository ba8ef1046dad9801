// One conversation with an MCP server: who it is, its tools, calls of them.
//
// Both eras: a server that answers `initialize` is spoken to as of 2025-11-25 or the older version
// that it names; one that does not know `initialize` as of 2026-07-28, where every request says who
// asks. What a server asks of us is answered with an error, but for `ping`: it is given no model,
// no folder list and no person to question. Answers to other requests than the one that waits are
// dropped. Thread-safety: one thread at a time. Ownership: the clock outlives it. Errors: those of
// transport.h, and those of the server (message.h, server_error).
// Source: MCP 2025-11-25 and 2026-07-28, lifecycle, tools, utilities.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/mcp/detail/transport.h"

namespace anima::tools::mcp {

struct ServerIdentity {
  std::string name, version, protocol;
};

class Client {
 public:
  static Result<std::unique_ptr<Client>> connect(std::unique_ptr<Transport> transport, Clock& clock,
                                                 std::int64_t timeout_ms,
                                                 const std::stop_token& stop);

  const ServerIdentity& server() const { return server_; }
  // All pages. Errors: kLimitExceeded (kMaxTools, kMaxListBytes) and kCorrupt too.
  Result<std::vector<ServerTool>> list_tools(std::int64_t timeout_ms, const std::stop_token& stop);
  // As read_call_result() has it. When the time is over or the call is taken back the server is
  // told; what it has done stays done.
  Result<Json> call(std::string_view tool, const Json& arguments, std::int64_t timeout_ms,
                    const std::stop_token& stop);
  // Reads what has come meanwhile. An error means that the server is of no use any more.
  Status catch_up();
  // The server has said that its tools changed; asked once.
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  Client(std::unique_ptr<Transport> transport, Clock& clock)
      : transport_(std::move(transport)), clock_(clock) {}
  Result<Json> request(std::string_view method, Json params, std::int64_t timeout_ms,
                       const std::stop_token& stop);
  Status greet(std::int64_t timeout_ms, const std::stop_token& stop);
  Status greet_stateless(std::int64_t timeout_ms, const std::stop_token& stop);
  // What is no answer.
  Status hear(const Message& message);

  std::unique_ptr<Transport> transport_;
  Clock& clock_;
  ServerIdentity server_;
  std::int64_t last_id_ = 0;
  bool stateless_ = false;
  bool changed_ = false;
  std::string progress_;  // what the server told last of the call that runs
};

}  // namespace anima::tools::mcp
