#include "agent/conversation/model_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "base/text/valid_text.h"

namespace anima::agent {
namespace {

constexpr std::size_t kMaxToolName = 64;
constexpr std::size_t kBytesOfToken = 4;
constexpr std::array<std::string_view, 5> kActing{"calendar:delete", "file:delete", "file:write",
                                                  "memory:core_edit", "sms:send"};

std::string name_for_models(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    out += plain ? c : '_';
  }
  return out.substr(0, kMaxToolName);
}

GuardVerdict failed(std::string reason) {
  GuardVerdict verdict;
  verdict.outcome.kind = govern::Outcome::Kind::kFailed;
  verdict.outcome.reason = std::move(reason);
  // What it says is ours, but for what the model wrote itself.
  verdict.outcome.output_trust = govern::Trust::kSystem;
  return verdict;
}

}  // namespace

ModelTools::ModelTools(const GovernedHouse& house) {
  for (const tools::ExternalTool& tool : tools::external_tools()) offer(tool.info);
  for (const tools::ExternalTool& tool : MemoryTools::tools()) offer(tool.info);
  for (const OwnTool& tool : house.own_tools().all()) offer(tool.info);
  for (const govern::ToolDeclaration& tool : house.tools_of_others().declarations()) {
    if (house.tools_of_others().stopped(tool.name).empty()) offer(tool);
  }
}

void ModelTools::offer(const tools::ToolInfo& info) {
  const std::string name = name_for_models(info.name);
  if (!names_.emplace(name, info.name).second) return;  // the house asks for the first as well
  Json properties = Json::object(), required = Json::array();
  for (const tools::ToolParameter& parameter : info.parameters) {
    properties.set(parameter.name, Json::object({{"description", parameter.description}}));
    if (parameter.required) required.push_back(parameter.name);
  }
  Json schema = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  if (!required.as_array().empty()) schema.set("required", std::move(required));
  definitions_.push_back({name, info.description, std::move(schema)});
}

void ModelTools::offer(const govern::ToolDeclaration& declared) {
  const std::string name = name_for_models(declared.name);
  if (!names_.emplace(name, declared.name).second) return;
  Json schema = declared.arguments;
  if (!schema.is_object()) schema = Json::object({{"type", "object"}});
  definitions_.push_back({name, declared.description, std::move(schema)});
}

std::string ModelTools::house_name(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::string() : found->second;
}

bool ModelTools::only_acts(std::string_view tool) {
  return std::ranges::find(kActing, tool) != kActing.end();
}

Result<GuardVerdict> ModelTools::call(const llm::ToolCall& call, GuardSession& guard) {
  const std::string tool = house_name(call.name);
  if (tool.empty()) return failed("there is no tool " + call.name);
  if (!call.unreadable.empty()) return failed("the arguments are no JSON object");
  return guard.call(tool, call.arguments, !only_acts(tool));
}

llm::ToolResult model_result(const llm::ToolCall& call, std::string_view tool,
                             const govern::Outcome& outcome, std::int64_t number,
                             std::size_t most_tokens) {
  llm::ToolResult result;
  result.call = call.id;
  if (outcome.kind != govern::Outcome::Kind::kDone) {
    result.failed = true;
    result.text = fmt::format("{}: {}", govern::to_string(outcome.kind), outcome.reason);
    return result;
  }
  if (ModelTools::only_acts(tool)) {
    result.text = "done";
    return result;
  }
  const std::string whole = Json::object({{"call", number},
                                          {"trust", govern::trust_name(outcome.output_trust)},
                                          {"result", outcome.result}})
                                .dump();
  const std::string text = valid_text(whole);
  const std::string_view cut = beginning_of(text, most_tokens * kBytesOfToken);
  result.text = cut;
  if (cut.size() < text.size())
    result.text += fmt::format(".. (cut: {} of {} bytes)", cut.size(), text.size());
  return result;
}

}  // namespace anima::agent
