// The SPARQL endpoint of a space on this machine: /sparql and /data over
// HTTP/1.1.
//
// Only loopback addresses are served, and only requests that name one
// (http/server.h). Queries of several clients run side by side, each on its
// snapshot; updates are entries of the log. Who shows the key is trusted as
// `standard`, everybody else as `untrusted` (DATA.md 14). Thread-safety: start
// and stop from one thread. Errors: kInvalidArgument (the address), kBusy (the
// port), those of the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "agent/house/gate.h"
#include "base/result.h"
#include "query/meter.h"

namespace anima::serve {

struct SparqlServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7411;  // 0: any that is free
  bool readonly = false;
  std::optional<std::string> key = {};  // of `Authorization: Bearer KEY`
  std::string author = "http";          // of the entries that updates make
  query::Budget budget = {};            // of each request
  std::size_t workers = 4;              // requests that run at once
};

class SparqlServer {
 public:
  // Every request is a call of a door that the gate judges.
  static Result<std::unique_ptr<SparqlServer>> start(std::shared_ptr<agent::Gate> gate,
                                                     SparqlServerOptions options);
  ~SparqlServer();  // stops
  SparqlServer(const SparqlServer &) = delete;
  SparqlServer &operator=(const SparqlServer &) = delete;

  std::uint16_t port() const;
  // Takes no more requests, cancels queries that run, and returns when every
  // connection is closed.
  void stop();

 private:
  struct State;
  explicit SparqlServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace anima::serve
