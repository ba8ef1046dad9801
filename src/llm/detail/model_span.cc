#include "llm/detail/model_span.h"

#include <utility>
#include <variant>

#include "base/text/url.h"
#include "llm/detail/codec.h"

namespace anima::llm::detail {
namespace {

std::string_view provider_name(Provider provider) {
  return provider == Provider::kAnthropic ? "anthropic" : "openai";
}

std::string_view finish_reason(StopReason reason) {
  switch (reason) {
    case StopReason::kToolCalls:
      return "tool_call";
    case StopReason::kLength:
      return "length";
    case StopReason::kRefused:
      return "content_filter";
    case StopReason::kEnd:
    case StopReason::kStopText:
      return "stop";
    default:
      return to_string(reason);
  }
}

void tell_server(Span& span, const std::string& url) {
  const auto read = read_url(url);
  if (!read) return;
  span.set("server.address", read->host);
  span.set("server.port", static_cast<std::int64_t>(read->port));
}

Json part_json(const Part& part) {
  if (const auto* text = std::get_if<std::string>(&part))
    return Json::object({{"type", "text"}, {"content", *text}});
  if (const auto* call = std::get_if<ToolCall>(&part))
    return Json::object({{"type", "tool_call"},
                         {"id", call->id},
                         {"name", call->name},
                         {"arguments", call->arguments}});
  if (const auto* result = std::get_if<ToolResult>(&part))
    return Json::object(
        {{"type", "tool_call_response"}, {"id", result->call}, {"response", result_text(*result)}});
  return {};  // thinking that nobody here reads
}

Json parts_json(const Message& message) {
  Json parts = Json::array();
  for (const Part& part : message.parts) {
    if (Json told = part_json(part); !told.is_null()) parts.push_back(std::move(told));
  }
  return parts;
}

// Messages of a request, in the form of the conventions.
void tell_messages(Span& span, const Request& request) {
  Json instructions = Json::array(), messages = Json::array();
  for (const Message& message : request.messages) {
    if (message.role == Role::kSystem) {
      const Json parts = parts_json(message);
      for (const Json& part : parts.as_array()) instructions.push_back(part);
      continue;
    }
    const bool has_results =
        !message.parts.empty() && std::holds_alternative<ToolResult>(message.parts.front());
    messages.push_back(
        Json::object({{"role", has_results ? "tool" : std::string(to_string(message.role))},
                      {"parts", parts_json(message)}}));
  }
  if (!instructions.as_array().empty()) span.set("gen_ai.system_instructions", instructions.dump());
  span.set("gen_ai.input.messages", messages.dump());
}

}  // namespace

Span span_of_call(const ModelConfig& config, const Request& request) {
  Span span("chat " + config.model, SpanKind::kClient);
  if (!span.is_recorded()) return span;
  span.set("gen_ai.operation.name", "chat");
  span.set("gen_ai.provider.name", provider_name(config.provider));
  span.set("gen_ai.request.model", config.model);
  span.set("gen_ai.request.max_tokens", request.max_tokens.value_or(config.max_tokens));
  const auto temperature = request.temperature ? request.temperature : config.temperature;
  if (temperature) span.set("gen_ai.request.temperature", *temperature);
  if (request.output) span.set("gen_ai.output.type", "json");
  tell_server(span, config.url);
  if (span.keeps_contents()) tell_messages(span, request);
  return span;
}

void tell_reply(Span& span, const Result<Reply>& reply) {
  if (!span.is_recorded()) return;
  if (!reply) return span.fail(to_string(reply.error().code));
  if (!reply->model.empty()) span.set("gen_ai.response.model", reply->model);
  if (!reply->id.empty()) span.set("gen_ai.response.id", reply->id);
  const std::string reason(finish_reason(reply->stop));
  span.set("gen_ai.response.finish_reasons", Json::array({reason}));
  span.set("gen_ai.usage.input_tokens", reply->usage.input_tokens);
  span.set("gen_ai.usage.output_tokens", reply->usage.output_tokens);
  if (!span.keeps_contents()) return;
  const Json said = Json::object(
      {{"role", "assistant"}, {"parts", parts_json(reply->message)}, {"finish_reason", reason}});
  span.set("gen_ai.output.messages", Json::array({said}).dump());
}

Span span_of_embeddings(const std::string& url, const std::string& model) {
  Span span("embeddings " + model, SpanKind::kClient);
  if (!span.is_recorded()) return span;
  span.set("gen_ai.operation.name", "embeddings");
  span.set("gen_ai.provider.name", "openai");
  span.set("gen_ai.request.model", model);
  tell_server(span, url);
  return span;
}

}  // namespace anima::llm::detail
