// OpenAI's responses. Nothing is kept on the server (store = false), so each call brings the whole
// conversation. Source: OpenAI API reference, "Responses" and its streaming events.
#include "llm/detail/codec.h"
#include "llm/json_schema.h"

namespace anima::llm::detail {
namespace {

Usage response_usage(const Json& usage) {
  return {count_at(usage, "input_tokens"), count_at(usage, "output_tokens"),
          count_at(member(usage, "input_tokens_details"), "cached_tokens"),
          count_at(member(usage, "output_tokens_details"), "reasoning_tokens"), false};
}

void add_items(const Message& message, Json& input) {
  for (const Part& part : message.parts) {
    if (const auto* text = std::get_if<std::string>(&part)) {
      input.push_back(Json::object({{"role", to_string(message.role)}, {"content", *text}}));
    } else if (const auto* call = std::get_if<ToolCall>(&part)) {
      input.push_back(Json::object({{"type", "function_call"},
                                    {"call_id", call->id},
                                    {"name", call->name},
                                    {"arguments", arguments_text(*call)}}));
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      input.push_back(Json::object({{"type", "function_call_output"},
                                    {"call_id", result->call},
                                    {"output", result_text(*result)}}));
    } else if (const auto* opaque = std::get_if<Opaque>(&part)) {
      if (text_at(opaque->content, "type") == "reasoning") input.push_back(opaque->content);
    }
  }
}

Json response_choice(const ToolChoice& choice) {
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
  return Json::object({{"type", "function"}, {"name", choice.name}});
}

void set_response_tools(const Request& request, Json& body) {
  if (request.tools.empty()) return;
  Json tools = Json::array();
  for (const ToolDefinition& tool : request.tools) {
    tools.push_back(Json::object({{"type", "function"},
                                  {"name", tool.name},
                                  {"description", tool.description},
                                  {"parameters", tool.parameters},
                                  {"strict", false}}));
  }
  body.set("tools", std::move(tools));
  body.set("tool_choice", response_choice(request.tool_choice));
}

void set_response_output(const ModelConfig& model, const OutputSchema& output, Json& body) {
  if (model.json_output == JsonOutput::kWords) return;
  Json format = Json::object({{"type", "json_object"}});
  if (model.json_output == JsonOutput::kSchema) {
    format = Json::object({{"type", "json_schema"},
                           {"name", output.name},
                           {"schema", output.schema},
                           {"strict", is_strict(output.schema)}});
  }
  body.set("text", Json::object({{"format", std::move(format)}}));
}

// Takes an item of the output into the reply; true when the model declined in it.
bool take_item(const Json& item, std::size_t number, Message& message) {
  const std::string type = text_at(item, "type");
  bool refused = false;
  if (type == "message") {
    for (const Json& part : member(item, "content").as_array()) {
      const std::string refusal = text_at(part, "refusal");
      refused = refused || !refusal.empty();
      message.parts.emplace_back(refusal.empty() ? text_at(part, "text") : refusal);
    }
  } else if (type == "function_call") {
    ToolCall call;
    call.id = text_at(item, "call_id");
    if (call.id.empty()) call.id = "call_" + std::to_string(number);
    call.name = text_at(item, "name");
    read_arguments(text_at(item, "arguments"), call);
    message.parts.emplace_back(std::move(call));
  } else if (type == "reasoning" && !text_at(item, "encrypted_content").empty()) {
    message.parts.emplace_back(Opaque{item});
  }
  return refused;
}

Result<Reply> decode_response(const Json& body, const Request& request) {
  const std::string status = text_at(body, "status");
  if (status == "failed" || member(body, "error").is_object())
    return fail(error_of(fault_of(body)));
  if (!member(body, "output").is_array())
    return fail(ErrorCode::kIo, "the model's answer has no output");
  Reply reply;
  reply.id = text_at(body, "id");
  reply.model = text_at(body, "model");
  bool refused = false;
  std::size_t number = 0;
  for (const Json& item : member(body, "output").as_array())
    refused = take_item(item, number++, reply.message) || refused;
  if (status == "incomplete") {
    const std::string why = text_at(member(body, "incomplete_details"), "reason");
    reply.stop = why == "content_filter" ? StopReason::kRefused : StopReason::kLength;
  } else if (!calls_of(reply.message).empty()) {
    reply.stop = StopReason::kToolCalls;
  } else if (refused) {
    reply.stop = StopReason::kRefused;
  }
  if (const Json& usage = member(body, "usage"); usage.is_object()) {
    reply.usage = response_usage(usage);
  } else {
    estimate_usage(request, reply);
  }
  return reply;
}

// The last event holds the whole answer again, so the pieces are only shown.
class ResponseReader final : public StreamReader {
 public:
  explicit ResponseReader(const Request& request) : request_(request) {}

  Status take(const SseEvent& event, const StreamSink& sink) override {
    if (event.data == "[DONE]") return {};
    const auto json = parse_json(event.data);
    if (!json) return fail(ErrorCode::kIo, "an event of the stream is no JSON");
    const std::string type = text_at(*json, "type");
    if (type == "error") return fail(error_of({text_at(*json, "code"), text_at(*json, "message")}));
    if (type == "response.output_text.delta" && sink)
      sink({StreamEvent::Kind::kText, text_at(*json, "delta")});
    const Json& item = member(*json, "item");
    if (type == "response.output_item.added" && text_at(item, "type") == "function_call" && sink)
      sink({StreamEvent::Kind::kToolCall, text_at(item, "name")});
    if (type == "response.completed" || type == "response.incomplete" ||
        type == "response.failed") {
      response_ = member(*json, "response");
      if (type == "response.failed") return fail(error_of(fault_of(response_)));
      whole_ = true;
    }
    return {};
  }
  bool whole() const override { return whole_; }
  Result<Reply> reply() override { return decode_response(response_, request_); }

 private:
  const Request& request_;
  Json response_;
  bool whole_ = false;
};

class ResponsesCodec final : public Codec {
 public:
  std::pair<std::string, std::string> key_header() const override {
    return {"authorization", "Bearer "};
  }

  Result<EncodedRequest> encode(const ModelConfig& model, const Request& request,
                                bool stream) const override {
    if (!request.stop.empty()) {
      return fail(ErrorCode::kUnsupported, "the responses API knows no texts that end an answer",
                  model.name, "use provider = \"openai\"");
    }
    Json input = Json::array();
    if (request.output && model.json_output != JsonOutput::kSchema)
      add_items(system_message(schema_instruction(*request.output)), input);
    for (const Message& message : request.messages) add_items(message, input);
    Json body = Json::object({{"model", model.model}, {"input", std::move(input)}});
    body.set("max_output_tokens", request.max_tokens.value_or(model.max_tokens));
    const auto temperature = request.temperature ? request.temperature : model.temperature;
    if (temperature) body.set("temperature", *temperature);
    set_response_tools(request, body);
    if (request.output) set_response_output(model, *request.output, body);
    body.set("store", false);
    if (stream) body.set("stream", true);
    return EncodedRequest{"/responses", {}, std::move(body)};
  }

  Result<Reply> decode(const Json& body, const Request& request) const override {
    return decode_response(body, request);
  }
  std::unique_ptr<StreamReader> reader(const Request& request) const override {
    return std::make_unique<ResponseReader>(request);
  }
};

}  // namespace

const Codec& openai_responses_codec() {
  static const ResponsesCodec codec;
  return codec;
}

}  // namespace anima::llm::detail
