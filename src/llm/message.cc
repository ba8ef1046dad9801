#include "llm/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace anima::llm {
namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::int64_t kTokensOfMessage = 4;  // what marks where one begins and ends

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

Status check_name(std::string_view what, const std::string& name) {
  if (is_tool_name(name)) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the name of {} has other characters than letters, digits, _ and -, or "
                          "more than {}",
                          what, kMaxName),
              name);
}

Status check_parts(const Message& message, std::set<std::string, std::less<>>& calls) {
  for (const Part& part : message.parts) {
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      if (message.role != Role::kAssistant)
        return fail(ErrorCode::kInvalidArgument, "only a model calls tools", call->name);
      calls.insert(call->id);
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      if (message.role != Role::kUser || !calls.contains(result->call))
        return fail(ErrorCode::kInvalidArgument, "a tool result answers no call", result->call);
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kUser:
      return "user";
    case Role::kAssistant:
      return "assistant";
  }
  return "user";
}

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::kEnd:
      return "end";
    case StopReason::kToolCalls:
      return "tool_calls";
    case StopReason::kLength:
      return "length";
    case StopReason::kStopText:
      return "stop_text";
    case StopReason::kRefused:
      return "refused";
    case StopReason::kPaused:
      return "paused";
    case StopReason::kOther:
      return "other";
  }
  return "other";
}

Message system_message(std::string text) { return {Role::kSystem, {std::move(text)}}; }
Message user_message(std::string text) { return {Role::kUser, {std::move(text)}}; }
Message assistant_message(std::string text) { return {Role::kAssistant, {std::move(text)}}; }

Message result_message(std::vector<ToolResult> results) {
  Message message;
  for (ToolResult& result : results) message.parts.emplace_back(std::move(result));
  return message;
}

std::string text_of(const Message& message) {
  std::string text;
  for (const Part& part : message.parts) {
    if (const auto* piece = std::get_if<std::string>(&part)) text += *piece;
  }
  return text;
}

std::vector<ToolCall> calls_of(const Message& message) {
  std::vector<ToolCall> calls;
  for (const Part& part : message.parts) {
    if (const auto* call = std::get_if<ToolCall>(&part)) calls.push_back(*call);
  }
  return calls;
}

Status check(const Request& request) {
  if (request.messages.empty())
    return fail(ErrorCode::kInvalidArgument, "nothing is asked: there is no message");
  std::set<std::string, std::less<>> calls, names;
  for (const Message& message : request.messages) ANIMA_TRY(check_parts(message, calls));
  for (const ToolDefinition& tool : request.tools) {
    ANIMA_TRY(check_name("a tool", tool.name));
    if (!names.insert(tool.name).second)
      return fail(ErrorCode::kInvalidArgument, "two tools have the same name", tool.name);
  }
  if (request.tool_choice.kind == ToolChoice::Kind::kNamed &&
      !names.contains(request.tool_choice.name))
    return fail(ErrorCode::kInvalidArgument, "the tool to be called is none of those offered",
                request.tool_choice.name);
  if (request.output) ANIMA_TRY(check_name("an output schema", request.output->name));
  return {};
}

Usage sum(const Usage& a, const Usage& b) {
  return {a.input_tokens + b.input_tokens, a.output_tokens + b.output_tokens,
          a.cached_tokens + b.cached_tokens, a.reasoning_tokens + b.reasoning_tokens,
          a.estimated || b.estimated};
}

Json to_json(const Usage& usage) {
  Json json = Json::object({{"input_tokens", usage.input_tokens},
                            {"output_tokens", usage.output_tokens},
                            {"cached_tokens", usage.cached_tokens},
                            {"reasoning_tokens", usage.reasoning_tokens}});
  if (usage.estimated) json.set("estimated", true);
  return json;
}

Json to_json(const Reply& reply) {
  Json calls = Json::array();
  for (const ToolCall& call : calls_of(reply.message)) {
    Json json = Json::object({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
    if (!call.unreadable.empty()) json.set("unreadable", call.unreadable);
    calls.push_back(std::move(json));
  }
  return Json::object({{"text", text_of(reply.message)},
                       {"tool_calls", std::move(calls)},
                       {"stop", to_string(reply.stop)},
                       {"usage", to_json(reply.usage)},
                       {"model", reply.model},
                       {"id", reply.id},
                       {"attempts", reply.attempts}});
}

std::int64_t estimate_tokens(std::string_view text) {
  return static_cast<std::int64_t>((text.size() + 3) / 4);
}

std::int64_t estimate_tokens(const Request& request) {
  std::int64_t tokens = 0;
  for (const Message& message : request.messages) {
    tokens += kTokensOfMessage;
    for (const Part& part : message.parts) {
      if (const auto* text = std::get_if<std::string>(&part)) {
        tokens += estimate_tokens(*text);
      } else if (const auto* call = std::get_if<ToolCall>(&part)) {
        tokens += estimate_tokens(call->name) + estimate_tokens(call->arguments.dump());
      } else if (const auto* result = std::get_if<ToolResult>(&part)) {
        tokens += estimate_tokens(result->text);
      } else if (const auto* opaque = std::get_if<Opaque>(&part)) {
        tokens += estimate_tokens(opaque->content.dump());
      }
    }
  }
  for (const ToolDefinition& tool : request.tools) {
    tokens += estimate_tokens(tool.name) + estimate_tokens(tool.description) +
              estimate_tokens(tool.parameters.dump());
  }
  if (request.output) tokens += estimate_tokens(request.output->schema.dump());
  return tokens;
}

}  // namespace anima::llm
