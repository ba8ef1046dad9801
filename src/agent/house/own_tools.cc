#include "agent/house/own_tools.h"

#include <algorithm>
#include <exception>
#include <set>

namespace anima::agent {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == ':' || c == '-' || c == '/';
  });
}

Status check(const OwnTool& tool, const govern::ToolRunner& others,
             const govern::PermissionTable& table) {
  const std::string& name = tool.info.name;
  if (!is_name(name)) {
    return fail(ErrorCode::kInvalidArgument, "'" + name + "' is no name of a tool", {},
                "up to 64 letters, digits and _ . : - /, for example mail:send");
  }
  if (!tool.run)
    return fail(ErrorCode::kInvalidArgument, "the tool '" + name + "' has no function to run");
  const govern::ToolPolicy* row = table.find(name);
  if (row != nullptr && row->never)
    return fail(ErrorCode::kDenied, "'" + name + "' is never run, whoever brings it");
  if (others.has(name) || (row != nullptr && row->tier != govern::Tier::kAdmin)) {
    return fail(ErrorCode::kAlreadyExists, "there is a tool '" + name + "' already", {},
                "give it a name of its own");
  }
  return {};
}

}  // namespace

OwnTool declared_tool(govern::ToolDeclaration declaration,
                      std::function<Result<Json>(const Json& arguments)> run) {
  OwnTool tool;
  tool.info.name = declaration.name;
  tool.info.description = declaration.description;
  const Json* required = declaration.arguments.find("required");
  if (const Json* properties = declaration.arguments.find("properties")) {
    for (const auto& [name, property] : properties->as_object()) {
      const bool needed =
          required != nullptr &&
          std::ranges::any_of(required->as_array(), [&name = name](const Json& each) {
            return each.as_string() == name;
          });
      const Json* description = property.find("description");
      tool.info.parameters.push_back(
          {name, needed, description == nullptr ? std::string() : description->as_string()});
    }
  }
  tool.policy = declaration.policy();
  tool.declaration = std::move(declaration);
  tool.run = std::move(run);
  return tool;
}

Status add_own_policies(const std::vector<OwnTool>& tools, const govern::ToolRunner& others,
                        govern::PermissionTable& table) {
  std::set<std::string_view> names;
  for (const OwnTool& tool : tools) {
    ANIMA_TRY(check(tool, others, table));
    if (!names.insert(tool.info.name).second)
      return fail(ErrorCode::kAlreadyExists, "the tool '" + tool.info.name + "' is named twice");
  }
  for (const OwnTool& tool : tools) {
    if (table.find(tool.info.name) == nullptr) table.set(tool.policy);
  }
  return {};
}

const OwnTool* OwnTools::find(std::string_view tool) const {
  const auto found =
      std::ranges::find_if(tools_, [&](const OwnTool& each) { return each.info.name == tool; });
  return found == tools_.end() ? nullptr : &*found;
}

bool OwnTools::has(std::string_view tool) const {
  return find(tool) != nullptr || others_.has(tool);
}

Result<Json> OwnTools::run_until(const std::stop_token& stop, std::string_view tool,
                                 const Json& arguments, std::int64_t timeout_milliseconds) {
  if (judged_only) return Json();
  const OwnTool* own = find(tool);
  if (own == nullptr) return others_.run_until(stop, tool, arguments, timeout_milliseconds);
  try {
    return own->run(arguments);
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::kInternal,
                "the tool '" + own->info.name + "' threw: " + std::string(thrown.what()));
  } catch (...) {
    return fail(ErrorCode::kInternal, "the tool '" + own->info.name + "' threw");
  }
}

}  // namespace anima::agent
