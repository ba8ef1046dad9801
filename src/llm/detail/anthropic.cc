// Anthropic's messages. A JSON schema is held to by a tool that must be called, which every model
// of the provider knows; its arguments are the answer.
// Source: Anthropic API reference, "Messages", "Streaming messages", "Errors".
#include <map>

#include "base/json/text_array.h"
#include "llm/detail/codec.h"

namespace anima::llm::detail {
namespace {

constexpr std::string_view kVersion = "2023-06-01";

StopReason anthropic_stop(std::string_view reason) {
  if (reason == "end_turn") return StopReason::kEnd;
  if (reason == "tool_use") return StopReason::kToolCalls;
  if (reason == "max_tokens" || reason == "model_context_window_exceeded")
    return StopReason::kLength;
  if (reason == "stop_sequence") return StopReason::kStopText;
  if (reason == "refusal") return StopReason::kRefused;
  if (reason == "pause_turn") return StopReason::kPaused;
  return StopReason::kOther;
}

// Its input_tokens leave out what came from the cache and what went into it.
void add_anthropic_usage(const Json& usage, Usage& sum) {
  const std::int64_t cached = count_at(usage, "cache_read_input_tokens");
  const std::int64_t input =
      count_at(usage, "input_tokens") + cached + count_at(usage, "cache_creation_input_tokens");
  if (input > 0) sum.input_tokens = input;
  if (cached > 0) sum.cached_tokens = cached;
  if (usage.find("output_tokens") != nullptr) sum.output_tokens = count_at(usage, "output_tokens");
}

Json content_of(const Message& message) {
  Json content = Json::array();
  for (const Part& part : message.parts) {
    if (const auto* text = std::get_if<std::string>(&part)) {
      if (!text->empty()) content.push_back(Json::object({{"type", "text"}, {"text", *text}}));
    } else if (const auto* call = std::get_if<ToolCall>(&part)) {
      content.push_back(Json::object({{"type", "tool_use"},
                                      {"id", call->id},
                                      {"name", call->name},
                                      {"input", call->arguments}}));
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      Json json = Json::object(
          {{"type", "tool_result"}, {"tool_use_id", result->call}, {"content", result->text}});
      if (result->failed) json.set("is_error", true);
      content.push_back(std::move(json));
    } else if (const auto* opaque = std::get_if<Opaque>(&part)) {
      const std::string type = text_at(opaque->content, "type");
      if (type == "thinking" || type == "redacted_thinking") content.push_back(opaque->content);
    }
  }
  return content;
}

// Roles take turns: messages of one role that follow each other become one.
void add_turn(std::string_view role, Json content, Json& messages) {
  if (content.as_array().empty()) return;
  JsonArray& list = messages.as_array();
  if (!list.empty() && text_at(list.back(), "role") == role) {
    for (Json& part : content.as_array()) list.back().find("content")->push_back(std::move(part));
    return;
  }
  messages.push_back(Json::object({{"role", role}, {"content", std::move(content)}}));
}

Json anthropic_choice(const ToolChoice& choice) {
  switch (choice.kind) {
    case ToolChoice::Kind::kAuto:
      return Json::object({{"type", "auto"}});
    case ToolChoice::Kind::kNone:
      return Json::object({{"type", "none"}});
    case ToolChoice::Kind::kRequired:
      return Json::object({{"type", "any"}});
    case ToolChoice::Kind::kNamed:
      break;
  }
  return Json::object({{"type", "tool"}, {"name", choice.name}});
}

// The schema's tool is forced only where no other tool may be wanted.
bool output_by_tool(const ModelConfig& model, const Request& request) {
  return request.output && request.tools.empty() && model.json_output == JsonOutput::kSchema;
}

void set_anthropic_tools(const ModelConfig& model, const Request& request, Json& body) {
  Json tools = Json::array();
  const auto add = [&](const std::string& name, const std::string& description,
                       const Json& schema) {
    tools.push_back(
        Json::object({{"name", name}, {"description", description}, {"input_schema", schema}}));
  };
  for (const ToolDefinition& tool : request.tools)
    add(tool.name, tool.description, tool.parameters);
  if (output_by_tool(model, request)) {
    add(request.output->name, "Gives the answer.", request.output->schema);
    body.set("tool_choice", anthropic_choice({ToolChoice::Kind::kNamed, request.output->name}));
  } else if (!request.tools.empty()) {
    body.set("tool_choice", anthropic_choice(request.tool_choice));
  }
  if (!tools.as_array().empty()) body.set("tools", std::move(tools));
}

// The call of the schema's tool is the answer.
void unwrap_output(const Request& request, Reply& reply) {
  if (!request.output || !request.tools.empty()) return;
  std::vector<Part> parts;
  for (Part& part : reply.message.parts) {
    const auto* call = std::get_if<ToolCall>(&part);
    if (call != nullptr && call->name == request.output->name) {
      parts.assign(1, arguments_text(*call));
      reply.message.parts = std::move(parts);
      if (reply.stop == StopReason::kToolCalls) reply.stop = StopReason::kEnd;
      return;
    }
  }
}

// A block of the answer's content.
void take_block(const Json& block, Message& message) {
  const std::string type = text_at(block, "type");
  if (type == "text") {
    message.parts.emplace_back(text_at(block, "text"));
  } else if (type == "tool_use") {
    ToolCall call;
    call.id = text_at(block, "id");
    call.name = text_at(block, "name");
    const Json& input = member(block, "input");
    if (input.is_object()) {
      call.arguments = input;
    } else {
      read_arguments(input.as_string(), call);
    }
    message.parts.emplace_back(std::move(call));
  } else if (type == "thinking" || type == "redacted_thinking") {
    message.parts.emplace_back(Opaque{block});
  }
}

class AnthropicReader final : public StreamReader {
 public:
  explicit AnthropicReader(const Request& request) : request_(request) {}

