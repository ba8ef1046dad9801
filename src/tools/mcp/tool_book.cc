#include "tools/mcp/tool_book.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/json/json_member.h"
#include "store/own_graphs.h"
#include "store/statements.h"

namespace anima::tools {
namespace {

constexpr std::string_view kServerType = "ToolServer";
constexpr std::string_view kManifestType = "ToolManifest";
constexpr std::string_view kKey = "tools:entry";
constexpr std::size_t kLongestSourceName = 32;
constexpr std::size_t kLongestToolName = 64;

Unexpected<Error> unreadable(std::string_view what) {
  return fail(ErrorCode::kCorrupt,
              "an entry of the book of tools is not understood: " + std::string(what), {},
              "it was written by another version: remove it and add it again");
}

// The entry of one concept; nothing when it has none.
Result<std::optional<Json>> entry_of(const store::Snapshot& own, store::EntityId entity) {
  const auto term = own.attribute(entity, kKey);
  if (!term) return std::nullopt;
  ANIMA_ASSIGN(Json json, parse_json(own.value(*term).text));
  return json;
}

Result<std::vector<Json>> entries_of(const store::Snapshot& snapshot, std::string_view type_name) {
  std::vector<Json> entries;
  const store::Snapshot own = store::in_graph(snapshot, kToolGraph);
  const auto type = own.find_type(type_name);
  if (!type) return entries;
  std::map<std::string, store::EntityId> named;
  store::Pattern members;
  members.predicate = store::kTypePredicate;
  members.object = store::Term::entity(*type);
  store::each_statement(own, members, [&](const store::Triple& row) {
    named.emplace(own.name(row.subject), row.subject);
  });
  for (const auto& [name, entity] : named) {
    ANIMA_ASSIGN(auto json, entry_of(own, entity));
    if (json) entries.push_back(*std::move(json));
  }
  return entries;
}

Status put_entry(store::Space& space, const store::Origin& origin, std::string_view type_name,
                 std::string_view name, const Json& entry) {
  return space
      .write(origin,
             [&](store::Transaction& transaction) -> Status {
               store::AssertOptions options;
               options.graph = transaction.graph(kToolGraph);
               ANIMA_ASSIGN(const store::EntityId type,
                            transaction.upsert_type(type_name, options));
               ANIMA_ASSIGN(const store::EntityId entity,
                            transaction.upsert_concept(type, name, options));
               const store::Value value = store::Value::from_json(entry);
               ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
               return transaction.set_attribute(entity, kKey, std::span(&term, 1), options);
             })
      .map([](const store::Receipt&) {});
}

Status remove_entry(store::Space& space, const store::Origin& origin, std::string_view type_name,
                    std::string_view name) {
  return space
      .write(origin,
             [&](store::Transaction& transaction) -> Status {
               const store::GraphId graph = transaction.graph(kToolGraph);
               const store::Snapshot own = store::in_graph(transaction.view(), kToolGraph);
               const auto type = own.find_type(type_name);
               const auto entity = type ? own.find_concept(*type, name) : std::nullopt;
               if (!entity) {
                 return fail(ErrorCode::kNotFound,
                             type_name == kServerType ? "there is no such server of tools"
                                                      : "there is no such manifest of tools",
                             std::string(name));
               }
               return transaction.retract_concept(*entity, graph, true);
             })
      .map([](const store::Receipt&) {});
}

Json declarations_json(const ToolServer& server) {
  Json list = Json::array();
  for (const ToolServer::Known& each : server.tools) {
    list.push_back(Json::object(
        {{"offered", each.offered.to_json()}, {"declaration", each.declaration.to_json()}}));
  }
  return list;
}

}  // namespace

std::vector<ServerTool> ToolServer::offered() const {
  std::vector<ServerTool> list;
  for (const Known& each : tools) list.push_back(each.offered);
  return list;
}

Json ToolServer::to_json() const {
  Json json = Json::object({{"name", name}, {"program", program.to_json()}});
  if (!url.empty()) json.set("url", url);
  if (!key_env.empty()) json.set("key_env", key_env);
  json.set("trust", std::string(govern::trust_name(trust)));
  json.set("hash", hash);
  if (!stopped.empty()) json.set("stopped", stopped);
  json.set("tools", declarations_json(*this));
  return json;
}

Result<ToolServer> ToolServer::from_json(const Json& json) {
  ToolServer server;
  server.name = text_member(json, "name");
  const Json* program = json.find("program");
  const Json* list = json.find("tools");
  const auto trust = govern::parse_trust(text_member(json, "trust"));
  if (server.name.empty() || program == nullptr || list == nullptr || !trust)
    return unreadable("a server without name, program, tools or trust");
  ANIMA_ASSIGN(server.program, ProgramAccess::from_json(*program));
  server.url = text_member(json, "url");
  server.key_env = text_member(json, "key_env");
  server.trust = *trust;
  server.hash = text_member(json, "hash");
  server.stopped = text_member(json, "stopped");
  for (const Json& each : list->as_array()) {
    const Json* offered = each.find("offered");
    const Json* declared = each.find("declaration");
    if (offered == nullptr || declared == nullptr) return unreadable("a tool of " + server.name);
    Known known;
    ANIMA_ASSIGN(known.offered, ServerTool::from_json(*offered));
    ANIMA_ASSIGN(known.declaration, govern::ToolDeclaration::from_json(*declared));
    server.tools.push_back(std::move(known));
  }
  return server;
}

Json ToolManifest::to_json() const {
  Json list = Json::array();
  for (const CommandTool& each : tools) {
    list.push_back(Json::object(
        {{"declaration", each.declaration.to_json()}, {"program", each.program.to_json()}}));
  }
  return Json::object({{"name", name}, {"tools", std::move(list)}});
}

Result<ToolManifest> ToolManifest::from_json(const Json& json) {
  ToolManifest manifest;
  manifest.name = text_member(json, "name");
  const Json* list = json.find("tools");
  if (manifest.name.empty() || list == nullptr)
    return unreadable("a manifest without name or tools");
  for (const Json& each : list->as_array()) {
    const Json* declared = each.find("declaration");
    const Json* program = each.find("program");
    if (declared == nullptr || program == nullptr) return unreadable("a tool of " + manifest.name);
    CommandTool tool;
    ANIMA_ASSIGN(tool.declaration, govern::ToolDeclaration::from_json(*declared));
    ANIMA_ASSIGN(tool.program, ProgramAccess::from_json(*program));
    manifest.tools.push_back(std::move(tool));
  }
  return manifest;
}

Result<ToolBook> read_tool_book(const store::Snapshot& snapshot) {
  ToolBook book;
  ANIMA_ASSIGN(const std::vector<Json> servers, entries_of(snapshot, kServerType));
  for (const Json& each : servers) {
    ANIMA_ASSIGN(ToolServer server, ToolServer::from_json(each));
    book.servers.push_back(std::move(server));
  }
  ANIMA_ASSIGN(const std::vector<Json> manifests, entries_of(snapshot, kManifestType));
  for (const Json& each : manifests) {
    ANIMA_ASSIGN(ToolManifest manifest, ToolManifest::from_json(each));
    book.manifests.push_back(std::move(manifest));
  }
  return book;
}

Result<std::optional<ToolServer>> find_tool_server(const store::Snapshot& snapshot,
                                                   std::string_view name) {
  const store::Snapshot own = store::in_graph(snapshot, kToolGraph);
  const auto type = own.find_type(kServerType);
  const auto entity = type ? own.find_concept(*type, name) : std::nullopt;
  if (!entity) return std::nullopt;
  ANIMA_ASSIGN(const auto json, entry_of(own, *entity));
  if (!json) return std::nullopt;
  ANIMA_ASSIGN(ToolServer server, ToolServer::from_json(*json));
  return server;
}

Status put_tool_server(store::Space& space, const store::Origin& origin, const ToolServer& server) {
  return put_entry(space, origin, kServerType, server.name, server.to_json());
}

Status put_tool_manifest(store::Space& space, const store::Origin& origin,
                         const ToolManifest& manifest) {
  return put_entry(space, origin, kManifestType, manifest.name, manifest.to_json());
}

Status remove_tool_server(store::Space& space, const store::Origin& origin, std::string_view name) {
  return remove_entry(space, origin, kServerType, name);
}

Status remove_tool_manifest(store::Space& space, const store::Origin& origin,
                            std::string_view name) {
  return remove_entry(space, origin, kManifestType, name);
}

Status check_source_name(std::string_view name) {
  const bool good =
      !name.empty() && name.size() <= kLongestSourceName && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
      });
  if (good) return {};
  return fail(ErrorCode::kInvalidArgument, "'" + std::string(name) + "' is no name for this", {},
              "up to 32 lower-case letters, digits, - and _, for example files");
}

std::string house_name_of(std::string_view server, std::string_view tool) {
  std::string name = std::string(server) + ":";
  for (const char c : tool) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c == '-';
    name += plain ? c : '_';
  }
  return name.substr(0, kLongestToolName);
}

}  // namespace anima::tools
