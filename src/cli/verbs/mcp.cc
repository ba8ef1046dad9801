// anima mcp: the memory as an MCP server over standard input and output.
#include "serve/mcp.h"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cli/frame/access.h"
#include "cli/frame/bounded_lines.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "memory/rule_relations.h"

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

// Messages that were read and not answered yet. The reader waits when there are many.
class Waiting {
 public:
  // Nothing: a message of which more came than is read.
  void put(std::optional<std::string> line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [this] { return ended_ || (lines_.size() < kMost && bytes_ < kMostBytes); });
    bytes_ += line ? line->size() : 0;
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  bool ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  // False when none will come any more.
  bool take(std::optional<std::string>* line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !lines_.empty(); });
    if (lines_.empty()) return false;
    *line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= *line ? (*line)->size() : 0;
    changed_.notify_all();
    return true;
  }

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostBytes = 2 * kMaxMessageBytes;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::optional<std::string>> lines_;
  std::size_t bytes_ = 0;
  bool ended_ = false;
};

// Answers them in their order; false when an answer could not be written.
bool answer_all(Context& context, serve::McpServer& server, Waiting& waiting) {
  std::optional<std::string> line;
  while (!interrupted() && waiting.take(&line)) {
    bool silent = false;
    const Json answer =
        line ? answer_to(server, *line, &silent) : serve::McpServer::too_long(kMaxMessageBytes);
    if (silent) continue;
    context.out.write(answer.dump() + "\n");
    context.out.flush();
    if (context.out.failure() != 0) return false;
  }
  return true;
}

// A request may be taken back while it runs: such a message does not wait for its turn.
bool cancels(serve::McpServer& server, const std::string& line) {
  constexpr std::size_t kMostBytes = 4096;
  if (line.size() > kMostBytes || line.find("notifications/cancelled") == std::string::npos)
    return false;
  const auto message = parse_json(line);
  if (!message || !serve::McpServer::is_cancellation(*message)) return false;
  server.handle(*message);
  return true;
}

// One message a line until the input ends; nothing else goes to standard output. This thread reads,
// another one answers.
int serve_lines(Context& context, serve::McpServer& server) {
  BoundedLines lines(STDIN_FILENO, kMaxMessageBytes, [] {
    while (!wait_for_input()) {
      if (interrupted()) return false;
    }
    return true;
  });
  Waiting waiting;
  bool written = true;
  std::thread answers([&] {
    written = answer_all(context, server, waiting);
    waiting.end();
  });
  std::string line;
  for (auto got = lines.next(line); got != BoundedLines::Got::kEnd; got = lines.next(line)) {
    if (interrupted() || waiting.ended()) break;
    if (got == BoundedLines::Got::kTooLong) {
      waiting.put(std::nullopt);
    } else if (line.find_first_not_of(" \t\r") != std::string::npos && !cancels(server, line)) {
      waiting.put(std::move(line));
    }
  }
  waiting.end();
  answers.join();
  if (!written) return kFailed;
  return interrupted() ? kInterrupted : kDone;
}

int run_mcp(Context& context, Arguments arguments) {
  bool readonly = false;
  bool act = false;
  bool create = false;
  std::string trust = "untrusted", source = "mcp", schema = "strict";
  Options options;
  options.flag("--readonly", readonly, "offer the reading tools only");
  options
      .flag("--act", act,
            "offer what acts too, each call judged: list_tools, call_tool, approval_status")
      .excludes("--readonly");
  options.flag("--create", create, "make the space when there is none, as `anima init` does")
      .excludes("--readonly");
  options.value("--trust LEVEL", trust, "how far what this client writes and wants is trusted")
      .choices({"untrusted", "standard", "verified", "operator"});
  options
      .value("--schema MODE", schema,
             "open: an UPSERT defines the types and predicates that it uses and nobody defined")
      .choices({"strict", "open"});
  options.value("--source TEXT", source, "where it says its writes come from");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (act && trust == "operator")
    return context.usage_error("with --act the trust is at most verified: a model is no owner");
  const bool there = file_exists(context.files, join_path(context.space, "log.db"));
  auto space = open_space(context, readonly ? Access::kRead
                                   : create ? Access::kCreate
                                            : Access::kWrite);
  if (!space) {
    Error error = space.error();
    if (error.code == ErrorCode::kNotFound && !readonly) {
      error.hint += (error.hint.empty() ? "" : ", or with ") + std::string("`anima mcp --create`");
    }
    return context.fail(error);
  }
  if (!there) context.note("made a space in " + context.space);
  kip::EngineOptions engine_options;
  engine_options.budget.cancelled = &interrupt_flag();
  engine_options.load_genesis = !readonly;
  engine_options.derived = std::make_shared<memory::RuleRelations>(**space, context.files);
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
  mcp.define_on_use = schema == "open";
  auto settings = house_options(context, **space);
  if (!settings) return context.fail(settings.error());
  settings->agent = serve::kMcpAgent;
  settings->own_tools = serve::McpMemory::judged_tools();
  auto house = open_house(*space, std::move(*settings));
  if (!house) return context.fail(house.error());
  agent::SpaceWhy why(*space, context.files);
  const govern::Trust level = *govern::parse_trust(trust);
  serve::McpMemory memory(
      **house, why,
      {.trust = level, .author = mcp.origin.author, .source = source, .readonly = readonly});
  mcp.memory = &memory;
  std::optional<serve::McpActing> acting;
  if (act) {
    acting.emplace(**house, level);
    mcp.acting = &*acting;
  }
  const auto asker = agent::SpaceAsker::open(*space, context.files);
  if (!asker) return context.fail(asker.error());
  mcp.asker = asker->get();
  serve::McpServer server(*engine, std::move(mcp));
  return serve_lines(context, server);
}

}  // namespace

extern const Verb kMcp;
const Verb kMcp{"mcp",
                Group::kKeeping,
                "serves the memory over MCP on standard input and output",
                "[--readonly | --act] [--create] [--schema open] [--trust LEVEL] [--source TEXT]",
                "anima mcp --space ./memory\n"
                "anima mcp --space ./memory --create --schema open\n"
                "anima mcp --act --trust standard",
                run_mcp};

}  // namespace anima::cli
