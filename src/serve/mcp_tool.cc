#include "serve/mcp_tool.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/white_space.h"

namespace anima::serve {

Json tool_annotations(bool reads, bool destroys, bool reaches_out) {
  Json annotations = Json::object({{"readOnlyHint", reads}});
  if (!reads) annotations.set("destructiveHint", destroys);
  annotations.set("openWorldHint", reaches_out);
  return annotations;
}

Json tool_definition(const char* name, const char* title, const char* description, bool reads,
                     bool reaches_out, std::initializer_list<ToolParameter> parameters) {
  Json properties = Json(JsonObject{});
  Json required = Json::array();
  for (const ToolParameter& each : parameters) {
    properties.set(each.name,
                   Json::object({{"type", each.type}, {"description", each.description}}));
    if (each.required) required.push_back(each.name);
  }
  Json schema = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  if (!required.as_array().empty()) schema.set("required", std::move(required));
  schema.set("additionalProperties", false);
  return Json::object({{"name", name},
                       {"title", title},
                       {"description", description},
                       {"inputSchema", std::move(schema)},
                       {"outputSchema", Json::object({{"type", "object"}})},  // {result} or {error}
                       {"annotations", tool_annotations(reads, reaches_out, reaches_out)}});
}

ToolAnswer answer_with(Json body) { return {Json::object({{"result", std::move(body)}}), false}; }

ToolAnswer answer_error(const Error& what) {
  Json json =
      Json::object({{"code", std::string(to_string(what.code))}, {"message", what.describe()}});
  if (!what.hint.empty()) json.set("hint", what.hint);
  return {Json::object({{"error", std::move(json)}}), true};
}

ToolAnswer answer_wrong(std::string message) {
  return answer_error({ErrorCode::kInvalidArgument, std::move(message), {}, {}});
}

namespace {

std::string unknown_argument(const std::string& name, const JsonObject& known) {
  std::vector<std::string> names;
  for (const JsonMember& each : known) names.push_back(each.first);
  const std::string near = did_you_mean(nearest_names(name, names));
  return "unknown argument " + quote_json(name) +
         "; there are: " + (names.empty() ? "none" : join(names, ", ")) +
         (near.empty() ? "" : "; " + near);
}

}  // namespace

std::string unknown_to(const Json& definition, const Json& arguments,
                       std::initializer_list<std::string_view> also) {
  const JsonObject& known = definition.find("inputSchema")->find("properties")->as_object();
  for (const JsonMember& given : arguments.as_object()) {
    if (std::ranges::find(also, given.first) != also.end()) continue;
    if (std::ranges::none_of(known,
                             [&](const JsonMember& each) { return each.first == given.first; }))
      return unknown_argument(given.first, known);
  }
  return {};
}

Result<std::string> text_of(const Json& arguments, std::string_view name) {
  const Json* value = arguments.find(name);
  if (value != nullptr && value->is_string() && !is_only_white_space(value->as_string()))
    return value->as_string();
  return fail(ErrorCode::kInvalidArgument, "the text \"" + std::string(name) + "\" is missing");
}

Json judged_arguments(const Json& arguments) {
  Json judged{JsonObject{}};
  for (const JsonMember& each : arguments.as_object()) {
    const bool kip = each.first == "command" || each.first == "commands";
    judged.set(kip ? "kip" : each.first, each.second);
  }
  return judged;
}

std::string next_step(const govern::Outcome& outcome) {
  switch (outcome.kind) {
    case govern::Outcome::Kind::kWaiting:
      return "The owner has to approve exactly this call (anima approve grant " +
             outcome.approval_id.substr(0, 8) +
             "). Tell him what you want and why; once he has, make the same call again, "
             "unchanged.";
    case govern::Outcome::Kind::kDenied:
      return "Do not try it in other words. why explains it; \"missing\" names what only "
             "the "
             "owner can give.";
    case govern::Outcome::Kind::kHalted:
      return "Nothing runs until the owner lets the line go on. Tell him, and wait.";
    case govern::Outcome::Kind::kBusy:
      return "Too many calls run: make the same call again later.";
    case govern::Outcome::Kind::kFailed:
      return "It ran and failed: the reason says why. Other arguments may help.";
    case govern::Outcome::Kind::kDone:
      break;
  }
  return {};
}

}  // namespace anima::serve
