#include "agent/conversation/detail/message_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/json_fields.h"

namespace anima::agent::detail {
namespace {

constexpr std::array kRoles = {llm::Role::kSystem, llm::Role::kUser, llm::Role::kAssistant};
constexpr std::array kOutcomes = {govern::Outcome::Kind::kDone,   govern::Outcome::Kind::kFailed,
                                  govern::Outcome::Kind::kDenied, govern::Outcome::Kind::kWaiting,
                                  govern::Outcome::Kind::kHalted, govern::Outcome::Kind::kBusy};

Json message_part_to_json(const llm::Part& part) {
  if (const auto* text = std::get_if<std::string>(&part)) return Json::object({{"text", *text}});
  if (const auto* call = std::get_if<llm::ToolCall>(&part)) {
    return Json::object({{"call", call->id},
                         {"name", call->name},
                         {"arguments", call->arguments},
                         {"unreadable", call->unreadable}});
  }
  if (const auto* result = std::get_if<llm::ToolResult>(&part)) {
    return Json::object(
        {{"result", result->call}, {"text", result->text}, {"failed", result->failed}});
  }
  return Json::object({{"opaque", std::get<llm::Opaque>(part).content}});
}

Result<llm::Part> message_part_from_json(const Json& json) {
  if (json.find("call") != nullptr) {
    llm::ToolCall call;
    call.id = text_of(json, "call");
    call.name = text_of(json, "name");
    if (const Json* arguments = json.find("arguments")) call.arguments = *arguments;
    call.unreadable = text_of(json, "unreadable");
    return llm::Part(std::move(call));
  }
  if (json.find("result") != nullptr) {
    return llm::Part(
        llm::ToolResult{text_of(json, "result"), text_of(json, "text"), flag_of(json, "failed")});
  }
  if (const Json* opaque = json.find("opaque")) return llm::Part(llm::Opaque{*opaque});
  if (json.find("text") != nullptr) return llm::Part(text_of(json, "text"));
  return fail(ErrorCode::kCorrupt, "a recorded message has a part of no known kind");
}

}  // namespace

govern::Trust trust_from(const Json& json, std::string_view key) {
  return govern::parse_trust(text_of(json, key)).value_or(govern::Trust::kHostile);
}

Json messages_to_json(const std::vector<llm::Message>& messages) {
  Json list = Json::array();
  for (const llm::Message& message : messages) {
    Json parts = Json::array();
    for (const llm::Part& part : message.parts) parts.push_back(message_part_to_json(part));
    list.push_back(
        Json::object({{"role", llm::to_string(message.role)}, {"parts", std::move(parts)}}));
  }
  return list;
}

Result<std::vector<llm::Message>> messages_from_json(const Json* json) {
  std::vector<llm::Message> messages;
  if (json == nullptr || !json->is_array())
    return fail(ErrorCode::kCorrupt, "recorded messages are no list");
  for (const Json& each : json->as_array()) {
    llm::Message message;
    const std::string role = text_of(each, "role");
    const auto known = std::ranges::find(
        kRoles, role, [](llm::Role known_role) { return llm::to_string(known_role); });
    if (known == kRoles.end())
      return fail(ErrorCode::kCorrupt, "a recorded message is of nobody that is known", role);
    message.role = *known;
    for (const Json& part : items_of(each, "parts")) {
      ANIMA_ASSIGN(llm::Part read, message_part_from_json(part));
      message.parts.push_back(std::move(read));
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

Json to_json(const PromptPart& part) {
  return Json::object({{"section", part.section},
                       {"reason", part.reason},
                       {"source", part.source},
                       {"trust", govern::trust_name(part.trust)},
                       {"messages", messages_to_json(part.messages)}});
}

Result<PromptPart> prompt_part_from_json(const Json& json) {
  PromptPart part;
  part.section = text_of(json, "section");
  part.reason = text_of(json, "reason");
  part.source = text_of(json, "source");
  part.trust = trust_from(json, "trust");
  ANIMA_ASSIGN(part.messages, messages_from_json(json.find("messages")));
  return part;
}

Json to_json(const std::vector<PromptPart>& parts) {
  Json list = Json::array();
  for (const PromptPart& part : parts) list.push_back(to_json(part));
  return list;
}

Result<std::vector<PromptPart>> prompt_parts_from_json(const Json* json) {
  std::vector<PromptPart> parts;
  if (json == nullptr || !json->is_array())
    return fail(ErrorCode::kCorrupt, "recorded parts of a prompt are no list");
  for (const Json& each : json->as_array()) {
    ANIMA_ASSIGN(PromptPart part, prompt_part_from_json(each));
    parts.push_back(std::move(part));
  }
  return parts;
}

Json to_json(const govern::Outcome& outcome) {
  return Json::object({{"kind", govern::to_string(outcome.kind)},
                       {"result", outcome.result},
                       {"reason", outcome.reason},
                       {"approval", outcome.approval_id},
                       {"audit", outcome.audit_id},
                       {"trust", govern::trust_name(outcome.output_trust)}});
}

Result<govern::Outcome> outcome_from_json(const Json& json) {
  govern::Outcome outcome;
  const std::string kind = text_of(json, "kind");
  const auto known = std::ranges::find(
      kOutcomes, kind, [](govern::Outcome::Kind each) { return govern::to_string(each); });
  if (known == kOutcomes.end())
    return fail(ErrorCode::kCorrupt, "a recorded call ended in no known way", kind);
  outcome.kind = *known;
  if (const Json* result = json.find("result")) outcome.result = *result;
  outcome.reason = text_of(json, "reason");
  outcome.approval_id = text_of(json, "approval");
  outcome.audit_id = text_of(json, "audit");
  outcome.output_trust = trust_from(json, "trust");
  return outcome;
}

}  // namespace anima::agent::detail
