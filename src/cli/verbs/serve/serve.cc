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

constexpr std::size_t kMinKeyBytes = 16;

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

// A secret that nobody but its owner can read.
Result<std::string> read_key(Context &context, const std::string &file) {
  ANIMA_ASSIGN(const FileInfo info, context.files.info(file));
  if ((info.permissions & 077) != 0) {
    return fail(ErrorCode::kDenied, "others can read the key", file, "chmod 600 " + file);
  }
  ANIMA_ASSIGN(const std::string text, context.read_input(file));
  std::string key(trim(text));
  if (key.size() < kMinKeyBytes || key.find_first_of(" \t\r\n") != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "the key is no line of at least 16 characters", file,
                "openssl rand -hex 32 > " + file);
  }
  return key;
}

void wait_until_interrupted() {
  constexpr std::chrono::milliseconds kLook{100};
  while (!interrupted()) std::this_thread::sleep_for(kLook);
}

int run_serve(Context &context, Arguments arguments) {
  bool sparql = false;
  bool readonly = false;
  std::string listen = "127.0.0.1:7411";
  std::optional<std::string> key_file;
  std::uint64_t seconds = 30;
  Options options;
  options.flag("--sparql", sparql, "SPARQL 1.1 at /sparql, and the graphs at /data");
  options.value("--listen ADDRESS:PORT", listen,
                "a loopback address; port 0 takes any that is free (default: "
                "127.0.0.1:7411)");
  options.flag("--readonly", readonly, "answer queries only");
  options.value("--key-file FILE", key_file,
                "who shows this key (Authorization: Bearer KEY) is trusted as "
                "standard; everybody "
                "else is untrusted");
  options.value("--timeout SECONDS", seconds, "how long one request may run (default: 30)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!sparql) return context.usage_error("nothing is to be served", "say --sparql");
  const auto address = parse_listen(listen);
  if (!address) return context.usage_error("this is no address to listen on", "127.0.0.1:7411");
  serve::SparqlServerOptions server;
  server.address = address->host;
  server.port = address->port;
  server.readonly = readonly;
  server.budget.time_ms = static_cast<std::int64_t>(seconds) * 1000;
  if (key_file) {
    auto key = read_key(context, *key_file);
    if (!key) return context.fail(key.error());
    server.key = std::move(*key);
  }
  auto space = open_space(context, readonly ? Access::kServeReads : Access::kAsItGoes);
  if (!space) return context.fail(space.error());
  const auto started = serve::SparqlServer::start(context.gate, std::move(server));
  if (!started) return context.fail(started.error());
  const bool six = address->host.find(':') != std::string::npos;
  const std::string url = fmt::format(
      "http://{}:{}", six ? "[" + address->host + "]" : address->host, (*started)->port());
  if (context.json) {
    context.print_json(Json::object({{"sparql", url + "/sparql"}, {"data", url + "/data"}}));
  } else {
    context.print(fmt::format("SPARQL at {0}/sparql, graphs at {0}/data; Ctrl-C ends it\n", url));
  }
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
                  "--sparql [--listen ADDRESS:PORT] [--readonly] [--key-file FILE] "
                  "[--timeout SECONDS]",
                  "anima serve --sparql\n"
                  "anima serve --sparql --listen 127.0.0.1:8080 --readonly",
                  run_serve};

}  // namespace anima::cli
