// A small HTTP/1.1 server for this machine alone.
//
// It listens on a loopback address and nowhere else. A request whose Host is no name of this
// machine's loopback is refused (a web page that rebinds its name cannot reach it), likewise one
// that a page of another site sends (Origin, Sec-Fetch-Site). Header, body, number of connections
// and time are bounded: 431, 413, 503, and a connection that is silent too long is closed.
//
// One thread does the input and output, `workers` threads run the handler, which may take its time.
// stop() takes no more requests, lets those that run finish, and returns when all is closed.
// Thread-safety: start and stop from one thread; the handler is called from several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "serve/http/message.h"

namespace anima::serve::http {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  std::size_t workers = 2;
  std::size_t max_connections = 64;
  std::uint32_t max_header_bytes = 64 * 1024;  // a query may stand in the request line
  std::uint64_t max_body_bytes = std::uint64_t{64} << 20;
  std::int64_t timeout_ms = 30'000;  // for a request to come in, an answer to go out, or silence
};

class Server {
 public:
  // Must not throw.
  using Handler = std::function<Response(const Request&)>;

  // Errors: kInvalidArgument (no loopback address), kBusy (the port is taken), kIo.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Handler handler);
  ~Server();  // stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  void stop();

 private:
  struct State;
  explicit Server(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// An error as application/problem+json (RFC 9457), with our code, place and hint.
Response problem(unsigned status, const Error& error);
// The status that fits an error of a request.
unsigned status_of(ErrorCode code);
// For a request in the wrong form.
Response problem(unsigned status, std::string detail, std::string hint = {});

}  // namespace anima::serve::http
