#include "tools/mcp/tools_of_others.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "llm/json_schema.h"
#include "store/act.h"
#include "tools/detail/arguments.h"
#include "tools/mcp/detail/client.h"
#include "tools/sandbox/sealed_program.h"

namespace anima::tools {
namespace {

constexpr std::int64_t kConnectMs = 60'000;  // a server may have to be installed first
constexpr std::int64_t kListMs = 30'000;
constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::size_t kMostLines = 40;  // of a difference, in the audit

govern::Trust own_trust() { return govern::Trust::kSystem; }

Result<std::unique_ptr<mcp::Transport>> open_transport(const ToolServer& server, Clock& clock,
                                                       const OthersOptions& options,
                                                       llm::HttpTransport& http) {
  if (server.program.command.empty()) {
    llm::Secret key;
    if (!server.key_env.empty()) {
      ANIMA_ASSIGN(key, llm::read_key({llm::KeySource::Kind::kEnvironment, server.key_env},
                                      options.environment, system_files()));
    }
    return mcp::open_address(server.url, std::move(key), http);
  }
  ANIMA_ASSIGN(SandboxRequest request,
               sandbox_request(server.program, options.environment, options.best_effort));
  request.limits.cpu_seconds = 24 * 3600;
  return mcp::open_program(request, clock, hidden_arguments_hint(server.program));
}

Error in_server(const ToolServer& server, Error error) {
  error.message = "the server " + server.name + ": " + error.message;
  return error;
}

// What a program of a manifest printed.
Json printed(std::string_view out) {
  const std::string text = valid_text(out);
  if (auto json = parse_json(trim(text), {.max_depth = 64, .max_bytes = kMostOutput})) return *json;
  return Json::object({{"text", text}});
}

}  // namespace

struct ToolsOfOthers::Connection {
  std::unique_ptr<llm::HttpTransport> http;  // outlives the client
  std::unique_ptr<mcp::Client> client;
  std::string hash;  // of what it was compared with
};

ToolsOfOthers::ToolsOfOthers(store::Space& space, govern::AuditLog& audit, Clock& clock,
                             OthersOptions options, govern::ToolRunner& others)
    : space_(space), audit_(audit), clock_(clock), options_(std::move(options)), others_(others) {}
ToolsOfOthers::~ToolsOfOthers() = default;

Status ToolsOfOthers::load(const govern::PermissionTable& taken) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space_.snapshot());
  ANIMA_ASSIGN(book_, read_tool_book(snapshot));
  places_.clear();
  declarations_.clear();
  const auto add = [&](const govern::ToolDeclaration& declaration, Place place) {
    if (taken.find(declaration.name) != nullptr || others_.has(declaration.name)) return;
    if (places_.emplace(declaration.name, std::move(place)).second)
      declarations_.push_back(declaration);
  };
  for (const ToolServer& server : book_.servers) {
    for (const ToolServer::Known& each : server.tools)
      add(each.declaration, {server.name, each.offered.name, nullptr});
  }
  for (const ToolManifest& manifest : book_.manifests) {
    for (const CommandTool& each : manifest.tools) add(each.declaration, {{}, {}, &each});
  }
  std::ranges::sort(declarations_, {}, &govern::ToolDeclaration::name);
  return {};
}

void ToolsOfOthers::add_policies(govern::PermissionTable& table) const {
  for (const govern::ToolDeclaration& each : declarations_) table.set(each.policy());
}

const govern::ToolDeclaration* ToolsOfOthers::declaration(std::string_view tool) const {
  const auto found = std::ranges::lower_bound(
      declarations_, tool, {}, [](const auto& each) -> std::string_view { return each.name; });
  return found != declarations_.end() && found->name == tool ? &*found : nullptr;
}

bool ToolsOfOthers::is_sealed(std::string_view tool) const {
  const auto place = places_.find(tool);
  return place != places_.end() && place->second.command != nullptr &&
         !place->second.command->program.sealed.empty();
}

std::string ToolsOfOthers::stopped(std::string_view tool) const {
  const auto place = places_.find(tool);
  if (place == places_.end()) return {};
  for (const ToolServer& server : book_.servers) {
    if (server.name == place->second.server) return server.stopped;
  }
  return {};
}

bool ToolsOfOthers::has(std::string_view tool) const {
  return places_.contains(tool) || others_.has(tool);
}

Result<Json> ToolsOfOthers::run_until(const std::stop_token& stop, std::string_view tool,
                                      const Json& arguments, std::int64_t timeout_milliseconds) {
  const auto place = places_.find(tool);
  if (place == places_.end()) return others_.run_until(stop, tool, arguments, timeout_milliseconds);
  if (const govern::ToolDeclaration* declared = declaration(tool))
    ANIMA_TRY(declared->check_arguments(arguments));
  const std::int64_t timeout = timeout_milliseconds > 0 ? timeout_milliseconds : 30'000;
  if (place->second.command != nullptr)
    return run_command(*place->second.command, arguments, timeout, stop);
  const std::lock_guard lock(mutex_);
  return run_there(place->second, arguments, timeout, stop);
}

