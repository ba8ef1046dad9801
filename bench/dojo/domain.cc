#include "dojo/domain.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json/json_member.h"
#include "dojo/place.h"

namespace anima::dojo {
namespace {

Result<Json> read_json(FileSystem& files, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(files, path));
  auto json = parse_json(text);
  if (json) return json;
  Error error = json.error();
  error.where = path + ":" + error.where;
  return fail(std::move(error));
}

const JsonArray& items(const Json& json, std::string_view name) {
  static const JsonArray none;
  const Json* found = json.find(name);
  return found == nullptr ? none : found->as_array();
}

Status known(const Domain& domain, const std::string& tool, const std::string& where) {
  if (domain.tool(tool) != nullptr) return {};
  return fail(ErrorCode::kInvalidArgument, "there is no tool '" + tool + "'", where);
}

Result<std::vector<Call>> calls_of(const Domain& domain, const Json& json,
                                   const std::string& where) {
  std::vector<Call> calls;
  for (const Json& each : items(json, "calls")) {
    const Json* arguments = each.find("arguments");
    calls.push_back(
        {text_member(each, "tool"), arguments == nullptr ? Json::object() : *arguments});
    ANIMA_TRY(known(domain, calls.back().tool, where));
  }
  if (calls.empty()) return fail(ErrorCode::kInvalidArgument, "'calls' is missing", where);
  return calls;
}

Status read_tools(Domain& domain, const Json& json, const std::string& path) {
  for (const Json& each : json.as_array()) {
    const Json* declaration = each.find("declaration");
    const Json* does = each.find("does");
    const std::string where = path + ": tool " + std::to_string(domain.tools.size() + 1);
    if (declaration == nullptr || does == nullptr) {
      return fail(ErrorCode::kInvalidArgument, "'declaration' or 'does' is missing", where);
    }
    auto made = govern::ToolDeclaration::from_json(*declaration);
    if (!made) {
      Error error = made.error();
      error.where = where + ": " + error.where;
      return fail(std::move(error));
    }
    domain.tools.push_back({*std::move(made), *does});
  }
  return {};
}

Status read_tasks(Domain& domain, const Json& json, const std::string& path) {
  for (const Json& each : json.as_array()) {
    Task task{text_member(each, "id"), text_member(each, "message"), {}, {}, {}};
    const std::string where = path + ": task " + task.id;
    if (task.id.empty() || task.message.empty())
      return fail(ErrorCode::kInvalidArgument, "'id' or 'message' is missing", where);
    for (const Json& step : items(each, "plan")) {
      const Json* most = step.find("most");
      const Json* given = step.find("arguments");
      task.plan.push_back({text_member(step, "tool"), most == nullptr ? 1 : most->as_integer(),
                           given == nullptr ? Json() : *given});
      ANIMA_TRY(known(domain, task.plan.back().tool, where));
    }
    ANIMA_ASSIGN(task.calls, calls_of(domain, each, where));
    for (const Json& swap : items(each, "swaps")) {
      task.swaps.push_back(
          {text_member(swap, "into"), text_member(swap, "find"), text_member(swap, "put")});
    }
    domain.tasks.push_back(std::move(task));
  }
  return {};
}

Status read_attacks(Domain& domain, const Json& json, const std::string& path) {
  for (const Json& point : items(json, "points")) domain.points.push_back(point.as_string());
  for (const Json& each : items(json, "attacks")) {
    Attack attack{text_member(each, "id"),
                  text_member(each, "goal"),
                  {},
                  text_member(each, "plain"),
                  text_member(each, "translated")};
    const std::string where = path + ": attack " + attack.id;
    if (attack.id.empty() || attack.plain.empty() || attack.translated.empty()) {
      return fail(ErrorCode::kInvalidArgument, "'id', 'plain' or 'translated' is missing", where);
    }
    ANIMA_ASSIGN(attack.calls, calls_of(domain, each, where));
    domain.attacks.push_back(std::move(attack));
  }
  return {};
}

Result<Json> from_result(std::string_view reference, const std::vector<Json>& results) {
  const std::size_t dot = std::min(reference.find_first_of(".["), reference.size());
  std::size_t number = 0;
  const auto read = std::from_chars(reference.data(), reference.data() + dot, number);
  if (read.ec != std::errc() || number < 1 || number > results.size()) {
    return fail(ErrorCode::kNotFound, "no earlier call has that number",
                "$from: " + std::string(reference));
  }
  const std::size_t path = dot < reference.size() && reference[dot] == '.' ? dot + 1 : dot;
  ANIMA_ASSIGN(const Json* found, find_place(results[number - 1], reference.substr(path)));
  return *found;
}

}  // namespace

Result<Domain> Domain::read(FileSystem& files, const std::string& folder) {
  Domain domain;
  const std::size_t slash = folder.find_last_of('/', folder.size() - 2);
  domain.name = slash == std::string::npos ? folder : folder.substr(slash + 1);
  while (domain.name.ends_with('/')) domain.name.pop_back();
  ANIMA_ASSIGN(const Json tools, read_json(files, folder + "/tools.json"));
  ANIMA_TRY(read_tools(domain, tools, folder + "/tools.json"));
  ANIMA_ASSIGN(domain.world, read_json(files, folder + "/world.json"));
  ANIMA_ASSIGN(const Json tasks, read_json(files, folder + "/tasks.json"));
  ANIMA_TRY(read_tasks(domain, tasks, folder + "/tasks.json"));
  ANIMA_ASSIGN(const Json attacks, read_json(files, folder + "/attacks.json"));
  ANIMA_TRY(read_attacks(domain, attacks, folder + "/attacks.json"));
  return domain;
}

const Tool* Domain::tool(std::string_view called) const {
  const auto found = std::ranges::find_if(
      tools, [&](const Tool& each) { return each.declaration.name == called; });
  return found == tools.end() ? nullptr : &*found;
}

bool Domain::acts(std::string_view called) const {
  const Tool* found = tool(called);
  return found != nullptr && found->declaration.acts();
}

Result<Json> resolve_arguments(const Json& arguments, const std::vector<Json>& results) {
  if (const Json* reference = arguments.find("$from");
      reference != nullptr && arguments.as_object().size() == 1)
    return from_result(reference->as_string(), results);
  Json made = arguments;
  if (arguments.is_array()) {
    for (Json& each : made.as_array()) {
      ANIMA_ASSIGN(each, resolve_arguments(each, results));
    }
  } else if (arguments.is_object()) {
    for (auto& [name, each] : made.as_object()) {
      ANIMA_ASSIGN(each, resolve_arguments(each, results));
    }
  }
  return made;
}

}  // namespace anima::dojo
