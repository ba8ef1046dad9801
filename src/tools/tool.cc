#include "tools/tool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace anima::tools {

namespace {

std::string parameter_names(const ToolInfo& info) {
  std::vector<std::string> names;
  for (const ToolParameter& each : info.parameters)
    names.push_back(each.name + (each.required ? " (needed)" : ""));
  return join(names, ", ");
}

}  // namespace

Status check_arguments(const ToolInfo& info, const Json& arguments) {
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidArgument, "the tool '" + info.name + "' " + what, {},
                "its arguments: " + parameter_names(info));
  };
  if (info.parameters.empty()) return {};
  for (const auto& [name, value] : arguments.as_object()) {
    if (std::ranges::none_of(info.parameters, [&name = name](const ToolParameter& each) {
          return each.name == name;
        }))
      return wrong("knows no argument " + quote_json(name));
  }
  for (const ToolParameter& each : info.parameters) {
    const Json* value = arguments.find(each.name);
    if (each.required && (value == nullptr || value->is_null()))
      return wrong("needs the argument " + quote_json(each.name));
  }
  return {};
}

std::string_view to_string(Danger danger) {
  switch (danger) {
    case Danger::kSafe:
      return "safe";
    case Danger::kCautious:
      return "cautious";
    case Danger::kDangerous:
      return "dangerous";
    case Danger::kCritical:
      return "critical";
  }
  return "critical";
}

void ToolTable::add(std::unique_ptr<Tool> tool) {
  std::string name = tool->info().name;
  tools_.insert_or_assign(std::move(name), std::move(tool));
}

const Tool* ToolTable::find(std::string_view name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : found->second.get();
}

std::vector<const Tool*> ToolTable::all() const {
  std::vector<const Tool*> list;
  for (const auto& [name, tool] : tools_) list.push_back(tool.get());
  return list;
}

Result<ToolOutput> ToolTable::run(std::string_view name, const ToolInput& input,
                                  Workbench& bench) const {
  const Tool* tool = find(name);
  if (tool == nullptr) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : tools_) names.push_back(known);
    return fail(ErrorCode::kNotFound, fmt::format("there is no tool \"{}\"", name), {},
                did_you_mean(nearest_names(name, names)));
  }
  for (const ToolParameter& parameter : tool->info().parameters) {
    const auto given = input.find(parameter.name);
    if (parameter.required && (given == input.end() || trim(given->second).empty())) {
      ToolOutput output;
      output.success = false;
      output.result = fmt::format("{} needs the parameter `{}`: {}", name, parameter.name,
                                  parameter.description);
      return output;
    }
  }
  return tool->run(input, bench);
}

}  // namespace anima::tools
