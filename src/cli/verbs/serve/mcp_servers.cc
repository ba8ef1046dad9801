// anima mcp add, list, check, accept, remove: servers of others, whose tools are tools here.
#include <fmt/format.h>

#include <stop_token>

#include "base/text/shown_text.h"
#include "base/text/text.h"
#include "base/text/url.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/verbs/tools/tool_sources.h"
#include "tools/mcp/server_declarations.h"

namespace anima::cli {
namespace {

using tools::ServerLook;
using tools::ServerTool;
using tools::ToolServer;

// What the owner says of a server's tools.
struct Words {
  std::vector<std::string> reads, writes;
  std::optional<std::string> file;

  void declare(Options& options) {
    options.values("--reads TOOLS", reads, "these only read: names with commas, or read_*");
    options.values("--writes TOOLS", writes, "these write what can be written again");
    options.value("--declare FILE", file,
                  "effects, roles and trust of the tools in TOML (docs/tools_of_others.md)");
  }
  Result<std::vector<tools::ToolWord>> read(Context& context) const {
    std::vector<tools::ToolWord> words = tools::words_of_lists(reads, "reads");
    for (tools::ToolWord& each : tools::words_of_lists(writes, "writes"))
      words.push_back(std::move(each));
    if (!file) return words;
    ANIMA_ASSIGN(const std::string text, context.read_input(*file, 1 << 20));
    ANIMA_ASSIGN(std::vector<tools::ToolWord> told, tools::read_tool_words(text, *file));
    for (tools::ToolWord& each : told) words.push_back(std::move(each));
    return words;
  }
};

// The tools that would only read if the server were to be believed, and of which nothing is said.
std::string hinted_reads(const ToolServer& server) {
  std::vector<std::string> names;
  for (const ToolServer::Known& each : server.tools) {
    if (each.offered.hints_that_it_reads() && each.declaration.has(govern::ToolEffect::kRuns))
      names.push_back(each.offered.name);
  }
  return join(names, ",");
}

Json server_json(const ToolServer& server) {
  Json list = Json::array();
  for (const ToolServer::Known& each : server.tools) {
    list.push_back(Json::object({{"name", each.declaration.name},
                                 {"tier", std::string(to_string(each.declaration.tier_of()))},
                                 {"description", each.declaration.description}}));
  }
  Json json = Json::object({{"name", server.name},
                            {"program", server.program.to_json()},
                            {"url", server.url},
                            {"trust", std::string(govern::trust_name(server.trust))},
                            {"hash", server.hash},
                            {"stopped", server.stopped.empty() ? Json() : Json(server.stopped)},
                            {"tools", std::move(list)}});
  return json;
}

int show(Context& context, const ToolServer& server, const std::string& said) {
  if (context.json) {
    context.print_json(server_json(server));
    return kDone;
  }
  context.print(terminal_text(said));
  context.print(terminal_text(declared_table(context, declarations_of(server))));
  if (const std::string hinted = hinted_reads(server); !hinted.empty()) {
    context.print(terminal_text(fmt::format(
        "Each call of a tool of which you say nothing asks first. The server says that these only "
        "read; if you believe it:\n  anima mcp accept {} --reads {}\n",
        server.name, hinted)));
  }
  return kDone;
}

Result<ToolServer> known_server(store::Space& space, const std::string& name) {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  ANIMA_ASSIGN(auto server, tools::find_tool_server(snapshot, name));
  if (server) return *std::move(server);
  ANIMA_ASSIGN(const tools::ToolBook book, tools::read_tool_book(snapshot));
  std::vector<std::string> names;
  for (const ToolServer& each : book.servers) names.push_back(each.name);
  const std::string near = did_you_mean(nearest_names(name, names));
  return anima::fail(ErrorCode::kNotFound, "there is no such server of tools", name,
                     near.empty() ? "see `anima mcp list`" : near);
}

struct Where {  // how a server is reached, as the command line says it
  std::vector<std::string> command, folders, environment;
  std::optional<std::string> url, key_env;
  bool network = false;
};

Result<ToolServer> described(Context& context, const std::string& name, const Where& where,
                             const std::string& trust) {
  ToolServer server;
  ANIMA_TRY(tools::check_source_name(name));
  server.name = name;
  server.trust = govern::parse_trust(trust).value_or(govern::Trust::kUntrusted);
  if (where.url) {
    ANIMA_TRY(read_url(*where.url).map([](const Url&) {}));
    server.url = *where.url;
    server.key_env = where.key_env.value_or("");
    return server;
  }
  const std::string here = current_folder();
  server.program.command = where.command;
  ANIMA_ASSIGN(server.program.command[0],
               tools::find_program(where.command[0], context.environment, here));
  for (const std::string& each : where.folders) {
    ANIMA_ASSIGN(tools::FolderAccess folder, tools::FolderAccess::parse(each, here));
    server.program.folders.push_back(std::move(folder));
  }
  server.program.environment = where.environment;
  server.program.network = where.network;
  return server;
}

std::string wrong_way(const Where& where) {
  if (where.url && !where.command.empty()) return "a server is a command or a --url, not both";
  if (!where.url && where.command.empty())
    return "name the server's command behind --, or its --url";
  if (where.url && (where.network || !where.folders.empty() || !where.environment.empty()))
    return "--folder, --env and --network are for a command, which runs in the sandbox";
  if (!where.url && where.key_env) return "--key-env is for a --url; a command gets --env";
  return {};
}

int run_mcp_add(Context& context, Arguments arguments) {
  std::string name, trust = "untrusted";
  Where where;
  Words words;
  bool anyway = false;
  Options options;
  options.positional("NAME", name, "what its tools are called by: NAME:TOOL").required();
  options.positional("COMMAND", where.command, "the server's program, behind --");
  options.value("--url URL", where.url,
                "a server that is reached over HTTP (https, or this machine)");
  options.value("--key-env NAME", where.key_env, "the variable that holds the key for the URL");
  options.flag("--network", where.network, "the program may use the network");
  options.values("--folder DIR[:rw]", where.folders,
                 "a folder that the program sees, or may write");
  options.values("--env NAME", where.environment, "a variable that the program gets");
  options.value("--trust LEVEL", trust, "how far what its tools answer is trusted")
      .choices({"untrusted", "standard", "verified"});
  options.flag("--accept-text", anyway, "take descriptions that read like orders");
  words.declare(options);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const std::string wrong = wrong_way(where); !wrong.empty()) return context.usage_error(wrong);
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  auto server = described(context, name, where, trust);
  if (!server) return context.fail(server.error());
  const auto told = words.read(context);
  if (!told) return context.fail(told.error());
  ServerLook look;
  const auto added = add_tool_server(context, **space, *server, *told, anyway, &look);
  if (!added) return context.fail(added.error());
  return show(
      context, *added,
      fmt::format("{} ({} {}) has {} tools.\n", name, look.name, look.version, look.tools.size()));
}

int run_mcp_list(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = space_snapshot(context, **space);
  if (!snapshot) return context.fail(snapshot.error());
  const auto book = tools::read_tool_book(*snapshot);
  if (!book) return context.fail(book.error());
  Json list = Json::array();
  Table table({"server", "tools", "trust", "state", "program or address"});
  table.align_right(1);
  for (const ToolServer& each : book->servers) {
    list.push_back(server_json(each));
    table.add({each.name, std::to_string(each.tools.size()),
               std::string(govern::trust_name(each.trust)),
               each.stopped.empty() ? "runs" : "stopped: " + each.stopped,
               each.url.empty() ? program_text(each.program) : each.url});
  }
  if (context.json) {
    context.print_json(Json::object({{"servers", std::move(list)}}));
  } else if (table.empty()) {
    context.print("There is no server yet. Add one: anima mcp add NAME -- COMMAND\n");
  } else {
    context.print(terminal_text(table.render(context)));
  }
  return kDone;
}

std::string difference_text(const ToolServer& server, const std::vector<ServerTool>& now) {
  std::string text;
  for (const std::string& line : tools::difference_of_tools(server.offered(), now))
    text += replace_all(line, "\n", " ") + "\n";
  return terminal_text(text);
}

Json difference_json(const ToolServer& server, const std::vector<ServerTool>& now) {
  Json lines = Json::array();
  for (const std::string& line : tools::difference_of_tools(server.offered(), now))
    lines.push_back(line);
  return lines;
}

int run_mcp_check(Context& context, Arguments arguments) {
  std::string name;
  Options options;
  options.positional("NAME", name, "the server").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  // It runs the server's program, or talks to it.
  if (const Status let_in = pass_door(context, agent::Act::kWrites); !let_in)
    return context.fail(let_in.error());
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto server = known_server(**space, name);
  if (!server) return context.fail(server.error());
  const auto look = look_at_tool_server(context, *server);
  if (!look) return context.fail(look.error());
  const bool same = tools::hash_of_tools(look->tools) == server->hash;
  const int exit = same && server->stopped.empty() ? kDone : kRefused;
  if (context.json) {
    Json json = server_json(*server);
    json.set("server",
             Json::object(
                 {{"name", look->name}, {"version", look->version}, {"protocol", look->protocol}}));
    json.set("difference", difference_json(*server, look->tools));
    context.print_json(json);
    return exit;
  }
  const std::string said = fmt::format(
      "{}: {} {}, protocol {}, {} tools, {}\n", name, look->name, look->version, look->protocol,
      look->tools.size(),
      !same                     ? "not as you accepted them:"
      : server->stopped.empty() ? "as you accepted them"
                                : "as you accepted them, but stopped: " + server->stopped);
  show(context, *server, said);
  if (!same) context.print(difference_text(*server, look->tools));
  if (exit != kDone) context.note("take what it offers now: anima mcp accept " + name + " --yes");
  return exit;
}

int run_mcp_accept(Context& context, Arguments arguments) {
  std::string name;
  Words words;
  bool yes = false, anyway = false;
  Options options;
  options.positional("NAME", name, "the server").required();
  options.flag("--yes", yes, "take the difference that is shown");
  options.flag("--accept-text", anyway, "take descriptions that read like orders");
  words.declare(options);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  auto server = known_server(**space, name);
  if (!server) return context.fail(server.error());
  const auto told = words.read(context);
  if (!told) return context.fail(told.error());
  const auto look = look_at_tool_server(context, *server);
  if (!look) return context.fail(look.error());
  const bool same = tools::hash_of_tools(look->tools) == server->hash;
  if (!same) {
    if (context.json && !yes) {
      context.print_json(
          Json::object({{"name", name}, {"difference", difference_json(*server, look->tools)}}));
    } else if (!context.json) {
      context.print(difference_text(*server, look->tools));
    }
    if (!yes) {
      context.note("nothing was taken: look at the lines above, then add --yes");
      return kRefused;
    }
  }
  const auto taken = take_tool_server(context, **space, *server, *look, *told, same || anyway);
  if (!taken) return context.fail(taken.error());
  return show(context, *taken, "");
}

int run_mcp_remove(Context& context, Arguments arguments) {
  std::string name;
  Options options;
  options.positional("NAME", name, "the server").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  if (const auto known = known_server(**space, name); !known) return context.fail(known.error());
  const Status removed =
      tools::remove_tool_server(**space, local_origin(context, "anima mcp remove"), name);
  if (!removed) return context.fail(removed.error());
  if (context.json) context.print_json(Json::object({{"removed", name}}));
  return kDone;
}

}  // namespace

