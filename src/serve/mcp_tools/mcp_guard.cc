#include "serve/mcp_tools/mcp_guard.h"

#include <algorithm>

#include "base/json/json_member.h"
#include "serve/mcp_tools/mcp_memory.h"

namespace anima::serve {

JsonArray McpGuard::definitions() {
  return {tool_definition(
              "check_call", "Ask before a call",
              "Whether a call of a tool of yours may run. Ask before each. \"decision\" is allow, "
              "ask (the owner has to approve) or deny; use the \"arguments\" of the answer. "
              "{\"$value\": \"12.mails[0].from\"} stands for what call 12 gave there.",
              false, false,
              {{"tool", "string", "Its name, as declared"},
               {"arguments", "object", "What it takes", false}}),
          tool_definition(
              "report_result", "Report what a call gave",
              "After an allowed call: what the tool gave, whole.", false, false,
              {{"call", "integer", "The number that check_call gave"},
               {"result", "object", "What the tool gave; of a text or a list {\"value\": ..}"}})};
}

std::optional<ToolAnswer> McpGuard::call(std::string_view tool, const Json& arguments) {
  const JsonArray list = definitions();
  const auto definition = std::ranges::find_if(
      list, [&](const Json& each) { return text_member(each, "name") == tool; });
  if (definition == list.end()) return std::nullopt;
  if (std::string wrong = unknown_to(*definition, arguments); !wrong.empty())
    return answer_wrong(std::move(wrong));
  return tool == "check_call" ? check_call(arguments) : report_result(arguments);
}

Status memory_tells(agent::GuardSession& session, std::string_view tool) {
  return mcp_tool_tells(tool) ? session.told(govern::Trust::kUntrusted) : Status();
}

ToolAnswer McpGuard::check_call(const Json& arguments) {
  const auto tool = text_of(arguments, "tool");
  if (!tool) return answer_error(tool.error());
  const Json* given = arguments.find("arguments");
  if (given != nullptr && !given->is_object())
    return answer_wrong("\"arguments\" must be an object");
  const auto verdict = session_.judge(*tool, given == nullptr ? Json::object() : *given);
  if (!verdict) return answer_error(verdict.error());
  Json body = verdict->to_json();
  if (verdict->outcome.kind != govern::Outcome::Kind::kDone) {
    body.set("next", next_step(verdict->outcome));
    return answer_with(std::move(body));
  }
  const govern::ToolDeclaration* declared = house_.declaration(*tool);
  const govern::Trust least =
      declared == nullptr ? govern::Trust::kUntrusted : declared->policy().output_trust;
  if (const Status lowered = session_.told(least); !lowered) return answer_error(lowered.error());
  return answer_with(std::move(body));
}

ToolAnswer McpGuard::report_result(const Json& arguments) {
  const Json* call = arguments.find("call");
  const Json* result = arguments.find("result");
  if (call == nullptr || !call->is_integer())
    return answer_wrong("\"call\" is the number that check_call gave");
  if (result == nullptr) return answer_wrong("\"result\" is missing");
  // The result of a tool that gives no object comes as {"value": ..}.
  const Json* value = result->find("value");
  const bool wrapped = value != nullptr && result->as_object().size() == 1;
  const Status kept = session_.observe(call->as_integer(), wrapped ? *value : *result);
  if (!kept) return answer_error(kept.error());
  const auto floor = session_.floor();
  if (!floor) return answer_error(floor.error());
  return answer_with(Json::object({{"floor", govern::trust_name(*floor)}}));
}

}  // namespace anima::serve