  Status take(const SseEvent& event, const StreamSink& sink) override {
    const auto json = parse_json(event.data);
    if (!json) return fail(ErrorCode::kIo, "an event of the stream is no JSON");
    const std::string type = text_at(*json, "type");
    if (type == "error") return fail(error_of(fault_of(*json)));
    if (type == "message_start") {
      const Json& message = member(*json, "message");
      reply_.id = text_at(message, "id");
      reply_.model = text_at(message, "model");
      take_usage(member(message, "usage"));
    } else if (type == "content_block_start") {
      begin_block(*json, sink);
    } else if (type == "content_block_delta") {
      take_delta(*json, sink);
    } else if (type == "message_delta") {
      const std::string reason = text_at(member(*json, "delta"), "stop_reason");
      if (!reason.empty()) reply_.stop = anthropic_stop(reason);
      take_usage(member(*json, "usage"));
    } else if (type == "message_stop") {
      whole_ = true;
    }
    return {};
  }
  bool whole() const override { return whole_; }

  Result<Reply> reply() override {
    for (auto& [index, block] : blocks_) {
      for (auto& [name, text] : block.texts) block.json.set(name, text_at(block.json, name) + text);
      take_block(block.json, reply_.message);
    }
    if (!has_usage_) estimate_usage(request_, reply_);
    unwrap_output(request_, reply_);
    return std::move(reply_);
  }

 private:
  struct Block {
    Json json;                                              // as it began
    std::map<std::string, std::string, std::less<>> texts;  // what came for its members since
  };

  void take_usage(const Json& usage) {
    if (!usage.is_object()) return;
    add_anthropic_usage(usage, reply_.usage);
    has_usage_ = true;
  }

