#include "serve/mcp_front.h"

#include <algorithm>

#include "base/json/json_member.h"
#include "serve/mcp.h"
#include "serve/mcp_tool.h"

namespace anima::serve {
namespace {

using Kind = govern::Outcome::Kind;

constexpr int kInvalidRequestCode = -32600;
constexpr int kNoSuchMethod = -32601;
constexpr int kWrongParameters = -32602;
constexpr int kInternalError = -32603;
constexpr const char* kSessionEra[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::string_view kStatelessEra = "2026-07-28";
constexpr std::string_view kVersionMember = "io.modelcontextprotocol/protocolVersion";

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

struct McpFront::Answer {
  Json result;
  int code = 0;  // of an error
  std::string message;
};

McpFront::McpFront(agent::GovernedHouse& house, agent::GuardSession& session,
                   tools::ToolServer server, std::string version, AskClient ask)
    : house_(house),
      session_(session),
      server_(std::move(server)),
      version_(std::move(version)),
      ask_(std::move(ask)) {}

std::optional<Json> McpFront::handle(const Json& message) {
  const Json* id = message.find("id");
  const std::string method = text_member(message, "method");
  if (McpServer::is_cancellation(message)) {
    running_.cancel(*message.find("params")->find("requestId"));
    return std::nullopt;
  }
  if (message.is_object() && (id == nullptr || method.empty()) &&
      (!method.empty() || message.find("result") != nullptr || message.find("error") != nullptr))
    return std::nullopt;
  Json answer = Json::object({{"jsonrpc", "2.0"}, {"id", id == nullptr ? Json() : *id}});
  Answer said;
  if (method.empty() || id == nullptr || text_member(message, "jsonrpc") != "2.0") {
    said = {{}, kInvalidRequestCode, "this is no JSON-RPC 2.0 request"};
  } else {
    const RunningCalls::Entry running(running_, *id);
    const Json* params = message.find("params");
    said = dispatch(method, params == nullptr ? Json::object() : *params, running.stop());
    if (running.stop().stop_requested()) return std::nullopt;
  }
  if (said.code != 0) {
    answer.set("error", Json::object({{"code", said.code}, {"message", said.message}}));
  } else {
    answer.set("result", std::move(said.result));
  }
  return answer;
}

McpFront::Answer McpFront::dispatch(const std::string& method, const Json& params,
                                    const std::stop_token& stop) {
  const Json* meta = params.find("_meta");
  const bool stateless = meta != nullptr && meta->find(kVersionMember) != nullptr;
  const Json ourselves = Json::object({{"name", "anima-front-of-" + server_.name},
                                       {"title", "Anima, in front of " + server_.name},
                                       {"version", version_}});
  Json result;
  if (method == "initialize") {
    std::string version = kSessionEra[0];
    const std::string wanted = text_member(params, "protocolVersion");
    if (std::ranges::find(kSessionEra, wanted) != std::end(kSessionEra)) version = wanted;
    const Json* capabilities = params.find("capabilities");
    may_ask_ = ask_ && capabilities != nullptr && capabilities->find("elicitation") != nullptr;
    return {Json::object({{"protocolVersion", version},
                          {"capabilities", Json::object({{"tools", Json::object()}})},
                          {"serverInfo", ourselves}}),
            0,
            {}};
  }
  if (method == "ping") return {Json::object(), 0, {}};
  if (method == "server/discover") {
    result = Json::object({{"supportedVersions", Json::array({Json(kStatelessEra)})},
                           {"capabilities", Json::object({{"tools", Json::object()}})}});
  } else if (method == "tools/list") {
    result = list();
  } else if (method == "tools/call") {
    Answer called = call(params, stop);
    if (called.code != 0) return called;
    result = std::move(called.result);
  } else {
    return {{}, kNoSuchMethod, "there is no method " + quote_json(method)};
  }
  if (stateless) {
    result.set("resultType", "complete");
    if (method != "tools/call") {
      result.set("ttlMs", 0);
      result.set("cacheScope", "private");
    }
    result.set("_meta", Json::object({{"io.modelcontextprotocol/serverInfo", ourselves}}));
  }
  return {std::move(result), 0, {}};
}

Json McpFront::list() const {
  Json list = Json::array();
  for (const tools::ToolServer::Known& each : server_.tools) list.push_back(each.offered.to_json());
  return Json::object({{"tools", std::move(list)}});
}

McpFront::Answer McpFront::call(const Json& params, const std::stop_token& stop) {
  const std::string name = text_member(params, "name");
  const auto known = std::ranges::find_if(server_.tools, [&](const tools::ToolServer::Known& each) {
    return each.offered.name == name;
  });
  if (known == server_.tools.end())
    return {{}, kWrongParameters, "there is no tool " + quote_json(name)};
  Json arguments = Json::object();
  if (const Json* given = params.find("arguments"); given != nullptr && !given->is_null()) {
    if (!given->is_object()) return {{}, kWrongParameters, "\"arguments\" must be an object"};
    arguments = *given;
  }
  house_.stop_with(stop);
  auto verdict = session_.call(known->declaration.name, arguments);
  if (verdict && verdict->outcome.kind == Kind::kWaiting && allowed_by_person(*verdict))
    verdict = session_.call(known->declaration.name, arguments);
  house_.stop_with({});
  if (!verdict) return {{}, kInternalError, verdict.error().describe()};
  return {verdict->outcome.kind == Kind::kDone ? done_result(verdict->outcome.result)
                                               : refusal_result(*verdict),
          0,
          {}};
}

bool McpFront::allowed_by_person(const agent::GuardVerdict& verdict) {
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
                               {"required", Json::array({"allow"})}})}}))
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
