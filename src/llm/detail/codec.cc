#include "llm/detail/codec.h"

#include <algorithm>
#include <array>

#include "base/json/json_member.h"
#include "base/text/text.h"

namespace anima::llm::detail {
namespace {

// Types and codes of faults that pass. Sources: the error pages of OpenAI and Anthropic.
constexpr std::array<std::string_view, 8> kPassing{
    "overloaded_error", "rate_limit_error", "api_error",           "server_error",
    "timeout_error",    "internal_error",   "rate_limit_exceeded", "service_unavailable"};
constexpr std::array<std::string_view, 5> kDenying{"authentication_error", "permission_error",
                                                   "invalid_api_key", "insufficient_quota",
                                                   "billing_error"};

}  // namespace

const Codec& codec_of(Provider provider) {
  switch (provider) {
    case Provider::kOpenAiChat:
      return openai_chat_codec();
    case Provider::kOpenAiResponses:
      return openai_responses_codec();
    case Provider::kAnthropic:
      break;
  }
  return anthropic_codec();
}

const Json& member(const Json& json, std::string_view name) {
  static const Json kNothing;
  const Json* found = json.find(name);
  return found == nullptr ? kNothing : *found;
}

std::string text_at(const Json& json, std::string_view name) { return text_member(json, name); }

std::int64_t count_at(const Json& json, std::string_view name) {
  return std::max<std::int64_t>(0, member(json, name).as_integer());
}

ServerFault fault_of(const Json& body) {
  const Json& error = member(body, "error");
  if (error.is_string()) return {{}, error.as_string()};
  ServerFault fault{text_at(error, "type"), text_at(error, "message")};
  // OpenAI's types are broad ("invalid_request_error"); its codes say which.
  if (const std::string code = text_at(error, "code"); !code.empty()) fault.type = code;
  if (fault.message.empty()) fault.message = text_at(body, "message");
  if (fault.message.empty()) fault.message = text_at(body, "detail");
  return fault;
}

Error error_of(const ServerFault& fault) {
  const auto in = [&](const auto& list) {
    return std::ranges::find(list, fault.type) != list.end();
  };
  Error error;
  error.code = in(kDenying)   ? ErrorCode::kDenied
               : in(kPassing) ? ErrorCode::kBusy
                              : ErrorCode::kInvalidArgument;
  error.message = "the model's server says: " +
                  (fault.message.empty() ? std::string("an error without words") : fault.message);
  error.where = fault.type;
  return error;
}

void read_arguments(std::string_view text, ToolCall& call) {
  if (trim(text).empty()) return;
  auto json = parse_json(text);
  if (json && json->is_object()) {
    call.arguments = std::move(*json);
  } else {
    call.unreadable = text;
  }
}

std::string arguments_text(const ToolCall& call) {
  return call.unreadable.empty() ? call.arguments.dump() : call.unreadable;
}

std::string result_text(const ToolResult& result) {
  return result.failed ? "error: " + result.text : result.text;
}

std::string schema_instruction(const OutputSchema& output) {
  return "Answer with one JSON value and nothing else. It must fit this JSON schema:\n" +
         output.schema.dump();
}

void estimate_usage(const Request& request, Reply& reply) {
  reply.usage = {};
  reply.usage.input_tokens = estimate_tokens(request);
  for (const Part& part : reply.message.parts) {
    if (const auto* text = std::get_if<std::string>(&part))
      reply.usage.output_tokens += estimate_tokens(*text);
    if (const auto* call = std::get_if<ToolCall>(&part))
      reply.usage.output_tokens += estimate_tokens(arguments_text(*call));
  }
  reply.usage.estimated = true;
}

}  // namespace anima::llm::detail
