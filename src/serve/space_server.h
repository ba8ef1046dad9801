// The server of a space on this machine, over HTTP/1.1: SPARQL at /sparql and /data, and where it
// has the memory's parts also /v1, /mcp, /openapi.json, /metrics, /readyz and the page.
//
// At a socket whoever may open it is the owner's account, and is trusted as `standard`. At an
// address of the loopback every program of the machine can knock: each request shows a token
// (tokens.h), which says how far it is trusted and whether it may write; without one there are
// /healthz and the files of the page (page.h) alone. Queries of several clients run side by side,
// each on its snapshot; updates are entries of the log. Thread-safety: start and stop from one
// thread. Errors: those of http::Server::start and of the engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/house/gate.h"
#include "base/result.h"
#include "query/meter.h"
#include "serve/completions/options.h"
#include "serve/memory_parts.h"
#include "serve/tokens.h"

namespace anima::serve {

class Telemetry;
namespace http {
struct Noted;
}

struct SpaceServerOptions {
  std::string socket = {};  // the path of a socket; empty: the address
  std::string address = "127.0.0.1";
  std::uint16_t port = 7411;               // 0: any that is free
  int handed = -1;                         // what listens there already (http::ServerOptions)
  std::shared_ptr<TokenBook> tokens = {};  // who may come in at the address; null: nobody
  bool readonly = false;
  std::string author = "http";               // of the entries that updates make at the socket
  query::Budget budget = {};                 // of each request
  std::size_t workers = 4;                   // requests that run at once
  std::shared_ptr<MemoryParts> memory = {};  // null: SPARQL alone
  completions::CompletionsOptions completions = {};
  std::string version = "0.1.0";
  std::chrono::milliseconds slow_reader{10'000};       // of events: takes nothing for so long
  std::function<void(const http::Noted &)> note = {};  // is told of each answer; quick
  std::shared_ptr<Telemetry> telemetry = {};           // null: nothing is traced
};

class SpaceServer {
 public:
  // Every request is a call of a door that the gate judges.
  static Result<std::unique_ptr<SpaceServer>> start(std::shared_ptr<agent::Gate> gate,
                                                    SpaceServerOptions options);
  ~SpaceServer();  // stops
  SpaceServer(const SpaceServer &) = delete;
  SpaceServer &operator=(const SpaceServer &) = delete;

  std::uint16_t port() const;
  // Takes no more requests, cancels what runs, and returns when every connection is closed.
  void stop();

 private:
  struct State;
  explicit SpaceServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What is done at the routes, by which rules know it: "http:sparql query", "http:remember" ..
std::vector<std::string> http_doors();

}  // namespace anima::serve
