#include "cli/verbs/tools/foreign_tools.h"

#include <fmt/format.h>

#include "base/json/toml.h"

namespace anima::cli {
namespace {

constexpr std::uint64_t kMostToolBytes = std::uint64_t{8} << 20;

Result<JsonArray> read_declarations(Context& context, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, context.read_input(path, kMostToolBytes));
  Json root;
  if (path.ends_with(".toml")) {
    ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, path));
    root = document.root;
  } else {
    auto parsed = parse_json(text);
    if (!parsed) {
      return fail(parsed.error().code, parsed.error().message, path + ":" + parsed.error().where,
                  parsed.error().hint);
    }
    root = *std::move(parsed);
  }
  if (const Json* tools = root.find(path.ends_with(".toml") ? "tool" : "tools")) root = *tools;
  if (root.is_array()) return root.as_array();
  return fail(ErrorCode::kInvalidArgument, "there is no list of tools", path,
              "JSON: [{\"name\": ..}], TOML: [[tool]]");
}

// That a call may run is all that happens here.
Result<Json> nothing(const Json&) { return Json(); }

}  // namespace

Result<std::vector<agent::OwnTool>> foreign_tools(Context& context,
                                                  const std::vector<std::string>& files) {
  std::vector<agent::OwnTool> tools;
  for (const std::string& path : files) {
    ANIMA_ASSIGN(const JsonArray list, read_declarations(context, path));
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto tool = govern::ToolDeclaration::from_json(list[i]);
      if (!tool) {
        Error error = tool.error();
        error.where = fmt::format("{}: tool {}: {}", path, i + 1, error.where);
        return fail(std::move(error));
      }
      tools.push_back(agent::declared_tool(*std::move(tool), nothing));
    }
  }
  return tools;
}

}  // namespace anima::cli
