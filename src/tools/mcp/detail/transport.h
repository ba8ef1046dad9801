// How messages reach an MCP server and come back: a program in the sandbox that reads and writes
// lines, or an address that answers POST (streamable HTTP).
//
// Thread-safety: a transport belongs to one thread at a time. Errors: kTimeout, kCancelled, kIo
// (the server ended, broke off, or was not reached), kDenied (it wants a key, or the address is not
// safe), kConflict (it has forgotten the session), kLimitExceeded, kCorrupt.
// Source: MCP 2025-11-25 and 2026-07-28, base protocol, transports.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"
#include "llm/http.h"
#include "tools/mcp/detail/message.h"
#include "tools/sandbox/program_access.h"

namespace anima::tools::mcp {

// Until when, by the clock that never goes back.
class Deadline {
 public:
  Deadline(Clock& clock, std::int64_t milliseconds)
      : clock_(clock), end_(clock.monotonic_nanoseconds() + milliseconds * 1'000'000) {}
  std::int64_t left_ms() const { return (end_ - clock_.monotonic_nanoseconds()) / 1'000'000; }

 private:
  Clock& clock_;
  std::int64_t end_;
};

class Transport {
 public:
  // A message that came; true: it is what was waited for. It may send() meanwhile.
  using Take = std::function<Result<bool>(Message)>;

  virtual ~Transport() = default;
  // Sends a message and hands over what comes until that is enough.
  virtual Status exchange(const Json& message, const Deadline& deadline,
                          const std::stop_token& stop, const Take& take) = 0;
  // A message that nothing answers. Waits a moment at most.
  virtual Status send(const Json& message) = 0;
  // What has come without being asked for; never waits.
  virtual Status drain(const Take& take) = 0;
  // From now on this version of the protocol is spoken; `stateless`: as of 2026-07-28.
  virtual void speak(const std::string& version, bool stateless) = 0;
};

// Errors: those of the sandbox. `clock` outlives it.
Result<std::unique_ptr<Transport>> open_program(const SandboxRequest& request, Clock& clock,
                                                std::string hint);

// `http` outlives it. `key` empty: none is sent.
std::unique_ptr<Transport> open_address(std::string url, llm::Secret key, llm::HttpTransport& http);

}  // namespace anima::tools::mcp
