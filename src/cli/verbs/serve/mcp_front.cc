#include "cli/verbs/serve/mcp_front.h"

#include "base/crypto.h"
#include "base/version.h"
#include "cli/verbs/serve/mcp_lines.h"
#include "cli/verbs/tools/tool_sources.h"
#include "serve/mcp_front.h"
#include "serve/mcp_tool.h"

namespace anima::cli {
namespace {

// A command that nobody added has a name by its words, so that it is pinned from its first start.
std::string name_of(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word + '\0';
  return "front-" + to_hex(sha256(all)).substr(0, 8);
}

Result<tools::ToolServer> server_of(Context& context, store::Space& space,
                                    const std::vector<std::string>& words) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  const bool named = words.size() == 1 && tools::check_source_name(words[0]).has_value();
  ANIMA_ASSIGN(auto known, tools::find_tool_server(snapshot, named ? words[0] : name_of(words)));
  if (known) return *std::move(known);
  tools::ToolServer server;
  server.name = name_of(words);
  server.program.command = words;
  auto found = tools::find_program(words[0], context.environment, current_folder());
  if (!found) {
    Error error = found.error();
    if (named) error.hint = "add it first: anima mcp add " + words[0] + " -- COMMAND";
    return fail(std::move(error));
  }
  server.program.command[0] = *std::move(found);
  tools::ServerLook look;
  return add_tool_server(context, space, std::move(server), {}, false, &look);
}

}  // namespace

int run_mcp_front(Context& context, const std::vector<std::string>& words,
                  const FrontOptions& options) {
  if (words.empty()) return context.usage_error("name the server that --front stands in front of");
  auto space = open_space(context, Access::kAsItGoes);
  if (!space) return context.fail(space.error());
  auto server = server_of(context, **space, words);
  if (!server) return context.fail(server.error());
  auto settings = house_options(context, **space);
  if (!settings) return context.fail(settings.error());
  settings->agent = serve::kMcpAgent;
  auto house = open_house(context, std::move(*settings));
  if (!house) return context.fail(house.error());
  const auto session =
      open_session(context, **house, options.session, options.trust, "anima mcp --front");
  if (!session) return context.fail(session.error());
  McpLines lines(context.out);
  serve::McpFront::AskClient ask;
  if (options.questions) {
    ask = [&lines](std::string_view method, Json params, const std::stop_token& stop) {
      return lines.ask(method, std::move(params), stop);
    };
  }
  serve::McpFront front(**house, **session, *std::move(server), std::string(version()),
                        std::move(ask));
  return lines.serve(
      {[&](const Json& message) { return front.handle(message); }, &serve::McpFront::needs_of});
}

}  // namespace anima::cli
