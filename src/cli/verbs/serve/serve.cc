// anima serve: the space over HTTP, for programs on this machine.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "serve/sparql_server.h"

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
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size() || port.empty()) return std::nullopt;
  return address;
}

void wait_until_interrupted() {
  constexpr std::chrono::milliseconds kLook{100};
  while (!interrupted()) std::this_thread::sleep_for(kLook);
}

struct Wishes {
  bool sparql = false, readonly = false;
  std::optional<std::string> socket, listen;
  std::uint64_t seconds = 30;

  void declare(Options& options) {
    options.flag("--sparql", sparql, "SPARQL 1.1 at /sparql, and the graphs at /data");
    options.value("--socket PATH", socket,
                  "the socket to listen on (default: serve.sock in the space's folder)");
    options
        .value("--listen ADDRESS:PORT", listen,
               "a loopback address instead, for who shows a token (`anima serve token`); port 0 "
               "takes any that is free")
        .excludes("--socket");
    options.flag("--readonly", readonly, "answer queries only");
    options.value("--timeout SECONDS", seconds, "how long one request may run (default: 30)");
  }
};

// Nobody could come in at an address without a token.
Status check_tokens(serve::TokenBook& book) {
  ANIMA_ASSIGN(const auto tokens, book.list());
  if (!tokens.empty()) return {};
  return fail(ErrorCode::kDenied, "an address is served to who shows a token, and there is none",
              {}, "anima serve token add NAME, or leave --listen away and use the socket");
}

void tell(Context& context, const serve::SparqlServer& server,
          const serve::SparqlServerOptions& options) {
  if (!options.socket.empty()) {
    if (context.json) {
      context.print_json(
          Json::object({{"socket", options.socket}, {"sparql", "/sparql"}, {"data", "/data"}}));
    } else {
      context.print(
          fmt::format("SPARQL at /sparql, graphs at /data, of the socket {}; Ctrl-C ends it\n",
                      options.socket));
    }
    return;
  }
  const bool six = options.address.find(':') != std::string::npos;
  const std::string url = fmt::format(
      "http://{}:{}", six ? "[" + options.address + "]" : options.address, server.port());
  if (context.json) {
    context.print_json(Json::object({{"sparql", url + "/sparql"}, {"data", url + "/data"}}));
  } else {
    context.print(fmt::format("SPARQL at {0}/sparql, graphs at {0}/data; Ctrl-C ends it\n", url));
  }
}

int run_serve(Context& context, Arguments arguments) {
  Wishes wishes;
  Options options;
  wishes.declare(options);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!wishes.sparql) return context.usage_error("nothing is to be served", "say --sparql");
  serve::SparqlServerOptions server;
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
  if (wishes.listen) {
    server.tokens = std::make_shared<serve::TokenBook>(context.files, (*space)->folder());
    if (const Status usable = check_tokens(*server.tokens); !usable)
      return context.fail(usable.error());
  } else {
    server.socket = wishes.socket.value_or((*space)->folder() + std::string(kSocketFile));
  }
  const auto started = serve::SparqlServer::start(context.gate, server);
  if (!started) return context.fail(started.error());
  tell(context, **started, server);
  context.out.flush();
  wait_until_interrupted();
  (*started)->stop();
  return kDone;
}

}  // namespace

extern const Verb kServe;
const Verb kServe{"serve",
                  Group::kKeeping,
                  "serves the space to programs on this machine over HTTP",
                  "--sparql [--socket PATH | --listen ADDRESS:PORT] [--readonly] "
                  "[--timeout SECONDS] [--json]",
                  "anima serve --sparql\n"
                  "anima serve --sparql --listen 127.0.0.1:7411 --readonly",
                  run_serve};

}  // namespace anima::cli
