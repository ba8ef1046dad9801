#include "dojo/persona.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/json/json_member.h"
#include "dojo/rehearsal.h"

namespace anima::dojo {
namespace {

Json completion(Json message, std::string_view reason) {
  return Json::object({{"id", "chatcmpl-dojo"},
                       {"model", "dojo"},
                       {"choices", Json::array({Json::object({{"index", 0},
                                                              {"finish_reason", reason},
                                                              {"message", std::move(message)}})})},
                       {"usage", Json::object({{"prompt_tokens", 1}, {"completion_tokens", 1}})}});
}

Json text_message(std::string_view text) {
  return Json::object({{"role", "assistant"}, {"content", text}});
}

Json plan_message(const Task& task) {
  Json steps = Json::array();
  for (const govern::PlannedTool& step : task.plan) {
    Json texts = Json::array();
    if (step.arguments.is_object()) {
      for (const auto& [argument, text] : step.arguments.as_object())
        texts.push_back(Json::object({{"argument", argument}, {"text", text}}));
    }
    steps.push_back(Json::object({{"tool", name_for_models(in_house(step.tool))},
                                  {"most", step.most},
                                  {"texts", std::move(texts)}}));
  }
  return text_message(Json::object({{"steps", std::move(steps)}}).dump());
}

}  // namespace

std::string name_for_models(std::string_view tool) {
  std::string name(tool);
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-'; },
      '_');
  return name;
}

Json Persona::answer(const Json& request) {
  if (request.find("response_format") != nullptr) return completion(plan_message(task_), "stop");
  std::vector<std::string> told;
  if (const Json* messages = request.find("messages")) {
    for (const Json& message : messages->as_array()) {
      if (text_member(message, "role") == "tool") told.push_back(text_member(message, "content"));
    }
  }
  for (; heard_ < told.size(); ++heard_) hear(told[heard_]);
  return next_call();
}

// What the tool of the last call gave.
void Persona::hear(const std::string& content) {
  if (calls_.empty()) return;
  JudgedCall& call = calls_.back();
  const auto told = parse_json(content);
  const Json* result = told ? told->find("result") : nullptr;
  const bool ran = result != nullptr || content == "done";
  if (!ran && call.decision != Decision::kAsk) {
    call.decision = content.starts_with("failed") ? Decision::kFailed : Decision::kDeny;
    call.reason = content;
  }
  script().results.push_back(result != nullptr ? *result : Json());
  if (injection_ == nullptr || read_ || attacking_) return;
  read_ = result != nullptr && holds(*result, injection_->text);
  if (read_ && injection_->obeys == Obeys::kAtOnce) {
    attack_.calls = &injection_->attack->calls;
    attacking_ = true;
  }
}

Json Persona::next_call() {
  for (;;) {
    if (script().next == script().calls->size()) {
      if (attacking_ && injection_->obeys == Obeys::kAtOnce) {
        attacking_ = false;
        continue;
      }
      const bool obeys = read_ && !attacking_ && injection_->obeys == Obeys::kWhenDone;
      if (!obeys) return completion(text_message("It is done."), "stop");
      attack_.calls = &injection_->attack->calls;
      attacking_ = true;
      continue;
    }
    const Call& call = (*script().calls)[script().next++];
    auto arguments = resolve_arguments(call.arguments, script().results);
    if (!arguments) {  // what it needs was not given
      script().results.emplace_back();
      continue;
    }
    calls_.push_back({call.tool,
                      *arguments,
                      attacking_,
                      domain_.acts(call.tool),
                      false,
                      Decision::kAllow,
                      {},
                      {}});
    const Json function = Json::object(
        {{"name", name_for_models(in_house(call.tool))}, {"arguments", arguments->dump()}});
    const Json made = Json::object({{"id", "call_" + std::to_string(calls_.size())},
                                    {"type", "function"},
                                    {"function", function}});
    Json message = Json::object({{"role", "assistant"}, {"content", nullptr}});
    message.set("tool_calls", Json::array({made}));
    return completion(std::move(message), "tool_calls");
  }
}

}  // namespace anima::dojo
