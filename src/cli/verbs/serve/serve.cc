// anima serve: the space over HTTP, for programs on this machine.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/text/read_number.h"
#include "base/text/text.h"
#include "base/version.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/verbs/serve/memory_parts.h"
#include "cli/verbs/serve/reload.h"
#include "cli/verbs/serve/service_manager.h"
#include "cli/verbs/tools/foreign_tools.h"
#include "serve/request_log.h"
#include "serve/space_server.h"
#include "serve/telemetry.h"

namespace anima::cli {
namespace {

constexpr std::string_view kSocketFile = "/serve.sock";

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

// "127.0.0.1:7411", "[::1]:7411", ":7411".
std::optional<ListenAddress> parse_listen(std::string_view text) {
  ListenAddress address;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  address.host = host.empty() || host == "localhost" ? "127.0.0.1" : std::string(host);
  const auto port = read_number<std::uint16_t>(text.substr(colon + 1));
  if (!port) return std::nullopt;
  address.port = *port;
  return address;
}

// Each connection takes a descriptor, and shells often give a thousand.
void raise_descriptors() {
  constexpr rlim_t kWanted = 16'384;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kWanted) return;
  limit.rlim_cur = std::min(kWanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

void wait_until_interrupted(Context& context, Reload reload) {
  constexpr std::chrono::milliseconds kLook{100};
  SystemClock clock;
  while (!interrupted()) {
    std::this_thread::sleep_for(kLook);
    if (!take_hangup()) continue;
    tell_reloading(context.environment, clock);
    reload.run();
    tell_service_manager(context.environment, "READY=1");
  }
}

struct Wishes {
  bool sparql = false, readonly = false;
  std::optional<std::string> socket, listen;
  std::string schema = "strict", log = "text";
  std::uint64_t seconds = 30;
  std::optional<std::string> completions;
  std::vector<std::string> tools;

  void declare(Options& options) {
    options.flag("--sparql", sparql, "only SPARQL 1.1 at /sparql, and the graphs at /data");
    options.value("--socket PATH", socket,
                  "the socket to listen on (default: serve.sock in the space's folder)");
    options
        .value("--listen ADDRESS:PORT", listen,
               "a loopback address instead, for who shows a token (`anima serve token`); port 0 "
               "takes any that is free")
        .excludes("--socket");
    options.flag("--readonly", readonly, "answer queries only");
    options.value("--timeout SECONDS", seconds, "how long one request may run (default: 30)");
    options
        .value("--schema MODE", schema,
               "open: an UPSERT defines the types and predicates that it uses and nobody defined")
        .choices({"strict", "open"});
    options.value("--log FORM", log, "a line for each request on standard error (default: text)")
        .choices({"text", "json", "off"});
    options
        .value("--completions MODE", completions,
               "on: /v1/chat/completions stands between clients and the models; learn: and keeps "
               "facts that they state (default: the setting serve.completions, off)")
        .choices({"off", "on", "learn"})
        .excludes("--sparql");
    options.values("--tools FILE", tools,
                   "declarations of the tools of those clients (anima guard call --help)");
  }
};

// The models that /v1/chat/completions stands in front of. Errors: those of the models.
Status add_completions(Context& context, const std::string& mode,
                       serve::SpaceServerOptions& server) {
  if (mode == "off") return {};
  ANIMA_ASSIGN(std::shared_ptr<ModelAccess> access, open_models(context));
  if (access->models->configs().models.empty())
    return fail(ErrorCode::kNotFound, "completions need a model, and none is configured", {},
                "anima llm list says how to add one");
  server.completions.models = {access, access->models.get()};
  server.completions.learn = mode == "learn";
  return {};
}

// Nobody could come in at an address without a token.
Status check_tokens(serve::TokenBook& book) {
  ANIMA_ASSIGN(const auto tokens, book.list());
  if (!tokens.empty()) return {};
  return fail(ErrorCode::kDenied, "an address is served to who shows a token, and there is none",
              {}, "anima serve token add NAME, or leave --listen away and use the socket");
}

// What telemetry works with, and telemetry itself.
struct TelemetryAccess {
  SystemClock clock;
  SystemRandom random;
  std::unique_ptr<llm::HttpTransport> transport = llm::make_http_transport(clock);
  std::optional<serve::Telemetry> telemetry;
};

// Telemetry where the environment wants it; null where nothing is to be sent. What of the wishes is
// not followed is told.
std::shared_ptr<serve::Telemetry> open_telemetry(Context& context, const std::string& version) {
  serve::otlp::Settings settings = serve::otlp::read_settings(
      context.environment, context.config.flag("telemetry.remote"), version);
  for (const std::string& each : settings.told) context.warn("telemetry: " + each);
  if (!settings.sends()) return nullptr;
  if (const Status there = llm::http_is_there(); !there) {
    context.warn("telemetry: nothing is sent: " + there.error().message);
    return nullptr;
  }
  auto access = std::make_shared<TelemetryAccess>();
  access->telemetry.emplace(
      std::move(settings), version,
      serve::Telemetry::Parts{access->clock, access->random, *access->transport});
  return {access, &*access->telemetry};
}

// Where a client reaches it.
std::string url_of(const serve::SpaceServer& server, const serve::SpaceServerOptions& options) {
  const bool six = options.address.find(':') != std::string::npos;
  return fmt::format("http://{}:{}", six ? "[" + options.address + "]" : options.address,
                     server.port());
}

void tell(Context& context, const serve::SpaceServer& server,
          const serve::SpaceServerOptions& options) {
  const std::string base = options.socket.empty() ? url_of(server, options) : std::string();
  if (context.json) {
    Json json = Json::object({{"sparql", base + "/sparql"}, {"data", base + "/data"}});
    if (!options.socket.empty()) json.set("socket", options.socket);
    if (options.memory != nullptr) {
      for (const char* each : {"v1", "mcp", "metrics", "readyz"}) json.set(each, base + "/" + each);
      json.set("openapi", base + "/openapi.json");
      if (options.socket.empty()) json.set("page", base + "/");
    }
    context.print_json(json);
    return;
  }
  const std::string where =
      options.socket.empty() ? base : fmt::format("the socket {}", options.socket);
  context.print(
      options.memory == nullptr
          ? fmt::format("SPARQL at /sparql, graphs at /data, of {}; Ctrl-C ends it\n", where)
          : fmt::format("/v1, /mcp, /sparql, /data and /metrics of {}; Ctrl-C ends "
                        "it\n",
                        where));
  if (options.memory != nullptr && options.socket.empty())
    context.print(fmt::format(
        "the page for people: {}/, which asks for a token (`anima serve token add NAME`)\n", base));
}

// Where it listens, and for whom. Errors: kInvalidArgument; kDenied when nobody could come in.
Status place(Context& context, const Wishes& wishes, const std::string& folder,
             serve::SpaceServerOptions& server) {
  ANIMA_ASSIGN(const auto handed, handed_socket(context.environment));
  if (handed && (wishes.listen || wishes.socket))
    return fail(ErrorCode::kInvalidArgument, "systemd hands a socket over, and an option names one",
                {}, "leave --listen and --socket away, or stop the unit of the socket");
  if (handed) server.handed = handed->descriptor;
  if (handed && handed->path.empty()) {
    server.address = handed->address;
  } else if (handed) {
    server.socket = handed->path;
    return {};
  } else if (!wishes.listen) {
    server.socket = wishes.socket.value_or(folder + std::string(kSocketFile));
    return {};
  }
  server.tokens = std::make_shared<serve::TokenBook>(context.files, folder);
  return check_tokens(*server.tokens);
}

int run_serve(Context& context, Arguments arguments) {
  Wishes wishes;
  Options options;
  wishes.declare(options);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  serve::SpaceServerOptions server;
  server.version = std::string(version());
  if (wishes.listen) {
    const auto address = parse_listen(*wishes.listen);
    if (!address) return context.usage_error("this is no address to listen on", "127.0.0.1:7411");
    server.address = address->host;
    server.port = address->port;
  }
  server.readonly = wishes.readonly;
  server.budget.time_ms = static_cast<std::int64_t>(wishes.seconds) * 1000;
  const auto space = open_space(context, wishes.readonly ? Access::kServeReads : Access::kAsItGoes);
  if (!space) return context.fail(space.error());
  if (const Status placed = place(context, wishes, (*space)->folder(), server); !placed)
    return context.fail(placed.error());
  const std::string completions =
      wishes.completions.value_or(context.config.text("serve.completions"));
  if (completions == "off" && !wishes.tools.empty())
    return context.usage_error("--tools is for --completions");
  if (!wishes.sparql) {
    auto tools = foreign_tools(context, wishes.tools);
    if (!tools) return context.fail(tools.error());
    if (const Status added = add_completions(context, completions, server); !added)
      return context.fail(added.error());
    auto parts = open_memory_parts(
        context, {.door = {"http", "server", server.author, govern::Trust::kUntrusted},
                  .readonly = wishes.readonly,
                  .define_on_use = wishes.schema == "open",
                  .time_ms = server.budget.time_ms,
                  .own_tools = *std::move(tools)});
    if (!parts) return context.fail(parts.error());
    server.memory = std::make_shared<serve::MemoryParts>(*std::move(parts));
  }
  std::optional<serve::RequestLog> log;
  if (wishes.log != "off") {
    log.emplace(wishes.log == "json" ? serve::LogForm::kJson : serve::LogForm::kText,
                [&context](std::string_view line) {
                  context.err.write(line);
                  context.err.flush();
                });
    server.note = [&log](const serve::http::Noted& noted) { log->add(noted); };
  }
  server.telemetry = open_telemetry(context, server.version);
  take_hangups();
  raise_descriptors();
  const auto started = serve::SpaceServer::start(context.gate, server);
  if (!started) return context.fail(started.error());
  tell(context, **started, server);
  context.out.flush();
  tell_service_manager(context.environment, "READY=1");
  wait_until_interrupted(context, Reload(context, server.tokens.get()));
  tell_service_manager(context.environment, "STOPPING=1");
  (*started)->stop();
  if (server.telemetry != nullptr) server.telemetry->stop();
  return kDone;
}

}  // namespace

extern const Verb kServe;
const Verb kServe{"serve",
                  Group::kKeeping,
                  "serves the space to programs on this machine over HTTP",
                  "[--sparql] [--socket PATH | --listen ADDRESS:PORT] [--readonly] "
                  "[--timeout SECONDS] [--schema open] [--log text|json|off] "
                  "[--completions on|learn [--tools FILE]...] [--json]",
                  "anima serve\n"
                  "anima serve --listen 127.0.0.1:7411 --log json\n"
                  "anima serve --sparql --readonly\n"
                  "anima serve --listen 127.0.0.1:7411 --completions on --tools tools.json",
                  run_serve};

}  // namespace anima::cli
