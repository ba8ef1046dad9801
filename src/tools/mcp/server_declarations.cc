#include "tools/mcp/server_declarations.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "tools/detail/arguments.h"

namespace anima::tools {
namespace {

constexpr std::size_t kMostDescription = 4096;
constexpr int kSeconds = 60;  // of a call

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// The word for this tool: its own name before patterns, later ones before earlier ones.
const ToolWord* word_for(std::span<const ToolWord> words, std::string_view name) {
  const ToolWord* found = nullptr;
  for (const ToolWord& each : words) {
    if (!matches(each.name, name)) continue;
    if (found == nullptr || each.name == name || found->name != name) found = &each;
  }
  return found;
}

bool leaves_the_machine(const ToolServer& server) {
  return server.program.network || server.program.command.empty();
}

Json usual_roles(const Json& schema) {
  Json roles = Json::object();
  const Json* properties = schema.find("properties");
  if (properties == nullptr) return roles;
  for (const auto& [name, value] : properties->as_object()) {
    const govern::ArgumentRole role = govern::usual_role(name);
    if (role == govern::ArgumentRole::kPlain) continue;
    govern::FieldStep step;
    step.name = name;
    roles.set(govern::text_of(std::span(&step, 1)), std::string(govern::to_string(role)));
  }
  return roles;
}

Result<govern::ToolDeclaration> declare(const ToolServer& server, const ServerTool& tool,
                                        const ToolWord* word) {
  const Json schema = checkable_schema(tool.input_schema);
  Json members = Json::object(
      {{"name", house_name_of(server.name, tool.name)},
       {"description", detail::cut_at_character(valid_text(tool.description), kMostDescription)},
       {"effects", Json::array({"runs"})},
       {"timeout_seconds", kSeconds},
       {"arguments", schema},
       {"roles", usual_roles(schema)},
       {"trust", std::string(govern::trust_name(server.trust))}});
  if (word != nullptr) {
    for (const auto& [name, value] : word->members.as_object()) members.set(name, value);
  }
  auto declared = govern::ToolDeclaration::from_json(members);
  if (!declared) {
    Error error = declared.error();
    error.message = tool.name + ": " + error.message +
                    (error.where.empty() ? std::string() : " (" + error.where + ")");
    error.where = word == nullptr ? std::string() : word->where;
    return fail(std::move(error));
  }
  if (!declared->tier && !declared->acts() && leaves_the_machine(server))
    declared->tier = govern::Tier::kWriteSafe;
  return declared;
}

Status check_words(std::span<const ToolWord> words, const std::vector<ServerTool>& offered) {
  std::vector<std::string> names;
  for (const ServerTool& tool : offered) names.push_back(tool.name);
  for (const ToolWord& word : words) {
    const bool used =
        std::ranges::any_of(names, [&](const auto& name) { return matches(word.name, name); });
    if (used) continue;
    std::string hint = did_you_mean(nearest_names(word.name, names));
    return fail(ErrorCode::kInvalidArgument, "the server has no tool '" + word.name + "'",
                word.where, hint.empty() ? "it has: " + join(names, ", ") : hint);
  }
  return {};
}

}  // namespace

std::vector<ToolWord> words_of_lists(const std::vector<std::string>& lists,
                                     std::string_view effect) {
  std::vector<ToolWord> words;
  for (const std::string& list : lists) {
    for (const std::string_view name : split(list, ',')) {
      if (trim(name).empty()) continue;
      words.push_back(
          {std::string(trim(name)), Json::object({{"effects", Json::array({Json(effect)})}}), {}});
    }
  }
  return words;
}

Status take_offered(ToolServer& server, const std::vector<ServerTool>& offered,
                    std::span<const ToolWord> words) {
  ANIMA_TRY(check_words(words, offered));
  std::vector<ToolServer::Known> taken;
  std::set<std::string, std::less<>> names;
  for (const ServerTool& tool : offered) {
    const ToolWord* word = word_for(words, tool.name);
    const auto before = std::ranges::find_if(server.tools, [&](const ToolServer::Known& each) {
      return each.offered.name == tool.name && hash_of_tool(each.offered) == hash_of_tool(tool);
    });
    ToolServer::Known known;
    if (word == nullptr && before != server.tools.end()) {
      known = *before;
    } else {
      known.offered = tool;
      ANIMA_ASSIGN(known.declaration, declare(server, tool, word));
    }
    if (!names.insert(known.declaration.name).second) {
      return fail(ErrorCode::kConflict,
                  "two tools of the server would both be " + known.declaration.name + " here");
    }
    taken.push_back(std::move(known));
  }
  server.tools = std::move(taken);
  server.hash = hash_of_tools(offered);
  server.stopped.clear();
  return {};
}

std::vector<std::string> suspicious_tools(const std::vector<ServerTool>& offered,
                                          const govern::Guardian& guardian) {
  std::vector<std::string> found;
  for (const ServerTool& tool : offered) {
    const govern::Assessment assessment =
        guardian.assess(tool.to_json().dump(), govern::Trust::kUntrusted);
    if (assessment.action == govern::Action::kAllow) continue;
    std::string line = tool.name + ":";
    for (const govern::Finding& each : assessment.findings)
      line += " " + each.id + " \"" + each.text + "\"";
    found.push_back(valid_text(line));
  }
  return found;
}

}  // namespace anima::tools