  void begin_block(const Json& event, const StreamSink& sink) {
    const Json& block = member(event, "content_block");
    blocks_[count_at(event, "index")].json = block;
    // An answer to a schema is no call to whoever listens.
    const bool call = text_at(block, "type") == "tool_use" &&
                      !(request_.output && text_at(block, "name") == request_.output->name);
    if (call && sink) sink({StreamEvent::Kind::kToolCall, text_at(block, "name")});
  }

  void take_delta(const Json& event, const StreamSink& sink) {
    Block& block = blocks_[count_at(event, "index")];
    const Json& delta = member(event, "delta");
    const std::string type = text_at(delta, "type");
    if (type == "text_delta") {
      block.texts["text"] += text_at(delta, "text");
      if (sink) sink({StreamEvent::Kind::kText, text_at(delta, "text")});
    } else if (type == "input_json_delta") {
      const std::string piece = text_at(delta, "partial_json");
      block.texts["input"] += piece;
      const bool answer = request_.output && text_at(block.json, "name") == request_.output->name;
      if (answer && sink && !piece.empty()) sink({StreamEvent::Kind::kText, piece});
    } else if (type == "thinking_delta") {
      block.texts["thinking"] += text_at(delta, "thinking");
    } else if (type == "signature_delta") {
      block.texts["signature"] += text_at(delta, "signature");
    }
  }

  const Request& request_;
  Reply reply_;
  std::map<std::int64_t, Block> blocks_;
  bool has_usage_ = false;
  bool whole_ = false;
};

class AnthropicCodec final : public Codec {
 public:
  std::pair<std::string, std::string> key_header() const override { return {"x-api-key", ""}; }

  Result<EncodedRequest> encode(const ModelConfig& model, const Request& request,
                                bool stream) const override {
    Json messages = Json::array();
    std::string system;
    const auto add_system = [&](const std::string& text) {
      if (!system.empty() && !text.empty()) system += "\n\n";
      system += text;
    };
    for (const Message& message : request.messages) {
      if (message.role == Role::kSystem) {
        add_system(text_of(message));
      } else {
        add_turn(to_string(message.role), content_of(message), messages);
      }
    }
    if (request.output && !output_by_tool(model, request))
      add_system(schema_instruction(*request.output));
    Json body = Json::object({{"model", model.model}});
    body.set("max_tokens", request.max_tokens.value_or(model.max_tokens));
    if (!system.empty()) body.set("system", system);
    body.set("messages", std::move(messages));
    const auto temperature = request.temperature ? request.temperature : model.temperature;
    if (temperature) body.set("temperature", *temperature);
    if (!request.stop.empty()) {
      body.set("stop_sequences", text_array(request.stop));
    }
    set_anthropic_tools(model, request, body);
    if (stream) body.set("stream", true);
    const bool versioned = model.url.ends_with("/v1");
    return EncodedRequest{versioned ? "/messages" : "/v1/messages",
                          {{"anthropic-version", std::string(kVersion)}},
                          std::move(body)};
  }

  Result<Reply> decode(const Json& body, const Request& request) const override {
    if (text_at(body, "type") == "error") return fail(error_of(fault_of(body)));
    if (!member(body, "content").is_array())
      return fail(ErrorCode::kIo, "the model's answer has no content");
    Reply reply;
    reply.id = text_at(body, "id");
    reply.model = text_at(body, "model");
    reply.stop = anthropic_stop(text_at(body, "stop_reason"));
    for (const Json& block : member(body, "content").as_array()) take_block(block, reply.message);
    if (const Json& usage = member(body, "usage"); usage.is_object()) {
      add_anthropic_usage(usage, reply.usage);
    } else {
      estimate_usage(request, reply);
    }
    unwrap_output(request, reply);
    return reply;
  }

  std::unique_ptr<StreamReader> reader(const Request& request) const override {
    return std::make_unique<AnthropicReader>(request);
  }
};

}  // namespace

const Codec& anthropic_codec() {
  static const AnthropicCodec codec;
  return codec;
}

}  // namespace anima::llm::detail
