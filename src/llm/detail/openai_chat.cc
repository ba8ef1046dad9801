// OpenAI's chat completions, which most servers of models speak.
// Source: OpenAI API reference, "Chat Completions" and its streaming events.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/json/text_array.h"
#include "llm/detail/codec.h"
#include "llm/detail/thoughts.h"
#include "llm/json_schema.h"

namespace anima::llm::detail {
namespace {

constexpr std::string_view kOpenAiHost = "https://api.openai.com/";

StopReason chat_stop(std::string_view reason, bool calls) {
  // Some servers say "stop" although the model calls a tool.
  if (reason == "tool_calls" || reason == "function_call" || (reason == "stop" && calls))
    return StopReason::kToolCalls;
  if (reason == "stop") return StopReason::kEnd;
  if (reason == "length") return StopReason::kLength;
  if (reason == "content_filter") return StopReason::kRefused;
  return StopReason::kOther;
}

Usage chat_usage(const Json& usage) {
  return {count_at(usage, "prompt_tokens"), count_at(usage, "completion_tokens"),
          count_at(member(usage, "prompt_tokens_details"), "cached_tokens"),
          count_at(member(usage, "completion_tokens_details"), "reasoning_tokens"), false};
}

// The text of a message: a string, or a list of parts of which some are texts.
std::string chat_text(const Json& content) {
  if (content.is_string()) return content.as_string();
  std::string text;
  for (const Json& part : content.as_array()) text += text_at(part, "text");
  return text;
}

void add_chat_message(const Message& message, Json& list) {
  std::string text;
  Json calls = Json::array();
  for (const Part& part : message.parts) {
    if (const auto* piece = std::get_if<std::string>(&part)) {
      text += *piece;
    } else if (const auto* call = std::get_if<ToolCall>(&part)) {
      calls.push_back(Json::object(
          {{"id", call->id},
           {"type", "function"},
           {"function",
            Json::object({{"name", call->name}, {"arguments", arguments_text(*call)}})}}));
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      list.push_back(Json::object(
          {{"role", "tool"}, {"tool_call_id", result->call}, {"content", result_text(*result)}}));
    }
  }
  const bool called = !calls.as_array().empty();
  if (text.empty() && !called) return;
  Json json = Json::object({{"role", to_string(message.role)}});
  json.set("content", text.empty() ? Json() : Json(text));
  if (called) json.set("tool_calls", std::move(calls));
  list.push_back(std::move(json));
}

Json chat_tools(const Request& request) {
  Json tools = Json::array();
  for (const ToolDefinition& tool : request.tools) {
    tools.push_back(Json::object({{"type", "function"},
                                  {"function", Json::object({{"name", tool.name},
                                                             {"description", tool.description},
                                                             {"parameters", tool.parameters}})}}));
  }
  return tools;
}

Json chat_choice(const ToolChoice& choice) {
  switch (choice.kind) {
    case ToolChoice::Kind::kAuto:
      return "auto";
    case ToolChoice::Kind::kNone:
      return "none";
    case ToolChoice::Kind::kRequired:
      return "required";
    case ToolChoice::Kind::kNamed:
      break;
  }
  return Json::object({{"type", "function"}, {"function", Json::object({{"name", choice.name}})}});
}

void set_chat_output(const ModelConfig& model, const OutputSchema& output, Json& body) {
  if (model.json_output == JsonOutput::kObject) {
    body.set("response_format", Json::object({{"type", "json_object"}}));
  } else if (model.json_output == JsonOutput::kSchema) {
    body.set("response_format",
             Json::object({{"type", "json_schema"},
                           {"json_schema", Json::object({{"name", output.name},
                                                         {"schema", output.schema},
                                                         {"strict", is_strict(output.schema)}})}}));
  }
}

Result<Reply> finish_chat(Reply reply, std::string_view reason, std::string text,
                          std::string_view refusal) {
  const bool calls = !reply.message.parts.empty();
  reply.stop = chat_stop(reason, calls);
  if (text.empty() && !refusal.empty()) {
    text = refusal;
    reply.stop = StopReason::kRefused;
  }
  text = without_thoughts(text);
  if (!text.empty()) reply.message.parts.insert(reply.message.parts.begin(), std::move(text));
  return reply;
}

ToolCall chat_call(std::string id, std::string name, std::string_view arguments,
                   std::size_t number) {
  ToolCall call;
  call.id = id.empty() ? "call_" + std::to_string(number) : std::move(id);
  call.name = std::move(name);
  read_arguments(arguments, call);
  return call;
}

class ChatReader final : public StreamReader {
 public:
  explicit ChatReader(const Request& request) : request_(request) {}

