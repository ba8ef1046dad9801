// anima mcp: the memory as an MCP server over standard input and output.
#include <unistd.h>

#include <memory>
#include <optional>

#include "cli/bounded_lines.h"
#include "cli/house_access.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/space_access.h"
#include "serve/mcp.h"

namespace anima::cli {
namespace {

constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 20;

Json answer_to(serve::McpServer& server, const std::string& line, bool* silent) {
  JsonLimits limits;
  limits.max_bytes = kMaxMessageBytes;
  const auto message = parse_json(line, limits);
  if (!message) return serve::McpServer::parse_error(message.error().describe());
  auto answer = server.handle(*message);
  *silent = !answer.has_value();
  return answer ? std::move(*answer) : Json();
}

// One message a line until the input ends; nothing else goes to standard output.
int serve_lines(Context& context, serve::McpServer& server) {
  BoundedLines lines(STDIN_FILENO, kMaxMessageBytes, [] {
    while (!wait_for_input()) {
      if (interrupted()) return false;
    }
    return true;
  });
  std::string line;
  for (auto got = lines.next(line); got != BoundedLines::Got::kEnd; got = lines.next(line)) {
    if (interrupted()) break;
    const bool too_long = got == BoundedLines::Got::kTooLong;
    if (!too_long && line.find_first_not_of(" \t\r") == std::string::npos) continue;
    bool silent = false;
    const Json answer =
        too_long ? serve::McpServer::too_long(kMaxMessageBytes) : answer_to(server, line, &silent);
    if (silent) continue;
    context.out.write(answer.dump() + "\n");
    context.out.flush();
    if (context.out.failure() != 0) return kFailed;
  }
  return interrupted() ? kInterrupted : kDone;
}

int run_mcp(Context& context, Arguments arguments) {
  bool readonly = false;
  bool act = false;
  std::string trust = "untrusted", source = "mcp";
  Options options;
  options.flag("--readonly", readonly, "offer the reading tools only");
  options.flag("--act", act, "offer tools too, each call judged: recall, remember, call_tool ..")
      .excludes("--readonly");
  options.value("--trust LEVEL", trust, "how far what this client writes and wants is trusted")
      .choices({"untrusted", "standard", "verified", "operator"});
  options.value("--source TEXT", source, "where it says its writes come from");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (act && trust == "operator")
    return context.usage_error("with --act the trust is at most verified: a model is no owner");
  auto space = open_space(context, readonly ? Access::kRead : Access::kCreate);
  if (!space) return context.fail(space.error());
  kip::EngineOptions engine_options;
  engine_options.budget.cancelled = &interrupt_flag();
  engine_options.load_genesis = !readonly;
  auto engine = kip::Engine::open(*space, std::move(engine_options));
  if (!engine) return context.fail(engine.error());
  serve::McpOptions mcp;
  mcp.readonly = readonly;
  mcp.origin = local_origin(context, source);
  mcp.origin.author = "mcp:" + mcp.origin.author;
  mcp.origin.trust = trust == "operator"   ? store::Trust::kOperator
                     : trust == "verified" ? store::Trust::kVerified
                     : trust == "standard" ? store::Trust::kStandard
                                           : store::Trust::kUntrusted;
  SystemClock clock;
  SystemRandom random;
  std::unique_ptr<agent::GovernedHouse> house;
  std::optional<serve::McpActing> acting;
  if (act) {
    auto settings = house_options(context, **space);
    if (!settings) return context.fail(settings.error());
    settings->agent = serve::kMcpAgent;
    auto opened = agent::GovernedHouse::open(*space, clock, random, std::move(*settings));
    if (!opened) return context.fail(opened.error());
    house = std::move(*opened);
    acting.emplace(*house, *govern::parse_trust(trust), mcp.origin.author, source);
    mcp.acting = &*acting;
  }
  serve::McpServer server(*engine, std::move(mcp));
  return serve_lines(context, server);
}

}  // namespace

extern const Verb kMcp;
const Verb kMcp{"mcp",
                Group::kKeeping,
                "serves the memory over MCP on standard input and output",
                "[--readonly | --act] [--trust LEVEL] [--source TEXT]",
                "anima mcp --space ./memory\n"
                "anima mcp --act --trust standard",
                run_mcp};

}  // namespace anima::cli
