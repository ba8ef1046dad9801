#include "serve/sparql_server.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/file.h"
#include "base/text/text.h"
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

namespace {

using http::Caller;
using http::Request;
using http::Response;

constexpr std::string_view kOpenRoute = "/healthz";

// The token of `Authorization: Bearer TOKEN`; empty when there is another, or more than one.
std::string_view token_of(const Request &request) {
  constexpr std::string_view kBearer = "bearer ";
  std::string_view token;
  for (const auto &[name, value] : request.headers) {
    if (name != "authorization") continue;
    if (!token.empty() || value.size() <= kBearer.size() ||
        !equals_ignoring_ascii_case(value.substr(0, kBearer.size()), kBearer))
      return {};
    token = trim(std::string_view(value).substr(kBearer.size()));
  }
  return token;
}

// Answered at once, however much the workers have to do.
Response alive() { return {200, "text/plain; charset=utf-8", "ok\n", {}}; }

Response unauthorized(std::string why) {
  Response refused = http::problem(
      401, std::move(why),
      "`anima serve token add NAME` makes a token; send it as Authorization: Bearer TOKEN");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

// Who shows a token, whatever he asks for: a wrong one is refused at every route.
Expected<Caller, Response> caller_by_token(TokenBook *tokens, const Request &request) {
  const bool shown = request.header("authorization") != nullptr;
  if (!shown && request.path == kOpenRoute) return Unexpected(alive());
  if (!shown || tokens == nullptr) return Unexpected(unauthorized("the request shows no token"));
  const auto found = tokens->find(token_of(request));
  if (!found) return Unexpected(http::problem(500, found.error()));
  if (!*found) return Unexpected(unauthorized("the token is none of this space"));
  if (request.path == kOpenRoute) return Unexpected(alive());
  return Caller{"http:" + (*found)->name, (*found)->trust, (*found)->may_write};
}

http::Server::Admit admission(const SparqlServerOptions &options) {
  if (!options.socket.empty()) {
    return [author = options.author](const Request &request) -> Expected<Caller, Response> {
      if (request.path == kOpenRoute) return Unexpected(alive());
      return Caller{author, store::Trust::kStandard, true};
    };
  }
  return [tokens = options.tokens](const Request &request) {
    return caller_by_token(tokens.get(), request);
  };
}

}  // namespace

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
  endpoint.budget = options.budget;
  endpoint.stop = state->stop.get_token();
  state->endpoint = std::make_unique<http::Endpoint>(std::move(gate), space, std::move(engine),
                                                     std::move(endpoint));
  http::ServerOptions server;
  server.socket = options.socket;
  server.address = std::move(options.address);
  server.port = options.port;
  server.workers = options.workers;
  http::Endpoint &answers = *state->endpoint;
  ANIMA_ASSIGN(state->server, http::Server::start(server, admission(options),
                                                  [&answers](const http::Request &request) {
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
