#include "llm/structured_reply.h"

#include "base/text/text.h"

namespace anima::llm {
namespace {

constexpr std::string_view kFence = "```";

// What is wrong with an answer; empty when its value fits.
std::string fault_of_answer(const OutputSchema& output, const Reply& reply, Json& value) {
  auto json = read_answer_json(text_of(reply.message));
  if (!json) return "it is not one JSON value: " + json.error().describe();
  value = std::move(*json);
  return describe(validate(output.schema, value));
}

Error unfit(const Model& model, const Reply& reply, const std::string& fault) {
  const bool cut = reply.stop == StopReason::kLength;
  return {ErrorCode::kSyntax, "the model's answer does not fit the JSON schema: " + fault,
          model.config().name,
          cut ? "the answer was cut at max_tokens: allow more" : std::string()};
}

}  // namespace

Result<Json> read_answer_json(std::string_view text) {
  std::string_view inner = trim(text);
  const std::size_t open = inner.find(kFence);
  if (open != std::string_view::npos) {
    const std::size_t line = inner.find('\n', open);
    const std::size_t close = inner.find(kFence, open + kFence.size());
    const bool alone = close != std::string_view::npos &&
                       inner.find(kFence, close + kFence.size()) == std::string_view::npos;
    // A fence may also stand inside a string of the JSON.
    if (alone && line < close && !parse_json(inner))
      inner = trim(inner.substr(line + 1, close - line - 1));
  }
  return parse_json(inner);
}

Result<StructuredReply> complete_structured(Model& model, Request request,
                                            const CallOptions& options) {
  ANIMA_CHECK(request.output.has_value());
  ANIMA_TRY(check_schema(request.output->schema));
  StructuredReply result;
  ANIMA_ASSIGN(result.reply, model.complete(request, options));
  if (result.reply.stop == StopReason::kRefused) {
    return fail(ErrorCode::kDenied,
                "the model declines to answer: " + text_of(result.reply.message),
                model.config().name);
  }
  if (result.reply.stop == StopReason::kToolCalls) {
    if (!request.tools.empty()) return result;
    return fail(ErrorCode::kSyntax, "the model calls a tool instead of answering",
                model.config().name);
  }
  result.repaired = fault_of_answer(*request.output, result.reply, result.value);
  if (result.repaired.empty()) return result;
  request.messages.push_back(result.reply.message);
  request.messages.push_back(user_message("That answer cannot be used: " + result.repaired +
                                          "\nAnswer again, with the corrected JSON alone."));
  if (options.sink) options.sink({StreamEvent::Kind::kRestart, {}});
  const Usage first = result.reply.usage;
  ANIMA_ASSIGN(result.reply, model.complete(request, options));
  result.reply.usage = sum(first, result.reply.usage);
  const std::string fault = fault_of_answer(*request.output, result.reply, result.value);
  if (!fault.empty()) return fail(unfit(model, result.reply, fault));
  return result;
}

}  // namespace anima::llm