  Status take(const SseEvent& event, const StreamSink& sink) override {
    if (event.data == "[DONE]") {
      done_ = true;
      if (reason_.empty()) reason_ = "stop";  // a server that names none
      return {};
    }
    const auto json = parse_json(event.data);
    if (!json) return fail(ErrorCode::kIo, "an event of the stream is no JSON");
    if (json->find("error") != nullptr) return fail(error_of(fault_of(*json)));
    if (reply_.id.empty()) reply_.id = text_at(*json, "id");
    if (reply_.model.empty()) reply_.model = text_at(*json, "model");
    if (const Json& usage = member(*json, "usage"); usage.is_object()) {
      reply_.usage = chat_usage(usage);
      has_usage_ = true;
    }
    for (const Json& choice : member(*json, "choices").as_array()) {
      if (count_at(choice, "index") == 0) take_choice(choice, sink);
    }
    return {};
  }
  bool whole() const override { return done_ || !reason_.empty(); }

  Result<Reply> reply() override {
    std::size_t number = 0;
    for (Call& call : calls_) {
      reply_.message.parts.emplace_back(
          chat_call(std::move(call.id), std::move(call.name), call.arguments, number++));
    }
    ANIMA_ASSIGN(Reply reply, finish_chat(std::move(reply_), reason_, std::move(text_), refusal_));
    if (!has_usage_) estimate_usage(request_, reply);
    return reply;
  }

 private:
  struct Call {
    std::optional<std::int64_t> index;
    std::string id, name, arguments;
  };

  // The call that a piece belongs to. By its id, which a call has once; else by its index. Some
  // servers send neither, or the same index for all: then a piece with a name begins a call.
  Call& call_of(const Json& piece) {
    const std::string id = text_at(piece, "id");
    const Json& number = member(piece, "index");
    const auto index = number.is_integer() ? std::optional(number.as_integer()) : std::nullopt;
    const bool named = !text_at(member(piece, "function"), "name").empty();
    const auto same = std::find_if(calls_.rbegin(), calls_.rend(), [&](const Call& call) {
      if (!id.empty() && !call.id.empty()) return id == call.id;
      return index ? index == call.index : !named || call.name.empty();
    });
    return same != calls_.rend() ? *same : calls_.emplace_back(Call{index, id, {}, {}});
  }

  void take_text(const std::string& piece, const StreamSink& sink) {
    text_ += piece;
    if (!sink || piece.empty()) return;
    const std::string said = thoughts_.feed(piece);
    if (thoughts_.takes_back()) sink({StreamEvent::Kind::kRestart, {}});
    if (!said.empty()) sink({StreamEvent::Kind::kText, said});
  }

