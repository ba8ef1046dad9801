// One page of the web, got by the program anima-fetch: in the sandbox, without a network of its
// own; a second process judges addresses and hands connections over (fetch/broker.h). The tool
// http:fetch and the portal of a world fetch this way. Thread-safety: from any thread; the calling
// thread waits.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::tools {

struct PageRequest {
  std::string url;
  std::int64_t timeout_ms = 10'000;
  std::int64_t redirects = 5;      // at most so many are followed; 0: the redirection is the page
  bool private_addresses = false;  // may it reach this machine and its network?
  bool best_effort = false;        // see SandboxRequest
  std::string fetcher = {};        // the program anima-fetch; empty: beside this program
  std::stop_token stop = {};
};

// {"status", "url", "content_type", "body", "bytes", "truncated", "redirect"?, "sandbox", "trust"};
// trust is "untrusted". Errors: kInvalidArgument (the address), kDenied (an address that is not of
// the public internet), kNotFound (no anima-fetch), kNoSandbox, kTimeout, kCancelled, kIo.
Result<Json> fetch_page(const PageRequest& request);

}  // namespace anima::tools
