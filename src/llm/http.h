// HTTP as the models need it: one POST, its answer in pieces as they come. An interface, so that a
// call can be recorded and repeated (cassette.h) and a test needs no network.
//
// The key travels beside the request, not in it: what is recorded or shown of a request never holds
// it. So does the trace within which a call is made (base/trace/trace.h), which the server is told
// of. Redirects are not followed. Thread-safety: a transport may be used from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "llm/secret.h"

namespace anima::llm {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// In milliseconds; 0 for none.
struct HttpTimeouts {
  std::int64_t connect_ms = 10'000;
  std::int64_t idle_ms = 120'000;  // without a byte
  std::int64_t total_ms = 600'000;
};

struct HttpRequest {
  std::string url;
  HttpHeaders headers;
  std::string body;
  // The header that carries the key, when there is one: "authorization", "Bearer ".
  std::string key_header;
  std::string key_prefix;
  const Secret* key = nullptr;  // outlives the call
  bool allow_http = false;      // plain http to other machines
  HttpTimeouts timeouts;
  std::size_t max_bytes = std::size_t{32} << 20;  // of the answer
};

struct HttpHead {
  int status = 0;
  HttpHeaders headers;  // names in lower case, in the order they came
  // The value of the first header of that name; empty when there is none.
  std::string_view header(std::string_view name) const;
};

// How an exchange ended. On disk by name, never rename.
enum class HttpEnd : std::uint8_t {
  kDone,         // with a whole answer, whatever its status
  kUnreachable,  // no connection: refused, no such host
  kBroken,       // the connection broke, or the server does not speak HTTP
  kConnectTimeout,
  kIdleTimeout,
  kTotalTimeout,
  kTooLong,      // more bytes than max_bytes
  kInsecure,     // the certificate is not trusted, or plain http leads to another machine
  kCancelled,    // the stop token, or a handler's error
  kUnavailable,  // this machine has no HTTP library
};
std::string_view to_string(HttpEnd end);
// Errors: kCorrupt for another name.
Result<HttpEnd> http_end(std::string_view name);

struct HttpOutcome {
  HttpEnd end = HttpEnd::kDone;
  HttpHead head;
  std::string detail;   // what the library says, for the error
  Error handler_error;  // when a handler's error ended it
  bool by_handler = false;
};

struct HttpHandlers {
  std::function<Status(const HttpHead&)> head;  // once, before the first piece
  std::function<Status(std::string_view)> piece;
};

class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  virtual HttpOutcome post(const HttpRequest& request, const HttpHandlers& handlers,
                           const std::stop_token& stop) = 0;
};

// Whether libcurl can be loaded on this machine. Errors: kUnsupported.
Status http_is_there();

// The real one (libcurl 7.85 or newer, loaded when it is first used). `clock` outlives it.
std::unique_ptr<HttpTransport> make_http_transport(Clock& clock);

}  // namespace anima::llm
