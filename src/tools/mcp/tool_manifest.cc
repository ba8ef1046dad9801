#include "tools/mcp/tool_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/files/file.h"
#include "base/json/json_member.h"
#include "base/json/toml.h"

namespace anima::tools {
namespace {

constexpr std::array<std::string_view, 4> kProgramMembers{"command", "folders", "env", "network"};
constexpr std::size_t kMostTools = 512;

bool is_program_member(std::string_view name) {
  return std::ranges::find(kProgramMembers, name) != kProgramMembers.end();
}

// The tables [[tool]] of a file.
class ManifestReader {
 public:
  ManifestReader(const TomlDocument& document, std::string folder)
      : document_(document), folder_(std::move(folder)) {}

  Unexpected<Error> wrong(std::string what, std::string_view key, std::string hint = {}) const {
    return fail(ErrorCode::kInvalidArgument, std::move(what), document_.where(key),
                std::move(hint));
  }
  // An error of a reader that knows only the member.
  Unexpected<Error> at(std::size_t index, Error error) const {
    const std::string key =
        fmt::format("tool[{}]{}{}", index, error.where.empty() ? "" : ".", error.where);
    error.where = document_.places.contains(key)
                      ? document_.where(key)
                      : document_.where(fmt::format("tool[{}]", index)) +
                            (error.where.empty() ? "" : " (" + error.where + ")");
    if (error.code == ErrorCode::kCorrupt) error.code = ErrorCode::kInvalidArgument;
    return fail(std::move(error));
  }

  Result<const JsonArray*> tables() const {
    constexpr std::array<std::string_view, 3> kKnown{"name", "description", "tool"};
    for (const Error& error : unknown_toml_keys(document_, "", kKnown)) return fail(error);
    const Json* list = document_.root.find("tool");
    if (list == nullptr || !list->is_array() || list->as_array().empty())
      return wrong("a file of tools has a table [[tool]] for each", "tool");
    if (list->as_array().size() > kMostTools)
      return wrong("a file of tools has at most 512 of them", "tool");
    return &list->as_array();
  }

  // What a table says of the program, with paths that begin in the file's folder.
  Result<ProgramAccess> program(std::size_t index, const Json& table,
                                const Environment& environment) const {
    Json members = Json::object();
    for (const auto& [name, value] : table.as_object()) {
      if (is_program_member(name)) members.set(name, value);
    }
    Json folders = Json::array();
    if (const Json* named = members.find("folders"); named != nullptr && named->is_array()) {
      for (const Json& each : named->as_array()) {
        auto folder = FolderAccess::parse(each.as_string(), folder_);
        if (!folder) return at(index, in("folders", folder.error()));
        folders.push_back(folder->text());
      }
      members.set("folders", std::move(folders));
    }
    auto read = ProgramAccess::from_json(members);
    if (!read) return at(index, read.error());
    if (read->command.empty()) {
      return at(index, {ErrorCode::kInvalidArgument, "a tool names its program", "command",
                        "for example command = [\"./send.py\"]"});
    }
    auto found = find_program(read->command[0], environment, folder_);
    if (!found) return at(index, in("command", found.error()));
    read->command[0] = *std::move(found);
    return *std::move(read);
  }

  Result<govern::ToolDeclaration> declaration(std::size_t index, const Json& table) const {
    Json members = Json::object();
    for (const auto& [name, value] : table.as_object()) {
      if (!is_program_member(name)) members.set(name, value);
    }
    auto read = govern::ToolDeclaration::from_json(members);
    if (!read) return at(index, read.error());
    return *std::move(read);
  }

 private:
  static Error in(std::string member, Error error) {
    error.message += error.where.empty() ? "" : ": " + error.where;
    error.where = std::move(member);
    return error;
  }

  const TomlDocument& document_;
  std::string folder_;
};

Result<TomlDocument> read_document(std::string_view text, const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  if (text.size() > kMostBytes)
    return fail(ErrorCode::kLimitExceeded, "a file of tools has at most 1 MiB", path);
  return parse_toml(text, path);
}

}  // namespace

Result<ToolManifest> read_tool_manifest(std::string_view text, const std::string& path,
                                        const Environment& environment) {
  ANIMA_ASSIGN(const TomlDocument document, read_document(text, path));
  const ManifestReader reader(document, std::string(parent_path(path)));
  ToolManifest manifest;
  manifest.name = text_member(document.root, "name");
  if (const Status good = check_source_name(manifest.name); !good)
    return reader.wrong(good.error().message, "name", good.error().hint);
  ANIMA_ASSIGN(const JsonArray* tables, reader.tables());
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < tables->size(); ++i) {
    CommandTool tool;
    ANIMA_ASSIGN(tool.program, reader.program(i, (*tables)[i], environment));
    ANIMA_ASSIGN(tool.declaration, reader.declaration(i, (*tables)[i]));
    if (!names.insert(tool.declaration.name).second)
      return reader.wrong("the tool '" + tool.declaration.name + "' is there twice",
                          fmt::format("tool[{}].name", i));
    manifest.tools.push_back(std::move(tool));
  }
  std::ranges::sort(manifest.tools, {}, [](const CommandTool& each) -> const std::string& {
    return each.declaration.name;
  });
  return manifest;
}

Result<std::vector<ToolWord>> read_tool_words(std::string_view text, const std::string& path) {
  ANIMA_ASSIGN(const TomlDocument document, read_document(text, path));
  const ManifestReader reader(document, std::string(parent_path(path)));
  ANIMA_ASSIGN(const JsonArray* tables, reader.tables());
  std::vector<ToolWord> words;
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const std::string key = fmt::format("tool[{}]", i);
    ToolWord word;
    word.name = text_member((*tables)[i], "name");
    word.where = document.where(key);
    word.members = Json::object();
    if (word.name.empty()) return reader.wrong("a tool has a name", key);
    for (const auto& [name, value] : (*tables)[i].as_object()) {
      if (is_program_member(name)) {
        return reader.wrong("the tools of a server have no '" + name + "' of their own",
                            key + "." + name, "the server has: --folder, --env, --network");
      }
      if (name != "name") word.members.set(name, value);
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace anima::tools
