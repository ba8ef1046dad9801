#include "cli/verbs/tools/tool_sources.h"

#include <filesystem>
#include <system_error>

#include "agent/house/memory_tools.h"
#include "base/text/shown_text.h"
#include "base/text/text.h"
#include "cli/frame/verb.h"
#include "cli/render/table.h"

namespace anima::cli {

std::string first_sentence(std::string_view description) {
  constexpr std::size_t kMostBytes = 100;
  std::string_view first = split(trim(description), '\n')[0];
  first = first.substr(0, first.find(". "));
  const std::string_view cut = beginning_of(first, kMostBytes);
  return std::string(cut) + (cut.size() < first.size() ? ".." : "");
}

tools::OthersOptions others_options(const Context& context) {
  return {context.environment, context.config.text("tools.sandbox") == "best_effort"};
}

std::string current_folder() {
  std::error_code problem;
  const auto folder = std::filesystem::current_path(problem);
  return problem ? "/" : folder.string();
}

Status check_folders_of(const Context& context, const store::Space& space,
                        const tools::ProgramAccess& program) {
  const std::string folder = join_path(current_folder(), space.folder());
  return tools::check_program_folders(program, folder, join_path(folder, "work"),
                                      rule_folders(context));
}

Status check_names_free(store::Space& space, const std::string& source,
                        const std::vector<govern::ToolDeclaration>& declared) {
  govern::PermissionTable ours = govern::PermissionTable::of_the_source();
  tools::add_external_policies(ours);
  agent::MemoryTools::add_policies(ours);
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  ANIMA_ASSIGN(const tools::ToolBook book, tools::read_tool_book(snapshot));
  for (const tools::ToolServer& server : book.servers) {
    if (server.name == source) continue;
    for (const auto& each : server.tools) ours.set(each.declaration.policy());
  }
  for (const tools::ToolManifest& manifest : book.manifests) {
    if (manifest.name == source) continue;
    for (const auto& each : manifest.tools) ours.set(each.declaration.policy());
  }
  for (const govern::ToolDeclaration& each : declared) {
    if (ours.find(each.name) == nullptr) continue;
    return anima::fail(ErrorCode::kAlreadyExists, "there is a tool '" + each.name + "' already", {},
                       "give this one, or its source, another name");
  }
  return {};
}

std::string declared_table(const Context& context,
                           const std::vector<govern::ToolDeclaration>& declared) {
  Table table({"tool", "tier", "results", "what it says it does"});
  for (const govern::ToolDeclaration& each : declared) {
    table.add({each.name, std::string(to_string(each.tier_of())),
               std::string(govern::trust_name(each.policy().output_trust)),
               first_sentence(each.description)});
  }
  return table.render(context);
}

std::vector<govern::ToolDeclaration> declarations_of(const tools::ToolServer& server) {
  std::vector<govern::ToolDeclaration> list;
  for (const tools::ToolServer::Known& each : server.tools) list.push_back(each.declaration);
  return list;
}

Result<tools::ServerLook> look_at_tool_server(Context& context, const tools::ToolServer& server) {
  SystemClock clock;
  return tools::look_at_server(server, clock, others_options(context), {});
}

Result<tools::ToolServer> take_tool_server(Context& context, store::Space& space,
                                           tools::ToolServer server, const tools::ServerLook& look,
                                           std::span<const tools::ToolWord> words, bool anyway) {
  ANIMA_TRY(tools::take_offered(server, look.tools, words));
  ANIMA_TRY(check_names_free(space, server.name, declarations_of(server)));
  if (!anyway) {
    ANIMA_ASSIGN(const govern::Guardian guardian, make_guardian(context, {}));
    const std::vector<std::string> found = tools::suspicious_tools(look.tools, guardian);
    for (const std::string& line : found)
      context.warn(terminal_text("reads like an order to whoever is shown it: " + line));
    if (!found.empty()) {
      return anima::fail(ErrorCode::kDenied, "nothing was taken: descriptions read like orders",
                         server.name, "look at the lines above, then give --accept-text");
    }
  }
  ANIMA_TRY(tools::put_tool_server(
      space, local_origin(context, "anima " + std::string(context.verb->name)), server));
  return server;
}

Result<tools::ToolServer> add_tool_server(Context& context, store::Space& space,
                                          tools::ToolServer server,
                                          std::span<const tools::ToolWord> words, bool anyway,
                                          tools::ServerLook* look) {
  ANIMA_TRY(check_folders_of(context, space, server.program));
  ANIMA_ASSIGN(*look, look_at_tool_server(context, server));
  return take_tool_server(context, space, std::move(server), *look, words, anyway);
}

std::string program_text(const tools::ProgramAccess& program) {
  std::string text = join(program.command, " ");
  if (program.network) text += " (network)";
  for (const tools::FolderAccess& each : program.folders) text += " (" + each.text() + ")";
  for (const std::string& each : program.environment) text += " ($" + each + ")";
  return text;
}

}  // namespace anima::cli
