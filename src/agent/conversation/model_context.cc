#include "agent/conversation/model_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace anima::agent {
namespace {

constexpr std::string_view kNoRoom = "left out: the budget of tokens has no room for it";

std::string text_of_part(const llm::Part& part) {
  if (const auto* text = std::get_if<std::string>(&part)) return *text;
  if (const auto* call = std::get_if<llm::ToolCall>(&part))
    return fmt::format("[call {} {}]", call->name, call->arguments.dump());
  if (const auto* result = std::get_if<llm::ToolResult>(&part))
    return fmt::format("[result {}]", result->text);
  return {};
}

void add_message(const llm::Message& message, std::vector<llm::Message>& messages) {
  const bool joins = message.role == llm::Role::kSystem && !messages.empty() &&
                     messages.back().role == llm::Role::kSystem;
  if (!joins) return messages.push_back(message);
  for (const llm::Part& part : message.parts) {
    messages.back().parts.emplace_back(std::string("\n\n"));
    messages.back().parts.push_back(part);
  }
}

}  // namespace

std::int64_t PromptPart::tokens() const {
  llm::Request request;
  request.messages = messages;
  return llm::estimate_tokens(request);
}

std::string PromptPart::text() const {
  std::string text;
  for (const llm::Message& message : messages) {
    for (const llm::Part& part : message.parts) {
      const std::string piece = text_of_part(part);
      if (!text.empty() && !piece.empty()) text += '\n';
      text += piece;
    }
  }
  return text;
}

govern::Trust ModelContext::label() const {
  govern::Trust label = govern::Trust::kSystem;
  for (const PromptPart& part : parts) {
    if (part.included) label = govern::lowest(label, part.trust);
  }
  return label;
}

std::vector<llm::Message> ModelContext::messages() const {
  std::vector<llm::Message> messages;
  for (const PromptPart& part : parts) {
    if (!part.included) continue;
    for (const llm::Message& message : part.messages) add_message(message, messages);
  }
  return messages;
}

Json ModelContext::to_json() const {
  Json list = Json::array();
  for (const PromptPart& part : parts) {
    list.push_back(Json::object({{"section", part.section},
                                 {"included", part.included},
                                 {"reason", part.reason},
                                 {"source", part.source},
                                 {"trust", govern::trust_name(part.trust)},
                                 {"tokens", part.tokens()},
                                 {"text", part.text()}}));
  }
  return Json::object({{"budget", budget},
                       {"used", used},
                       {"label", govern::trust_name(label())},
                       {"parts", std::move(list)}});
}

Result<ModelContext> assemble_context(ContextSources sources, std::int64_t budget_tokens) {
  ModelContext context;
  context.budget = budget_tokens;
  sources.instructions.included = sources.message.included = true;
  context.used = sources.instructions.tokens() + sources.message.tokens();
  if (sources.rules) {
    sources.rules->included = true;
    context.used += sources.rules->tokens();
  }
  if (context.used > budget_tokens) {
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("the message needs {} tokens with its instructions, and the model has "
                            "room for {}",
                            context.used, budget_tokens),
                {}, "say less, or raise context_tokens of the model");
  }
  const auto admit = [&](PromptPart& part) {
    part.included = context.used + part.tokens() <= budget_tokens;
    if (part.included) {
      context.used += part.tokens();
    } else {
      part.reason = kNoRoom;
    }
  };
  for (PromptPart& part : sources.core) admit(part);
  if (sources.summary) admit(*sources.summary);
  for (PromptPart& part : sources.findings) admit(part);
  // A turn that is left out takes those before it along: a conversation has no holes.
  bool whole = true;
  for (auto turn = sources.turns.rbegin(); turn != sources.turns.rend(); ++turn) {
    if (whole) admit(*turn);
    whole = whole && turn->included;
    if (!whole) turn->reason = kNoRoom;
  }
  context.parts.push_back(std::move(sources.instructions));
  if (sources.rules) context.parts.push_back(std::move(*sources.rules));
  for (PromptPart& part : sources.core) context.parts.push_back(std::move(part));
  for (PromptPart& part : sources.shortened) context.parts.push_back(std::move(part));
  if (sources.summary) context.parts.push_back(std::move(*sources.summary));
  for (PromptPart& part : sources.turns) context.parts.push_back(std::move(part));
  for (PromptPart& part : sources.findings) context.parts.push_back(std::move(part));
  context.parts.push_back(std::move(sources.message));
  return context;
}

}  // namespace anima::agent