Result<Json> ToolsOfOthers::run_command(const CommandTool& tool, const Json& arguments,
                                        std::int64_t timeout, const std::stop_token& stop) {
  if (!tool.program.sealed.empty()) {
    SealedOptions options;
    options.wall_ms = std::min(timeout, tool.declaration.timeout_milliseconds);
    options.best_effort = options_.best_effort;
    options.stop = stop;
    return run_sealed(tool.declaration.name, tool.program, arguments, options);
  }
  ANIMA_ASSIGN(SandboxRequest request,
               sandbox_request(tool.program, options_.environment, options_.best_effort));
  request.input = arguments.dump() + "\n";
  request.limits.wall_ms = std::min(timeout, tool.declaration.timeout_milliseconds);
  request.limits.cpu_seconds = static_cast<std::uint64_t>(request.limits.wall_ms / 1000 + 1);
  request.limits.tree_cpu_seconds = 4 * request.limits.cpu_seconds;
  request.limits.output_bytes = kMostOutput;
  request.stop = stop;
  const std::string& name = tool.declaration.name;
  ANIMA_ASSIGN(const SandboxRun run, run_sandboxed(request));
  if (run.stopped) return fail(ErrorCode::kCancelled, name + " was ended: its call was taken back");
  if (run.process.timed_out) {
    return fail(ErrorCode::kTimeout,
                name + " was ended after " + std::to_string(request.limits.wall_ms) + " ms");
  }
  if (run.out_of_memory)
    return fail(ErrorCode::kLimitExceeded, name + " took too much memory and was ended");
  if (run.out_of_processor)
    return fail(ErrorCode::kLimitExceeded, name + " took too much processor time and was ended");
  if (!run.process.ok()) {
    const std::string said = mcp::server_text(run.process.err);
    return fail(ErrorCode::kIo,
                name + " failed (exit code " + std::to_string(run.process.exit_code) + ")" +
                    (said.empty() ? said : ": " + said),
                {}, hidden_arguments_hint(tool.program));
  }
  if (run.process.truncated)
    return fail(ErrorCode::kLimitExceeded, name + " printed more than 1 MiB");
  Json result = printed(run.process.out);
  if (!tool.declaration.results.is_null()) {
    if (const auto wrong = llm::validate(tool.declaration.results, result); !wrong.empty()) {
      return fail(ErrorCode::kCorrupt,
                  "what " + name + " printed does not fit its `results`: " + llm::describe(wrong));
    }
  }
  return result;
}

Result<Json> ToolsOfOthers::run_there(const Place& place, const Json& arguments,
                                      std::int64_t timeout, const std::stop_token& stop) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space_.snapshot());
  ANIMA_ASSIGN(const auto server, find_tool_server(snapshot, place.server));
  if (!server) {
    connections_.erase(place.server);
    return fail(ErrorCode::kNotFound, "the server " + place.server + " was removed");
  }
  if (!server->stopped.empty()) {
    connections_.erase(place.server);
    return fail(ErrorCode::kDenied,
                "the server " + server->name + " is stopped: " + server->stopped, {},
                "the owner sees what changed with `anima mcp accept " + server->name + "`");
  }
  const auto known = std::ranges::find_if(server->tools, [&](const ToolServer::Known& each) {
    return each.offered.name == place.name_there;
  });
  if (known == server->tools.end())
    return fail(ErrorCode::kNotFound, "the server " + server->name + " has this tool no more");
  ANIMA_ASSIGN(Connection* const there, connection(*server, stop));
  auto result = there->client->call(place.name_there, arguments, timeout, stop);
  if (!result && result.error().code != ErrorCode::kInvalidArgument &&
      !result.error().message.starts_with("the tool failed")) {
    connections_.erase(server->name);  // what state it is in nobody knows
  }
  if (!result) return fail(in_server(*server, result.error()));
  const Json* structured = result->find("structured");
  if (structured != nullptr && !known->offered.output_schema.is_null()) {
    const Json schema = checkable_schema(known->offered.output_schema);
    if (const auto wrong = llm::validate(schema, *structured); !wrong.empty()) {
      return fail(ErrorCode::kCorrupt,
                  "what the server " + server->name +
                      " answered does not fit its own schema: " + llm::describe(wrong));
    }
  }
  return result;
}

