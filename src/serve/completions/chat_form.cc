#include "serve/completions/chat_form.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/json_member.h"
#include "base/json/text_array.h"

namespace anima::serve::completions {
namespace {

using llm::Message;
using llm::StopReason;

Error wrong(std::string message, std::string hint = {}) {
  return {ErrorCode::kInvalidArgument, std::move(message), {}, std::move(hint)};
}

Error not_here(std::string_view member) {
  return {ErrorCode::kUnsupported,
          "\"" + std::string(member) + "\" cannot be passed on to the model",
          {},
          "leave it out"};
}

// Members that say nothing of what the answer is.
constexpr std::array<std::string_view, 9> kPassedOver = {"user",
                                                         "metadata",
                                                         "store",
                                                         "safety_identifier",
                                                         "service_tier",
                                                         "verbosity",
                                                         "prompt_cache_key",
                                                         "reasoning_effort",
                                                         "parallel_tool_calls"};
constexpr std::array<std::string_view, 13> kRead = {
    "model",           "messages", "tools",      "tool_choice",           "stream",
    "temperature",     "stop",     "max_tokens", "max_completion_tokens", "stream_options",
    "response_format", "n",        "top_p"};

template <typename Names>
bool has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// A text, or a list of parts that are texts.
Result<std::string> text_of_content(const Json& content) {
  if (content.is_null()) return std::string();
  if (content.is_string()) return content.as_string();
  if (!content.is_array()) return fail(wrong("the content of a message is a text, or a list"));
  std::string text;
  for (const Json& part : content.as_array()) {
    const std::string type = text_member(part, "type");
    if (type != "text" && type != "refusal") return fail(not_here("content: " + type));
    text += text_member(part, type);
  }
  return text;
}

Result<llm::ToolCall> read_call(const Json& json) {
  const Json* function = json.find("function");
  if (function == nullptr || text_member(json, "type") != "function")
    return fail(wrong("a call of a tool is of the type \"function\""));
  llm::ToolCall call;
  call.id = text_member(json, "id");
  call.name = text_member(*function, "name");
  const auto arguments = parse_json(text_member(*function, "arguments"));
  if (!arguments || !arguments->is_object())
    return fail(wrong("the arguments of a call are the text of a JSON object"));
  call.arguments = *arguments;
  return call;
}

Result<Message> read_message(const Json& json) {
  const std::string role = text_member(json, "role");
  const Json* content = json.find("content");
  ANIMA_ASSIGN(std::string text, text_of_content(content == nullptr ? Json() : *content));
  if (role == "system" || role == "developer") return llm::system_message(std::move(text));
  if (role == "user") return llm::user_message(std::move(text));
  if (role == "tool") {
    const std::string call = text_member(json, "tool_call_id");
    if (call.empty()) return fail(wrong("a result of a tool names its \"tool_call_id\""));
    return llm::result_message({{call, std::move(text), false}});
  }
  if (role != "assistant")
    return fail(wrong("a message has the role system, developer, user, assistant or tool"));
  Message message{llm::Role::kAssistant, {}};
  if (!text.empty()) message.parts.emplace_back(std::move(text));
  if (const Json* calls = json.find("tool_calls"); calls != nullptr && calls->is_array()) {
    for (const Json& each : calls->as_array()) {
      ANIMA_ASSIGN(llm::ToolCall call, read_call(each));
      message.parts.emplace_back(std::move(call));
    }
  }
  return message;
}

Result<llm::ToolDefinition> read_tool(const Json& json) {
  const Json* function = json.find("function");
  if (text_member(json, "type") != "function" || function == nullptr)
    return fail(wrong("a tool is of the type \"function\""));
  llm::ToolDefinition tool{text_member(*function, "name"), text_member(*function, "description"),
                           Json::object({{"type", "object"}})};
  if (const Json* parameters = function->find("parameters"); parameters != nullptr)
    tool.parameters = *parameters;
  return tool;
}

Result<llm::ToolChoice> read_choice(const Json& json) {
  using Kind = llm::ToolChoice::Kind;
  if (json == Json("auto")) return llm::ToolChoice{Kind::kAuto, {}};
  if (json == Json("none")) return llm::ToolChoice{Kind::kNone, {}};
  if (json == Json("required")) return llm::ToolChoice{Kind::kRequired, {}};
  const Json* function = json.find("function");
  if (function == nullptr)
    return fail(wrong("\"tool_choice\" is auto, none, required or a function"));
  return llm::ToolChoice{Kind::kNamed, text_member(*function, "name")};
}

Result<std::optional<llm::OutputSchema>> read_format(const Json& json) {
  const std::string type = text_member(json, "type");
  if (type == "text") return std::optional<llm::OutputSchema>();
  const Json* schema = json.find("json_schema");
  const Json* body = schema == nullptr ? nullptr : schema->find("schema");
  if (type != "json_schema" || body == nullptr) return fail(not_here("response_format: " + type));
  return std::optional(llm::OutputSchema{text_member(*schema, "name"), *body});
}

// That no member is there which is neither read nor without effect.
Status check_members(const Json& body) {
  for (const auto& [name, value] : body.as_object()) {
    if (has(kRead, name) || has(kPassedOver, name) || value.is_null()) continue;
    return fail(not_here(name));
  }
  for (const std::string_view one : {"n", "top_p"}) {
    const Json* value = body.find(one);
    if (value != nullptr && !value->is_null() && !(value->is_number() && value->as_number() == 1))
      return fail(not_here(one));
  }
  return {};
}

Status read_limits(const Json& body, llm::Request& request) {
  for (const char* name : {"max_tokens", "max_completion_tokens"}) {
    const Json* value = body.find(name);
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_integer() || value->as_integer() < 1)
      return fail(wrong("\"" + std::string(name) + "\" is a whole number of at least 1"));
    request.max_tokens = value->as_integer();
  }
  if (const Json* value = body.find("temperature"); value != nullptr && !value->is_null()) {
    if (!value->is_number()) return fail(wrong("\"temperature\" is a number"));
    request.temperature = value->as_number();
  }
  if (const Json* stop = body.find("stop"); stop != nullptr && !stop->is_null()) {
    const JsonArray one{*stop};
    for (const Json& each : stop->is_array() ? stop->as_array() : one) {
      if (!each.is_string()) return fail(wrong("\"stop\" is a text, or a list of texts"));
      request.stop.push_back(each.as_string());
    }
  }
  return {};
}

std::string_view finish_reason(StopReason reason) {
  switch (reason) {
    case StopReason::kToolCalls:
      return "tool_calls";
    case StopReason::kLength:
      return "length";
    case StopReason::kRefused:
      return "content_filter";
    default:
      return "stop";
  }
}

Json call_json(const llm::ToolCall& call) {
  return Json::object(
      {{"id", call.id},
       {"type", "function"},
       {"function", Json::object({{"name", call.name}, {"arguments", call.arguments.dump()}})}});
}

Json usage_json(const llm::Usage& usage) {
  return Json::object({{"prompt_tokens", usage.input_tokens},
                       {"completion_tokens", usage.output_tokens},
                       {"total_tokens", usage.input_tokens + usage.output_tokens}});
}

Json stopped_json(const std::vector<StoppedCall>& stopped) {
  Json list = Json::array();
  for (const StoppedCall& each : stopped) list.push_back(each.to_json());
  return Json::object({{"stopped", std::move(list)}});
}

std::string_view error_type(unsigned status) {
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

}  // namespace

Result<ChatRequest> read_chat_request(const Json& body) {
  ChatRequest chat;
  ANIMA_TRY(check_members(body));
  chat.model = text_member(body, "model");
  const Json* messages = body.find("messages");
  if (messages == nullptr || !messages->is_array() || messages->as_array().empty())
    return fail(wrong("\"messages\" is a list of at least one"));
  for (const Json& each : messages->as_array()) {
    ANIMA_ASSIGN(Message message, read_message(each));
    chat.request.messages.push_back(std::move(message));
  }
  if (const Json* tools = body.find("tools"); tools != nullptr && tools->is_array()) {
    for (const Json& each : tools->as_array()) {
      ANIMA_ASSIGN(llm::ToolDefinition tool, read_tool(each));
      chat.request.tools.push_back(std::move(tool));
    }
  }
  if (const Json* choice = body.find("tool_choice"); choice != nullptr && !choice->is_null()) {
    ANIMA_ASSIGN(chat.request.tool_choice, read_choice(*choice));
  }
  if (const Json* format = body.find("response_format"); format != nullptr && !format->is_null()) {
    ANIMA_ASSIGN(chat.request.output, read_format(*format));
  }
  ANIMA_TRY(read_limits(body, chat.request));
  const Json* stream = body.find("stream");
  chat.stream = stream != nullptr && *stream == Json(true);
  const Json* options = body.find("stream_options");
  const Json* usage = options == nullptr ? nullptr : options->find("include_usage");
  chat.include_usage = usage != nullptr && *usage == Json(true);
  ANIMA_TRY(llm::check(chat.request));
  return chat;
}

Json StoppedCall::to_json() const {
  Json json = Json::object({{"tool", tool}, {"outcome", outcome}, {"reason", reason}});
  if (!because.empty()) json.set("because", text_array(because));
  if (!approval.empty()) json.set("approval", approval);
  return json;
}

Json chat_completion(const ChatHead& head, const ChatAnswer& answer) {
  const std::string text = llm::text_of(answer.reply.message);
  Json message = Json::object({{"role", "assistant"}, {"refusal", Json()}});
  message.set("content", text.empty() ? Json() : Json(text));
  Json calls = Json::array();
  for (const llm::ToolCall& each : llm::calls_of(answer.reply.message))
    calls.push_back(call_json(each));
  if (!calls.as_array().empty()) message.set("tool_calls", std::move(calls));
  const Json choice = Json::object({{"index", 0},
                                    {"message", std::move(message)},
                                    {"logprobs", Json()},
                                    {"finish_reason", finish_reason(answer.reply.stop)}});
  Json json = Json::object({{"id", head.id},
                            {"object", "chat.completion"},
                            {"created", head.created},
                            {"model", head.model},
                            {"choices", Json::array({choice})},
                            {"usage", usage_json(answer.reply.usage)}});
  if (!answer.stopped.empty()) json.set("anima", stopped_json(answer.stopped));
  return json;
}

Json chat_chunk(const ChatHead& head, Json delta, Json finish_reason) {
  const Json choice = Json::object(
      {{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(finish_reason)}});
  return Json::object({{"id", head.id},
                       {"object", "chat.completion.chunk"},
                       {"created", head.created},
                       {"model", head.model},
                       {"choices", Json::array({choice})}});
}

std::vector<Json> last_chunks(const ChatHead& head, const ChatAnswer& answer, bool include_usage) {
  std::vector<Json> chunks;
  std::int64_t index = 0;
  for (const llm::ToolCall& each : llm::calls_of(answer.reply.message)) {
    Json call = call_json(each);
    call.set("index", index++);
    chunks.push_back(
        chat_chunk(head, Json::object({{"tool_calls", Json::array({std::move(call)})}})));
  }
  Json last = chat_chunk(head, Json(JsonObject{}), finish_reason(answer.reply.stop));
  if (!answer.stopped.empty()) last.set("anima", stopped_json(answer.stopped));
  chunks.push_back(std::move(last));
  if (include_usage) {
    Json usage = chat_chunk(head, Json());
    usage.set("choices", Json::array());
    usage.set("usage", usage_json(answer.reply.usage));
    chunks.push_back(std::move(usage));
  }
  return chunks;
}

Json openai_error(unsigned status, std::string message, std::string_view code) {
  return Json::object({{"error", Json::object({{"message", std::move(message)},
                                               {"type", error_type(status)},
                                               {"param", Json()},
                                               {"code", code}})}});
}

http::Response as_openai_error(http::Response response) {
  if (response.content_type != "application/problem+json") return response;
  const auto problem = parse_json(response.body);
  if (!problem) return response;
  std::string message = text_member(*problem, "detail");
  if (const std::string hint = text_member(*problem, "hint"); !hint.empty())
    message += " (" + hint + ")";
  response.content_type = "application/json";
  response.body =
      openai_error(response.status, std::move(message), text_member(*problem, "code")).dump() +
      "\n";
  return response;
}

}  // namespace anima::serve::completions
