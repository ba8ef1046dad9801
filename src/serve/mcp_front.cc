#include "serve/mcp_front.h"

#include <algorithm>

#include "base/json/json_member.h"
#include "serve/mcp_tool.h"

namespace anima::serve {
namespace {

using Kind = govern::Outcome::Kind;

Json content_of_text(std::string_view text) {
  return Json::array({Json::object({{"type", "text"}, {"text", text}})});
}

// Which values are the reason, a line each.
std::string values_of(const agent::GuardVerdict& verdict) {
  std::string text;
  for (const std::string& each : verdict.because) text += "\n" + each;
  return text;
}

// What the client is told of a call that was not done.
Json refusal_result(const agent::GuardVerdict& verdict) {
  const govern::Outcome& outcome = verdict.outcome;
  std::string text = std::string(govern::to_string(outcome.kind)) + ": " + outcome.reason;
  text += values_of(verdict);
  const std::string next = next_step(outcome);
  if (!next.empty()) text += "\n" + next;
  return Json::object({{"content", content_of_text(text)}, {"isError", true}});
}

Json done_result(const Json& result) {
  std::string text = text_member(result, "text");
  if (const Json* others = result.find("others"); others != nullptr)
    text += (text.empty() ? "" : "\n") + others->dump();
  Json answer = Json::object({{"content", content_of_text(text)}});
  if (const Json* structured = result.find("structured"); structured != nullptr)
    answer.set("structuredContent", *structured);
  return answer;
}

}  // namespace

McpFront::McpFront(agent::GovernedHouse& house, agent::GuardSession& session,
                   tools::ToolServer server, const std::string& version, AskClient ask)
    : house_(house),
      session_(session),
      server_(std::move(server)),
      ask_(std::move(ask)),
      protocol_({.name = "anima-front-of-" + server_.name,
                 .title = "Anima, in front of " + server_.name,
                 .version = version,
                 .capabilities = Json::object({{"tools", Json::object()}})},
                [this](McpCall& call) { return dispatch(call); }) {}

std::optional<Json> McpFront::handle(const Json& message) {
  if (text_member(message, "method") == "initialize") {
    const Json* params = message.find("params");
    const Json* capabilities = params == nullptr ? nullptr : params->find("capabilities");
    may_ask_ = ask_ && capabilities != nullptr && capabilities->find("elicitation") != nullptr;
  }
  return protocol_.handle(message);
}

Needs McpFront::needs_of(const Json& message) {
  return mcp_needs(message, [](std::string_view, const Json&) {
    return Needs{Needs::Order::kWrite, true};
  });
}

Json McpFront::dispatch(McpCall& call) {
  if (call.method == "tools/list") return list();
  if (call.method == "tools/call") return call_tool(call);
  return call.fail(kMethodNotFound, "there is no method " + quote_json(call.method));
}

Json McpFront::list() const {
  Json list = Json::array();
  for (const tools::ToolServer::Known& each : server_.tools) list.push_back(each.offered.to_json());
  return Json::object({{"tools", std::move(list)}});
}

Json McpFront::call_tool(McpCall& call) {
  const Json* named = call.param("name");
  const std::string name = named != nullptr && named->is_string() ? named->as_string() : "";
  const auto known = std::ranges::find_if(server_.tools, [&](const tools::ToolServer::Known& each) {
    return each.offered.name == name;
  });
  if (known == server_.tools.end())
    return call.fail(kInvalidParams, "there is no tool " + quote_json(name));
  const Json* given = call.param("arguments");
  const Json arguments = given == nullptr || given->is_null() ? Json::object() : *given;
  if (!arguments.is_object()) return call.fail(kInvalidParams, "\"arguments\" must be an object");
  house_.stop_with(call.stop);
  auto verdict = session_.call(known->declaration.name, arguments);
  if (verdict && verdict->outcome.kind == Kind::kWaiting && allowed_by_person(*verdict, call.stop))
    verdict = session_.call(known->declaration.name, arguments);
  house_.stop_with({});
  if (!verdict) return call.fail(kInternalError, verdict.error().describe());
  return verdict->outcome.kind == Kind::kDone ? done_result(verdict->outcome.result)
                                              : refusal_result(*verdict);
}

bool McpFront::allowed_by_person(const agent::GuardVerdict& verdict, const std::stop_token& stop) {
  // What a client says that its person said is no signature.
  if (!may_ask_ || house_.approvals().needs_signature().value_or(true)) return false;
  const govern::Outcome& outcome = verdict.outcome;
  const auto approval = house_.approvals().find(outcome.approval_id);
  if (!approval) return false;
  const Json answer =
      ask_("elicitation/create",
           Json::object(
               {{"message", "Allow this call once? " + approval->request.tool + " " +
                                approval->request.arguments.dump() +
                                "\nIt asks because: " + outcome.reason + values_of(verdict)},
                {"requestedSchema",
                 Json::object({{"type", "object"},
                               {"properties",
                                Json::object({{"allow", Json::object({{"type", "boolean"},
                                                                      {"title", "Allow it once"},
                                                                      {"default", false}})}})},
                               {"required", Json::array({"allow"})}})}}),
           stop)
          .value_or(Json());
  const Json* content = answer.find("content");
  const Json* allow = content == nullptr ? nullptr : content->find("allow");
  const bool yes =
      text_member(answer, "action") == "accept" && allow != nullptr && allow->as_bool();
  if (yes) return house_.approvals().grant(outcome.approval_id, "operator").has_value();
  if (text_member(answer, "action") == "decline")
    (void)house_.approvals().reject(outcome.approval_id, "operator", "declined at the client");
  return false;
}

}  // namespace anima::serve
