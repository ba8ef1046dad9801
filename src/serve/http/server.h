// A small HTTP/1.1 server for this machine alone.
//
// It listens on a socket in a folder, for the account that owns it, or on a loopback address, and
// nowhere else. A request without exactly one Host that is a name of this machine's loopback is
// refused (a web page that rebinds its name cannot reach it), likewise one that a page sends
// (Origin, Sec-Fetch-Site) which did not come from the listening address itself. Who may come in is
// decided by the header alone, before a body is read.
//
// Bounded are the header (431), a body (413), all bodies and all answers that are on their way
// together, the connections, what one caller has of all these (503), and the time from a request's
// first byte to its last. When all connections are taken, the one that waits longest without a
// request that was let in gives way. The callers take turns at the workers (turns.h).
//
// One thread does the input and output, `workers` threads run the handler, which may take its time.
// An answer may go on after its handler has returned (outlet.h); such answers are bounded, and take
// no worker. stop() takes no more requests, lets those that run finish, ends answers that go on
// with their farewell, and returns when all is closed. Thread-safety: start and stop from one
// thread; the handler is called from several at once, `admit` from the one that does the input and
// output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/expected.h"
#include "base/result.h"
#include "serve/http/message.h"

namespace anima::agent {
struct Refusal;
}

namespace anima::serve::http {

// What is told of a request that was answered. Of an answer that goes on: at its end.
struct Noted {
  std::string request;  // its id; empty where no header came that can be read
  std::string caller;   // empty: nobody was let in
  std::string method, path, route;
  unsigned status = 0;
  std::uint64_t bytes = 0;        // of the answer's body
  std::int64_t microseconds = 0;  // since its header had come
};

struct ServerOptions {
  std::string socket = {};  // the path of a socket to listen on; empty: the address
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  // One that listens already, at that socket or address, whose path stays; -1: none.
  int handed = -1;
  std::size_t workers = 2;
  // Fewer where the process may not have so many descriptors (RLIMIT_NOFILE).
  std::size_t max_connections = 12'000;
  std::size_t max_requests_of_caller = 128;    // that come in, run or are answered at once
  std::uint32_t max_header_bytes = 64 * 1024;  // a query may stand in the request line
  // While more than `crowd` connections are open, so that their headers stay within the memory.
  std::uint32_t max_header_bytes_in_crowd = 8 * 1024;
  std::size_t crowd = 1024;
  std::uint64_t max_body_bytes = std::uint64_t{64} << 20;
  // Of all that come in or run; of one caller half of it.
  std::uint64_t max_bodies_bytes = std::uint64_t{256} << 20;
  std::uint64_t max_answers_bytes = std::uint64_t{512}
                                    << 20;  // of all that go out; one may be longer
  std::int64_t timeout_ms = 30'000;  // for a request to come in, an answer to go out, or silence
  // Answers that go on (outlet.h), at once; each takes a connection, and no worker.
  std::size_t max_streams = 64;
  std::size_t max_streams_of_caller = 8;
  // Whether a request takes no turn and is handled beside the workers, one at a time. Quick.
  std::function<bool(const Request&)> overtakes = {};
  // Is told of each answer, by the thread that does the input and output. Quick.
  std::function<void(const Noted&)> note = {};
};

class Server {
 public:
  // Neither may throw. `Admit` sees a request without its body, and says who the caller is, or what
  // ends the request: a refusal, or an answer that takes no worker. It must be quick.
  using Handler = std::function<Response(const Request&)>;
  using Admit = std::function<Expected<Caller, Response>(const Request&)>;

  // A socket that no server listens on any more is replaced. Errors: kInvalidArgument (no loopback
  // address, a path that is too long for a socket), kBusy (the port or socket is taken), kIo.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Admit admit,
                                               Handler handler);
  ~Server();  // stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;  // 0 of a socket
  struct Load {
    std::size_t connections = 0, streams = 0;
  };
  Load load() const;  // from any thread
  void stop();

 private:
  struct State;
  explicit Server(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// An error as application/problem+json (RFC 9457), with our code, place and hint.
// What waits for an approval has the code "waiting", and the id of that as "approval".
Response problem(unsigned status, const Error& error);
// What a gate refused: the same, with the id of the refusal as "refusal".
Response problem(unsigned status, const agent::Refusal& refused);
// The status that fits an error of a request.
unsigned status_of(ErrorCode code);
// A bound is reached: 503 with Retry-After.
Response too_much(std::string what);
// For a request in the wrong form.
Response problem(unsigned status, std::string detail, std::string hint = {});

}  // namespace anima::serve::http
