#include "agent/conversation/model_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/json_fields.h"
#include "llm/structured_reply.h"

namespace anima::agent {
namespace {

constexpr std::size_t kMostSaid = 8;
constexpr std::int64_t kMostCalls = 100;  // of one tool
constexpr std::string_view kPlanInstructions =
    "You plan and do nothing. A person says what is to be done. Answer with the tools that the "
    "person's own words ask for, each with how many calls of it that takes at most. Name no tool "
    "that the words do not ask for. When nothing is to be changed, sent, paid, removed or run, "
    "name only tools that read, or none. \"texts\" of a step are those that the person's own words "
    "give in full, as they are to be sent or written, with the argument that each is for; mostly "
    "there are none.\nThe tools are:\n";

Json plan_schema(const std::vector<llm::ToolDefinition>& tools) {
  Json names = Json::array();
  for (const llm::ToolDefinition& tool : tools) names.push_back(tool.name);
  const Json most = Json::object({{"type", "integer"}, {"minimum", 1}, {"maximum", kMostCalls}});
  const Json text =
      Json::object({{"type", "object"},
                    {"properties", Json::object({{"argument", Json::object({{"type", "string"}})},
                                                 {"text", Json::object({{"type", "string"}})}})},
                    {"required", Json::array({"argument", "text"})},
                    {"additionalProperties", false}});
  const Json step = Json::object(
      {{"type", "object"},
       {"properties",
        Json::object({{"tool", Json::object({{"type", "string"}, {"enum", std::move(names)}})},
                      {"most", most},
                      {"texts", Json::object({{"type", "array"}, {"items", text}})}})},
       {"required", Json::array({"tool", "most", "texts"})},
       {"additionalProperties", false}});
  return Json::object(
      {{"type", "object"},
       {"properties",
        Json::object({{"steps", Json::object({{"type", "array"}, {"items", step}})}})},
       {"required", Json::array({"steps"})},
       {"additionalProperties", false}});
}

llm::Request plan_request_of(const std::vector<llm::ToolDefinition>& tools,
                             const std::vector<std::string>& said) {
  std::string instructions(kPlanInstructions);
  for (const llm::ToolDefinition& tool : tools)
    instructions += fmt::format("{}: {}\n", tool.name, tool.description);
  llm::Request request;
  request.messages.push_back(llm::system_message(std::move(instructions)));
  std::string words;
  const std::size_t first = said.size() > kMostSaid ? said.size() - kMostSaid : 0;
  for (std::size_t i = first; i < said.size(); ++i) {
    const bool last = i + 1 == said.size();
    words += (last ? "What is said now: " : "Said before: ") + said[i] + "\n";
  }
  request.messages.push_back(llm::user_message(std::move(words)));
  request.output = llm::OutputSchema{"plan", plan_schema(tools)};
  return request;
}

// By the names of the arguments; null: the step has none.
Json texts_of_step(const Json& step) {
  Json arguments;
  for (const Json& each : items_of(step, "texts")) {
    const std::string argument = text_of(each, "argument"), text = text_of(each, "text");
    if (argument.empty() || text.empty()) continue;
    if (!arguments.is_object()) arguments = Json::object();
    const Json* before = arguments.find(argument);
    JsonArray all = before == nullptr ? JsonArray() : before->as_array();
    all.emplace_back(text);
    arguments.set(argument, Json(std::move(all)));
  }
  return arguments;
}

}  // namespace

Result<MessagePlan> plan_message(llm::Model& model, const std::vector<llm::ToolDefinition>& tools,
                                 const std::vector<std::string>& said,
                                 const llm::CallOptions& options) {
  MessagePlan plan;
  const auto reply = llm::complete_structured(model, plan_request_of(tools, said), options);
  if (!reply) {
    const bool no_plan =
        reply.error().code == ErrorCode::kSyntax || reply.error().code == ErrorCode::kDenied;
    if (no_plan) return plan;
    return fail(reply.error());
  }
  plan.usage = reply->reply.usage;
  for (const Json& step : items_of(reply->value, "steps")) {
    const auto most = static_cast<std::int64_t>(count_of(step, "most", 1));
    plan.steps.push_back({text_of(step, "tool"), std::clamp<std::int64_t>(most, 1, kMostCalls),
                          texts_of_step(step)});
  }
  return plan;
}

}  // namespace anima::agent