  void take_choice(const Json& choice, const StreamSink& sink) {
    const Json& delta = member(choice, "delta");
    take_text(chat_text(member(delta, "content")), sink);
    refusal_ += text_at(delta, "refusal");
    for (const Json& each : member(delta, "tool_calls").as_array()) {
      const Json& function = member(each, "function");
      Call& call = call_of(each);
      if (call.id.empty()) call.id = text_at(each, "id");
      const bool begins = call.name.empty();
      if (begins) call.name = text_at(function, "name");
      if (begins && !call.name.empty() && sink) sink({StreamEvent::Kind::kToolCall, call.name});
      const Json& arguments = member(function, "arguments");
      call.arguments += arguments.is_object() ? arguments.dump() : arguments.as_string();
    }
    if (const std::string reason = text_at(choice, "finish_reason"); !reason.empty()) {
      reason_ = reason;
      const std::string rest = thoughts_.finish();
      if (!rest.empty() && sink) sink({StreamEvent::Kind::kText, rest});
    }
  }

  const Request& request_;
  Reply reply_;
  std::string text_, refusal_, reason_;
  ThoughtFilter thoughts_;  // of what the sink is told
  std::vector<Call> calls_;
  bool has_usage_ = false;
  bool done_ = false;
};

class ChatCodec final : public Codec {
 public:
  std::pair<std::string, std::string> key_header() const override {
    return {"authorization", "Bearer "};
  }

  Result<EncodedRequest> encode(const ModelConfig& model, const Request& request,
                                bool stream) const override {
    Json messages = Json::array();
    if (request.output && model.json_output != JsonOutput::kSchema)
      add_chat_message(system_message(schema_instruction(*request.output)), messages);
    for (const Message& message : request.messages) add_chat_message(message, messages);
    Json body = Json::object({{"model", model.model}, {"messages", std::move(messages)}});
    // OpenAI's newer models know the longer name alone, other servers often the shorter one.
    body.set(model.url.starts_with(kOpenAiHost) ? "max_completion_tokens" : "max_tokens",
             request.max_tokens.value_or(model.max_tokens));
    const auto temperature = request.temperature ? request.temperature : model.temperature;
    if (temperature) body.set("temperature", *temperature);
    if (!request.stop.empty()) {
      body.set("stop", text_array(request.stop));
    }
    if (!request.tools.empty()) {
      body.set("tools", chat_tools(request));
      body.set("tool_choice", chat_choice(request.tool_choice));
    }
    if (request.output) set_chat_output(model, *request.output, body);
    if (stream) {
      body.set("stream", true);
      body.set("stream_options", Json::object({{"include_usage", true}}));
    }
    return EncodedRequest{"/chat/completions", {}, std::move(body)};
  }

  Result<Reply> decode(const Json& body, const Request& request) const override {
    if (body.find("error") != nullptr && member(body, "choices").is_null())
      return fail(error_of(fault_of(body)));
    const JsonArray& choices = member(body, "choices").as_array();
    if (choices.empty()) return fail(ErrorCode::kIo, "the model's answer has no choices");
    const Json& message = member(choices[0], "message");
    if (!message.is_object()) return fail(ErrorCode::kIo, "the model's answer has no message");
    Reply reply;
    reply.id = text_at(body, "id");
    reply.model = text_at(body, "model");
    std::size_t number = 0;
    for (const Json& each : member(message, "tool_calls").as_array()) {
      const Json& function = member(each, "function");
      const Json& arguments = member(function, "arguments");
      reply.message.parts.emplace_back(
          chat_call(text_at(each, "id"), text_at(function, "name"),
                    arguments.is_object() ? arguments.dump() : arguments.as_string(), number++));
    }
    const Json& usage = member(body, "usage");
    ANIMA_ASSIGN(reply,
                 finish_chat(std::move(reply), text_at(choices[0], "finish_reason"),
                             chat_text(member(message, "content")), text_at(message, "refusal")));
    if (usage.is_object()) {
      reply.usage = chat_usage(usage);
    } else {
      estimate_usage(request, reply);
    }
    return reply;
  }

  std::unique_ptr<StreamReader> reader(const Request& request) const override {
    return std::make_unique<ChatReader>(request);
  }
};

}  // namespace

const Codec& openai_chat_codec() {
  static const ChatCodec codec;
  return codec;
}

}  // namespace anima::llm::detail
