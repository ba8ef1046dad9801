#include "serve/space_server.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/file.h"
#include "base/text/text.h"
#include "memory/compartments/rule_relations.h"
#include "serve/completions/chat_form.h"
#include "serve/http/endpoint.h"
#include "serve/http/server.h"
#include "serve/http/stream_keeper.h"
#include "serve/mcp_http/transport.h"
#include "serve/metrics.h"
#include "serve/page.h"
#include "serve/readiness.h"
#include "serve/telemetry.h"
#include "serve/turn_line.h"
#include "serve/v1/api.h"
#include "sparql/engine.h"

namespace anima::serve {

namespace {

using http::Caller;
using http::Request;
using http::Response;

constexpr std::chrono::milliseconds kTick{100};  // how often streams are looked after
constexpr std::chrono::milliseconds kSilence{15'000};
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
Response alive() { return {200, "text/plain; charset=utf-8", "ok\n", {}, std::string(kOpenRoute)}; }

Response unauthorized(std::string why) {
  Response refused = http::problem(
      401, std::move(why),
      "`anima serve token add NAME` makes a token; send it as Authorization: Bearer TOKEN");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

// Clients of OpenAI's form read errors in it, this one too.
Response in_form_of(const Request &request, Response refused) {
  const v1::Match found = v1::match(request.method, request.path);
  const bool openai = found.route != nullptr && found.route->openai;
  return openai ? completions::as_openai_error(std::move(refused)) : refused;
}

// Who shows a token, whatever he asks for: a wrong one is refused at every route. Without one there
// is what tells nothing of the space: /healthz and, where there is one, the page.
Expected<Caller, Response> caller_by_token(TokenBook *tokens, bool has_page,
                                           const Request &request) {
  const bool shown = request.header("authorization") != nullptr;
  if (!shown && request.path == kOpenRoute) return Unexpected(alive());
  if (!shown && has_page) {
    if (auto file = page_file(request)) return Unexpected(*std::move(file));
  }
  if (!shown || tokens == nullptr)
    return Unexpected(in_form_of(request, unauthorized("the request shows no token")));
  const auto found = tokens->find(token_of(request));
  if (!found) return Unexpected(http::problem(500, found.error()));
  if (!*found)
    return Unexpected(in_form_of(request, unauthorized("the token is none of this space")));
  if (request.path == kOpenRoute) return Unexpected(alive());
  const AccessToken &token = **found;
  return Caller{.name = "http:" + token.name,
                .trust = token.trust,
                .may_write = token.may_write,
                .sees_approvals = token.sees_approvals,
                .token = token.identity(),
                .since = token.made};
}

http::Server::Admit admission(const SpaceServerOptions &options) {
  if (!options.socket.empty()) {
    return [author = options.author](const Request &request) -> Expected<Caller, Response> {
      if (request.path == kOpenRoute) return Unexpected(alive());
      return Caller{.name = author,
                    .trust = store::Trust::kStandard,
                    .may_write = true,
                    .sees_approvals = true};
    };
  }
  return [tokens = options.tokens, has_page = options.memory != nullptr](const Request &request) {
    return caller_by_token(tokens.get(), has_page, request);
  };
}

void tell_http(Span &span, const Request &request, const Response &answer) {
  span.set("http.request.method", request.method);
  span.set("url.path", request.path);
  span.set("url.scheme", "http");
  span.set("network.protocol.version", "1.1");
  span.set("http.response.status_code", answer.status);
  span.set("anima.request.id", request.id);
  span.set("anima.caller", request.caller.name);
  if (!answer.route.empty()) {
    span.rename(request.method + " " + answer.route);
    span.set("http.route", answer.route);
  }
  if (answer.status >= 500) span.fail(std::to_string(answer.status));
}

// The same numbers as at /metrics.
std::vector<otlp::Value> values_to_send(const Gauges &now) {
  std::vector<otlp::Value> values;
  for (const Gauge &each : gauge_rows(now))
    values.push_back({each.otlp, each.unit, each.help, static_cast<double>(each.value), false, {}});
  return values;
}

}  // namespace

struct SpaceServer::State {
  std::stop_source stop;
  std::shared_ptr<agent::Gate> gate;
  std::shared_ptr<MemoryParts> memory;
  HouseTurn turn;
  Metrics metrics;
  std::string version;
  bool readonly = false;
  std::unique_ptr<http::Endpoint> endpoint;
  std::unique_ptr<v1::Api> api;
  std::unique_ptr<http::StreamKeeper> keeper;
  std::unique_ptr<mcp_http::Transport> mcp;
  std::shared_ptr<Telemetry> telemetry;  // null: none
  std::unique_ptr<http::Server> server;  // goes first: its threads use the rest

  Response traced(const Request &request);
  Response handle(const Request &request);
  Response handle_memory(const Request &request);
  Gauges gauges() const;
  Response metrics_now() const;
};

// A span of the conventions for HTTP servers. Whoever looks at the server itself leaves none.
Response SpaceServer::State::traced(const Request &request) {
  if (request.path == "/metrics" || request.path == "/readyz") return handle(request);
  const RequestScope named(request.id);
  const TraceScope by(telemetry.get());
  const std::string *parent = request.header("traceparent"), *state = request.header("tracestate");
  const auto span = std::make_shared<Span>(
      request.method, SpanKind::kServer,
      TraceScope::of_caller(parent == nullptr ? "" : *parent, state == nullptr ? "" : *state));
  const TraceScope scope(*span);
  Response answer = handle(request);
  if (span->is_recorded()) tell_http(*span, request, answer);
  if (!answer.rest) return answer;
  // An answer that goes on is made behind this function, by the same thread.
  answer.rest = [span, id = request.id, rest = std::move(answer.rest)] {
    const RequestScope of(id);
    const TraceScope within(*span);
    rest();
    span->end();
  };
  return answer;
}

Response SpaceServer::State::handle(const Request &request) {
  const bool sparql = request.path == "/sparql" || request.path == "/data";
  if (memory != nullptr && !sparql) return handle_memory(request);
  Response answer = endpoint->handle(request);
  if (sparql) answer.route = request.path;
  return answer;
}

Response SpaceServer::State::handle_memory(const Request &request) {
  const std::string_view path = request.path;
  if (path.starts_with("/v1/")) return api->handle(request);
  if (path == "/mcp") {
    Response answer = mcp->handle(request);
    answer.route = path;
    return answer;
  }
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const bool known = path == "/openapi.json" || path == "/metrics" || path == "/readyz";
  if (path == "/")
    return http::problem(404, "the page is served at an address",
                         "anima serve --listen 127.0.0.1:7411, and open it in a browser");
  if (!known)
    return http::problem(404, "there is nothing here",
                         "/v1, /mcp, /openapi.json, /sparql, /data, /metrics, /readyz or /healthz");
  Response answer;
  if (!reads) {
    answer = http::problem(405, "this is only read", "one of GET, HEAD");
    answer.headers.emplace_back("Allow", "GET, HEAD");
  } else if (path == "/openapi.json") {
    answer = {200, "application/json", v1::openapi(version).dump() + "\n", {}};
  } else if (path == "/metrics") {
    answer = metrics_now();
  } else {
    answer = readiness(gate->space(), readonly);
  }
  answer.route = path;
  return answer;
}

Gauges SpaceServer::State::gauges() const {
  Gauges now;
  now.space = gate->space().stats();
  const auto snapshot = gate->space().snapshot();
  now.head = snapshot ? snapshot->sequence() : now.space.base_sequence;
  const http::Server::Load load = server->load();
  now.connections = load.connections;
  now.streams = load.streams;
  now.sessions = mcp == nullptr ? 0 : mcp->sessions();
  if (const auto approvals = gate->approvals().list()) {
    now.approvals = static_cast<std::size_t>(std::ranges::count(
        *approvals, govern::ApprovalStatus::kPending, &govern::Approval::status));
  }
  if (telemetry != nullptr) {
    const Telemetry::Counts counts = telemetry->counts();
    now.spans = SpanCounts{counts.sent, counts.dropped, counts.failed, counts.waiting};
  }
  return now;
}

Response SpaceServer::State::metrics_now() const {
  return {200, "text/plain; version=0.0.4; charset=utf-8", metrics.text(gauges()), {}};
}

Result<std::unique_ptr<SpaceServer>> SpaceServer::start(std::shared_ptr<agent::Gate> gate,
                                                        SpaceServerOptions options) {
  const auto space = gate->space_for({"http", "space", options.author, govern::Trust::kUntrusted},
                                     agent::Judged::kBefore,
                                     options.readonly ? agent::Act::kReads : agent::Act::kWrites);
  sparql::EngineOptions rules;
  rules.derived = std::make_shared<memory::RuleRelations>(*space, system_files());
  ANIMA_ASSIGN(auto engine, sparql::Engine::open(space, std::move(rules)));
  auto state = std::make_unique<State>();
  state->gate = gate;
  state->memory = options.memory;
  state->version = options.version;
  state->readonly = options.readonly;
  state->telemetry = options.telemetry;
  http::EndpointOptions endpoint;
  endpoint.readonly = options.readonly;
  endpoint.budget = options.budget;
  endpoint.stop = state->stop.get_token();
  state->endpoint = std::make_unique<http::Endpoint>(std::move(gate), space, std::move(engine),
                                                     std::move(endpoint));
  if (options.memory != nullptr) {
    state->keeper = std::make_unique<http::StreamKeeper>(kTick, kSilence);
    v1::ApiOptions api;
    api.readonly = options.readonly;
    api.stop = state->stop.get_token();
    api.slow = options.slow_reader;
    api.completions = options.completions;
    api.admitted = [admit = admission(options)](const Request &request) {
      const auto caller = admit(request);
      return caller && *caller == request.caller;
    };
    state->api =
        std::make_unique<v1::Api>(*options.memory, state->turn, *state->keeper, std::move(api));
    mcp_http::TransportOptions mcp;
    mcp.sessions.version = options.version;
    mcp.sessions.readonly = options.readonly;
    state->mcp = std::make_unique<mcp_http::Transport>(*options.memory, state->turn, *state->keeper,
                                                       std::move(mcp));
  }
  http::ServerOptions server;
  server.socket = options.socket;
  server.address = std::move(options.address);
  server.port = options.port;
  server.handed = options.handed;
  server.workers = options.workers;
  State &own = *state;
  server.overtakes = [](const Request &request) {
    return request.path == "/metrics" ||
           (request.path == "/mcp" && mcp_http::Transport::overtakes(request));
  };
  server.note = [&own, note = options.note](const http::Noted &noted) {
    own.metrics.count(noted);
    if (own.telemetry != nullptr) own.telemetry->count(noted);
    if (note) note(noted);
  };
  ANIMA_ASSIGN(state->server,
               http::Server::start(server, admission(options),
                                   [&own](const Request &request) { return own.traced(request); }));
  if (own.telemetry != nullptr)
    own.telemetry->observe([&own] { return values_to_send(own.gauges()); });
  return std::unique_ptr<SpaceServer>(new SpaceServer(std::move(state)));
}

SpaceServer::SpaceServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
SpaceServer::~SpaceServer() {
  stop();
  if (state_->telemetry != nullptr) state_->telemetry->observe({});
}

std::uint16_t SpaceServer::port() const { return state_->server->port(); }

void SpaceServer::stop() {
  state_->stop.request_stop();
  state_->server->stop();
}

std::vector<std::string> http_doors() {
  std::vector<std::string> doors = http::sparql_doors();
  for (const v1::Route &route : v1::routes()) doors.emplace_back(route.door);
  return doors;
}

}  // namespace anima::serve
