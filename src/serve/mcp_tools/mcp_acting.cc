#include "serve/mcp_tools/mcp_acting.h"

#include <algorithm>

#include "base/json/text_array.h"
#include "base/text/text.h"
#include "serve/mcp_tools/mcp_memory.h"

namespace anima::serve {
namespace {

using Answer = McpActing::Answer;
using govern::Outcome;

constexpr std::size_t kMostDescription = 300;

Json tool_json(const tools::ToolInfo& info, govern::Tier tier) {
  Json parameters = Json::array();
  for (const tools::ToolParameter& each : info.parameters) {
    parameters.push_back(Json::object(
        {{"name", each.name}, {"required", each.required}, {"description", each.description}}));
  }
  return Json::object({{"name", info.name},
                       {"description", info.description},
                       {"tier", std::string(govern::to_string(tier))},
                       {"parameters", std::move(parameters)}});
}

}  // namespace

JsonArray McpActing::definitions() {
  return {
      tool_definition("list_tools", "List the tools",
                      "The tools that call_tool runs: names, tiers, parameters.", true, false, {}),
      tool_definition(
          "call_tool", "Call a tool",
          "Runs a tool of list_tools after the executor has judged the call. The outcome is "
          "done, waiting (for the owner), denied, failed, halted or busy; "
          "\"next\" says what to do then.",
          false, true,
          {{"tool", "string", "Its name, as file:read"},
           {"arguments", "object", "What it takes", false}}),
      tool_definition("approval_status", "See how an approval stands",
                      "Whether a waiting call was approved, rejected or has expired.", true, false,
                      {{"id", "string", "The approval that the call named"}}),
      tool_definition("why_denied", "Explain a refusal",
                      "The rule or pattern behind a denied call, and what it lacks.", true, false,
                      {{"id", "string", "The refusal that the call named"}})};
}

std::optional<ToolAnswer> McpActing::call(std::string_view tool, const Json& arguments,
                                          const std::stop_token& stop) {
  for (const Json& definition : definitions()) {
    if (definition.find("name")->as_string() != tool) continue;
    if (std::string why = unknown_to(definition, arguments); !why.empty())
      return answer_wrong(std::move(why));
  }
  if (tool == "list_tools") return list_tools();
  if (tool == "call_tool") return call_tool(arguments, stop);
  if (tool == "approval_status") return approval_status(arguments);
  if (tool == "why_denied") return why_denied(arguments);
  return std::nullopt;
}

Answer McpActing::list_tools() const {
  std::vector<Json> all;
  for (const tools::ExternalTool& tool : tools::external_tools())
    all.push_back(tool_json(tool.info, tool.tier));
  for (const tools::ExternalTool& tool : agent::MemoryTools::tools())
    all.push_back(tool_json(tool.info, tool.tier));
  const tools::ToolsOfOthers& others = house_.tools_of_others();
  for (const govern::ToolDeclaration& tool : others.declarations()) {
    // The schema says it all; descriptions of others can be long.
    const std::string_view said = beginning_of(tool.description, kMostDescription);
    Json json = Json::object({{"name", tool.name},
                              {"description", said},
                              {"tier", std::string(govern::to_string(tool.tier_of()))},
                              {"schema", tool.arguments}});
    if (std::string why = others.stopped(tool.name); !why.empty())
      json.set("stopped", std::move(why));
    all.push_back(std::move(json));
  }
  std::ranges::sort(all, {}, [](const Json& tool) { return tool.find("name")->as_string(); });
  return answer_with(Json::object({{"trust", std::string(govern::trust_name(trust_))},
                                   {"tools", JsonArray(all.begin(), all.end())}}));
}

Answer McpActing::call_tool(const Json& arguments, const std::stop_token& stop) {
  const auto tool = text_of(arguments, "tool");
  if (!tool) return answer_error(tool.error());
  if (tool->starts_with(std::string(kMcpDoor) +
                        ":")) {  // only judged under that name, run by nobody
    return answer_error(
        {ErrorCode::kNotFound,
         "call_tool does not run " + quote_json(*tool),
         {},
         "list_tools names what it runs; the tools of the memory are called themselves"});
  }
  const Json* given = arguments.find("arguments");
  if (given != nullptr && !given->is_object())
    return answer_wrong("\"arguments\" must be an object");
  const Json taken = given == nullptr ? Json::object() : *given;
  // Named values are put in first.
  if (!guard::has_named_value(taken)) {
    if (const Status good = house_.check_arguments(*tool, taken); !good)
      return answer_error(good.error());
  }
  house_.stop_with(stop);
  const auto verdict = session_.call(*tool, taken);
  house_.stop_with({});
  if (!verdict) return answer_error(verdict.error());
  const Outcome& outcome = verdict->outcome;
  Json body = Json::object({{"outcome", std::string(govern::to_string(outcome.kind))}});
  if (outcome.kind == Outcome::Kind::kDone) {
    body.set("call", verdict->call);
    body.set("result", outcome.result);
    body.set("trust", std::string(govern::trust_name(outcome.output_trust)));
    return answer_with(std::move(body));
  }
  body.set("reason", outcome.reason);
  if (!verdict->because.empty()) body.set("because", text_array(verdict->because));
  const bool waits = outcome.kind == Outcome::Kind::kWaiting;
  if (waits) body.set("approval", outcome.approval_id);
  if (!waits && outcome.kind != Outcome::Kind::kFailed) {
    body.set("refusal", outcome.audit_id);
    body.set("missing", text_array(outcome.decision.missing));
  }
  body.set("next", next_step(outcome));
  Answer answer = answer_with(std::move(body));
  answer.is_error = !waits;
  return answer;
}

// A rejection's reason is the approver's; the call itself is known to who asks.
Answer McpActing::approval_status(const Json& arguments) {
  const auto id = text_of(arguments, "id");
  if (!id) return answer_error(id.error());
  const auto approval = house_.approvals().find(*id);
  if (!approval) return answer_error(approval.error());
  if (approval->request.agent != kMcpAgent) {
    return answer_error({ErrorCode::kNotFound,
                         "there is no approval '" + *id + "' of this client's",
                         {},
                         "call_tool names it"});
  }
  Json body = Json::object({{"id", approval->id},
                            {"status", std::string(govern::to_string(approval->status))},
                            {"tool", approval->request.tool},
                            {"reason", approval->reason},
                            {"expires", format_timestamp(approval->expires)}});
  if (!approval->decided_by.empty()) body.set("decided_by", approval->decided_by);
  return answer_with(std::move(body));
}

Answer McpActing::why_denied(const Json& arguments) {
  const auto id = text_of(arguments, "id");
  return id ? McpMemory::refusal(house_, *id) : answer_error(id.error());
}

}  // namespace anima::serve
