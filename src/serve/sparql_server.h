// The SPARQL endpoint of a space on this machine: /sparql and /data over HTTP/1.1.
//
// At a socket whoever may open it is the owner's account, and is trusted as `standard`. At an
// address of the loopback every program of the machine can knock: each request shows a token
// (tokens.h), which says how far it is trusted and whether it may write; without one there is
// /healthz alone. Queries of several clients run side by side, each on its snapshot; updates are
// entries of the log. Thread-safety: start and stop from one thread. Errors: those of
// http::Server::start and of the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/house/gate.h"
#include "base/result.h"
#include "query/meter.h"
#include "serve/tokens.h"

namespace anima::serve {

struct SparqlServerOptions {
  std::string socket = {};  // the path of a socket; empty: the address
  std::string address = "127.0.0.1";
  std::uint16_t port = 7411;               // 0: any that is free
  std::shared_ptr<TokenBook> tokens = {};  // who may come in at the address; null: nobody
  bool readonly = false;
  std::string author = "http";  // of the entries that updates make at the socket
  query::Budget budget = {};    // of each request
  std::size_t workers = 4;      // requests that run at once
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