// One that was compared with what the owner accepted.
Result<ToolsOfOthers::Connection*> ToolsOfOthers::connection(const ToolServer& server,
                                                             const std::stop_token& stop) {
  auto& held = connections_[server.name];
  if (held && (held->hash != server.hash || !held->client->catch_up())) held.reset();
  if (held) {
    if (held->client->take_changed()) ANIMA_TRY(compare(server, *held, stop));
    return held.get();
  }
  auto fresh = std::make_unique<Connection>();
  fresh->hash = server.hash;
  fresh->http = llm::make_http_transport(clock_);
  auto transport = open_transport(server, clock_, options_, *fresh->http);
  if (!transport) return fail(in_server(server, transport.error()));
  auto client = mcp::Client::connect(*std::move(transport), clock_, kConnectMs, stop);
  if (!client) return fail(in_server(server, client.error()));
  fresh->client = *std::move(client);
  ANIMA_TRY(compare(server, *fresh, stop));
  held = std::move(fresh);
  return held.get();
}

Status ToolsOfOthers::compare(const ToolServer& server, Connection& connection,
                              const std::stop_token& stop) {
  auto now = connection.client->list_tools(kListMs, stop);
  if (!now) return fail(in_server(server, now.error()));
  if (hash_of_tools(*now) == server.hash) return {};
  const Error error = alarm(server, *now);
  connections_.erase(server.name);
  return fail(error);
}

// Stops the server for every process, and says so in the audit.
Error ToolsOfOthers::alarm(const ToolServer& server, const std::vector<ServerTool>& now) {
  // The call that finds it fails, and what it wrote is taken back; this stays.
  const store::ActScope of_no_act("", store::ActKind::kOwn);
  const std::vector<std::string> lines = difference_of_tools(server.offered(), now);
  Json shown = Json::array();
  for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i)
    shown.push_back(mcp::server_text(lines[i]));
  const std::string why =
      "it changed its tools (" + std::to_string(lines.size()) + " lines differ)";
  Error error{ErrorCode::kDenied,
              "the server " + server.name + " is stopped: " + why,
              {},
              "the owner sees what changed with `anima mcp accept " + server.name + "`"};
  const auto written = audit_.write(
      "security_event", "system", own_trust(),
      Json::object({{"eventType", "tool_server_changed"},
                    {"severity", "high"},
                    {"source", server.name},
                    {"details", Json::object({{"server", server.name},
                                              {"accepted", server.hash},
                                              {"now", hash_of_tools(now)},
                                              {"difference", std::move(shown)}})},
                    {"layer", "tools"},
                    {"reason", error.message},
                    {"missing", Json::array({Json("anima mcp accept " + server.name)})},
                    {"mitigated", true}}));
  ToolServer halted = server;
  halted.stopped = why;
  store::Origin origin;
  origin.author = "anima";
  origin.source = "tools of " + server.name;
  origin.trust = store::Trust::kSystem;
  const Status put = put_tool_server(space_, origin, halted);
  if (!written) error.message += "; and the audit takes nothing: " + written.error().message;
  if (!put) error.message += "; and the stop was not kept: " + put.error().message;
  return error;
}

ToolInfo info_of(const govern::ToolDeclaration& declaration) {
  ToolInfo info;
  info.name = declaration.name;
  info.description = declaration.description;
  const govern::Tier tier = declaration.tier_of();
  info.danger = tier == govern::Tier::kReadOnly           ? Danger::kSafe
                : tier == govern::Tier::kWriteSafe        ? Danger::kCautious
                : tier == govern::Tier::kWriteDestructive ? Danger::kDangerous
                                                          : Danger::kCritical;
  const Json* properties = declaration.arguments.find("properties");
  const Json* required = declaration.arguments.find("required");
  if (properties == nullptr) return info;
  for (const auto& [name, schema] : properties->as_object()) {
    ToolParameter parameter;
    parameter.name = name;
    const Json* description = schema.find("description");
    if (description != nullptr) parameter.description = description->as_string();
    if (required != nullptr)
      parameter.required =
          std::ranges::find(required->as_array(), Json(name)) != required->as_array().end();
    info.parameters.push_back(std::move(parameter));
  }
  return info;
}

Result<ServerLook> look_at_server(const ToolServer& server, Clock& clock,
                                  const OthersOptions& options, const std::stop_token& stop) {
  const auto http = llm::make_http_transport(clock);
  ANIMA_ASSIGN(auto transport, open_transport(server, clock, options, *http));
  ANIMA_ASSIGN(const auto client,
               mcp::Client::connect(std::move(transport), clock, kConnectMs, stop));
  ServerLook look;
  look.name = client->server().name;
  look.version = client->server().version;
  look.protocol = client->server().protocol;
  ANIMA_ASSIGN(look.tools, client->list_tools(kListMs, stop));
  return look;
}

}  // namespace anima::tools
