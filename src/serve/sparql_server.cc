#include "serve/sparql_server.h"

#include <stop_token>
#include <utility>

#include "base/files/file.h"
#include "memory/compartments/rule_relations.h"
#include "serve/http/endpoint.h"
#include "serve/http/server.h"
#include "sparql/engine.h"

namespace anima::serve {

struct SparqlServer::State {
  std::stop_source stop;
  std::unique_ptr<http::Endpoint> endpoint;
  std::unique_ptr<http::Server> server;  // goes first: its threads use the endpoint
};

Result<std::unique_ptr<SparqlServer>> SparqlServer::start(std::shared_ptr<agent::Gate> gate,
                                                          SparqlServerOptions options) {
  const auto space = gate->space_for({"http", "space", options.author, govern::Trust::kUntrusted},
                                     agent::Judged::kBefore,
                                     options.readonly ? agent::Act::kReads : agent::Act::kWrites);
  sparql::EngineOptions rules;
  rules.derived = std::make_shared<memory::RuleRelations>(*space, system_files());
  ANIMA_ASSIGN(auto engine, sparql::Engine::open(space, std::move(rules)));
  auto state = std::make_unique<State>();
  http::EndpointOptions endpoint;
  endpoint.readonly = options.readonly;
  endpoint.key = std::move(options.key);
  endpoint.author = std::move(options.author);
  endpoint.budget = options.budget;
  endpoint.stop = state->stop.get_token();
  state->endpoint = std::make_unique<http::Endpoint>(std::move(gate), space, std::move(engine),
                                                     std::move(endpoint));
  http::ServerOptions server;
  server.address = std::move(options.address);
  server.port = options.port;
  server.workers = options.workers;
  http::Endpoint &answers = *state->endpoint;
  ANIMA_ASSIGN(state->server, http::Server::start(server, [&answers](const http::Request &request) {
                 return answers.handle(request);
               }));
  return std::unique_ptr<SparqlServer>(new SparqlServer(std::move(state)));
}

SparqlServer::SparqlServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
SparqlServer::~SparqlServer() { stop(); }

std::uint16_t SparqlServer::port() const { return state_->server->port(); }

void SparqlServer::stop() {
  state_->stop.request_stop();
  state_->server->stop();
}

}  // namespace anima::serve
