// anima mcp: the memory as an MCP server over standard input and output.
#include "serve/mcp.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/verbs/serve/mcp_front.h"
#include "cli/verbs/serve/mcp_lines.h"
#include "cli/verbs/serve/memory_parts.h"
#include "cli/verbs/tools/foreign_tools.h"

namespace anima::cli {
namespace {

int run_mcp(Context& context, Arguments arguments) {
  bool readonly = false;
  bool act = false;
  bool create = false, front = false, no_questions = false;
  std::optional<std::string> given_trust;
  std::string source = "mcp", schema = "strict";
  std::vector<std::string> command, guarded_tools;
  bool guard = false;
  SessionOptions session;
  std::optional<std::string> session_name;
  Options options;
  options.flag("--readonly", readonly, "offer the reading tools only");
  options
      .flag("--act", act,
            "offer what acts too, each call judged: list_tools, call_tool, approval_status")
      .excludes("--readonly");
  options.flag("--create", create, "make the space when there is none, as `anima init` does")
      .excludes("--readonly");
  options
      .flag("--front", front,
            "stand in front of another MCP server: offer its tools and judge each call")
      .excludes("--readonly")
      .excludes("--act");
  options
      .flag("--guard", guard,
            "the client asks before it acts by tools of its own: check_call, report_result")
      .excludes("--readonly")
      .excludes("--front");
  options.values("--tools FILE", guarded_tools,
                 "with --guard: declarations of those tools (anima guard call --help)");
  options.value("--session ID", session_name,
                "with --guard, --act, --front: the session that is gone on with (guard, mcp, mcp)");
  options.value("--message TEXT", session.message,
                "with these: the owner's words that it acts for");
  options.flag("--no-questions", no_questions, "with --front: never ask the person at the client");
  options.positional(
      "COMMAND", command,
      "with --front: the name of a server of `anima mcp add`, or a command behind --");
  options
      .value("--trust LEVEL", given_trust,
             "how far what this client writes and wants is trusted (untrusted; standard with "
             "--front)")
      .choices({"untrusted", "standard", "verified", "operator"});
  options
      .value("--schema MODE", schema,
             "open: an UPSERT defines the types and predicates that it uses and nobody defined")
      .choices({"strict", "open"});
  options.value("--source TEXT", source, "where it says its writes come from");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const std::string trust = given_trust.value_or(front ? "standard" : "untrusted");
  if ((act || front) && trust == "operator")
    return context.usage_error(
        "where a client acts the trust is at most verified: a model is no "
        "owner");
  const govern::Trust level = *govern::parse_trust(trust);
  session.name = session_name.value_or(guard ? "guard" : "mcp");
  if (front) return run_mcp_front(context, command, {level, !no_questions, session});
  if (guard && guarded_tools.empty())
    return context.usage_error("--guard needs the tools that are judged", "--tools tools.json");
  if (!guard && !guarded_tools.empty()) return context.usage_error("--tools is for --guard");
  if (!guard && !act && session.message)
    return context.usage_error("--message is for --guard, --act and --front");
  if (!command.empty())
    return context.usage_error("a command is for --front, or for `anima mcp add`");
  const bool there = space_is_there(context);
  auto space = open_space(context, readonly ? Access::kServeReads
                                   : create ? Access::kCreate
                                            : Access::kAsItGoes);
  if (!space) {
    Error error = space.error();
    if (error.code == ErrorCode::kNotFound && !readonly) {
      error.hint += (error.hint.empty() ? "" : ", or with ") + std::string("`anima mcp --create`");
    }
    return context.fail(error);
  }
  if (!there) context.note("made a space in " + context.space);
  auto foreign = foreign_tools(context, guarded_tools);
  if (!foreign) return context.fail(foreign.error());
  // Each use of a tool is judged before it comes to the space.
  auto parts = open_memory_parts(context, {.door = {std::string(serve::kMcpDoor), "server",
                                                    std::string(serve::kMcpAgent), level},
                                           .readonly = readonly,
                                           .define_on_use = schema == "open",
                                           .own_tools = *std::move(foreign)});
  if (!parts) return context.fail(parts.error());
  agent::GovernedHouse& house = *parts->house;
  serve::McpOptions mcp;
  mcp.readonly = readonly;
  mcp.origin = local_origin(context, source);
  mcp.origin.author = "mcp:" + mcp.origin.author;
  mcp.origin.trust = trust == "operator"   ? store::Trust::kOperator
                     : trust == "verified" ? store::Trust::kVerified
                     : trust == "standard" ? store::Trust::kStandard
                                           : store::Trust::kUntrusted;
  mcp.define_on_use = schema == "open";
  serve::McpMemory memory(
      house, *parts->why,
      {.trust = level, .author = mcp.origin.author, .source = source, .readonly = readonly});
  mcp.memory = &memory;
  std::unique_ptr<agent::GuardSession> guarded;
  std::optional<serve::McpActing> acting;
  std::optional<serve::McpGuard> judging;
  if (act || guard) {
    auto opened = open_session(context, house, session, act ? level : govern::Trust::kUntrusted,
                               act ? "anima mcp --act" : "anima mcp --guard");
    if (!opened) return context.fail(opened.error());
    guarded = *std::move(opened);
  }
  if (act) mcp.acting = &acting.emplace(house, *guarded, level);
  if (guard) mcp.guard = &judging.emplace(house, *guarded);
  mcp.asker = parts->asker.get();
  serve::McpServer server(parts->engine, std::move(mcp));
  McpLines lines(context.out);
  return lines.serve({[&](const Json& message) { return server.handle(message); },
                      [&](const Json& message) { return server.needs_of(message); }});
}

}  // namespace

extern const Verb kMcp;
const Verb kMcp{
    "mcp",
    Group::kKeeping,
    "serves the memory over MCP on standard input and output",
    "[--readonly | --act | --guard --tools FILE | --front NAME | --front -- COMMAND...] "
    "[--session ID] [--message TEXT] [--create] "
    "[--schema open] [--trust LEVEL] [--source TEXT]",
    "anima mcp --space ./memory\n"
    "anima mcp --space ./memory --create --schema open\n"
    "anima mcp --act --trust standard\n"
    "anima mcp --act --message \"Put Ada's dates into my calendar\"\n"
    "anima mcp --guard --tools tools.json --message \"Answer Ada's mail\"\n"
    "anima mcp --front files",
    run_mcp};

}  // namespace anima::cli