extern const Verb kMcpAdd;
const Verb kMcpAdd{
    "mcp add",
    Group::kActing,
    "adds a server of others: its tools are tools here, judged and in the sandbox",
    "NAME (-- COMMAND... | --url URL [--key-env NAME]) [--network] [--folder DIR[:rw]]... "
    "[--env NAME]... [--reads TOOLS] [--writes TOOLS] [--declare FILE] [--trust LEVEL]",
    "anima mcp add files --folder ~/notes:rw --folder ~/node_modules --reads 'read_*,list_*' -- "
    "node ~/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js ~/notes\n"
    "anima mcp add tracker --url https://example.org/mcp --key-env TRACKER_KEY",
    run_mcp_add};

extern const Verb kMcpList;
const Verb kMcpList{"mcp list",
                    Group::kActing,
                    "the servers of others, whether they run, and what they may reach",
                    "[--json]",
                    "anima mcp list",
                    run_mcp_list,
                    true};

extern const Verb kMcpCheck;
const Verb kMcpCheck{"mcp check",
                     Group::kActing,
                     "starts a server and compares its tools with those that you accepted",
                     "NAME [--json]",
                     "anima mcp check files",
                     run_mcp_check};

extern const Verb kMcpAccept;
const Verb kMcpAccept{"mcp accept",
                      Group::kActing,
                      "shows what a server changed, takes it, says what its tools do",
                      "NAME [--yes] [--reads TOOLS] [--writes TOOLS] [--declare FILE]",
                      "anima mcp accept files\n"
                      "anima mcp accept files --yes --reads 'read_*'",
                      run_mcp_accept};

extern const Verb kMcpRemove;
const Verb kMcpRemove{"mcp remove",    Group::kActing,           "removes a server and its tools",
                      "NAME [--json]", "anima mcp remove files", run_mcp_remove};

}  // namespace anima::cli
