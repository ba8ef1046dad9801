// An assistant behind Anima's governance: what the public library looks like from a program that
// acts.
//
//   assistant SPACE say TEXT                 a message of the owner: its events, and the answer
//   assistant SPACE mail TEXT                the same text as it comes in by mail: nobody trusts it
//   assistant SPACE grant ID                 lets a waiting call run; say the message again then
//   assistant SPACE learn SOURCE TEXT        remembers a text from outside
//   assistant SPACE prompt QUESTION          what a language model would be given
//   assistant SPACE act QUESTION TOOL JSON   a call that a model made of that prompt
//
// A model of your own stands between `prompt` and `act`: it reads the text and proposes the call.
// What it took from an outsider's text is judged as the outsider's, whatever it says.
#include <anima/agent.h>

#include <cstdio>
#include <string>

namespace {

using anima::Agent;
using anima::Json;
using anima::Outcome;

int complain(const anima::Error& error) {
  std::fprintf(stderr, "assistant: %s\n", error.describe().c_str());
  return 1;
}

int hear(Agent& agent, const std::string& text, const std::string& channel) {
  const auto answer = agent.handle({.content = text, .channel = channel});
  if (!answer) return complain(answer.error());
  for (const anima::Event& event : answer->events) std::printf("  %s\n", event.type.c_str());
  std::printf("%s\n", answer->text.c_str());
  if (answer->outcome == Outcome::kWaiting)
    std::printf("waits for approval %s\n", answer->approval_ids.front().c_str());
  if (!answer->refusal_id.empty()) {
    const auto grants = agent.what_would_allow(answer->refusal_id);
    for (const std::string& grant : grants.value_or(std::vector<std::string>()))
      std::printf("would be allowed by: %s\n", grant.c_str());
  }
  return answer->outcome == Outcome::kDone ? 0 : 3;
}

int act(Agent& agent, const std::string& question, anima::ToolCall call) {
  const auto context = agent.recall(question);
  if (!context) return complain(context.error());
  const auto result = agent.call(call);
  if (!result) return complain(result.error());
  std::printf(
      "%s %s\n", std::string(anima::to_string(result->outcome)).c_str(),
      result->outcome == Outcome::kDone ? result->result.dump().c_str() : result->reason.c_str());
  return result->outcome == Outcome::kDone ? 0 : 3;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string verb = count > 3 ? arguments[2] : "";
  if (verb.empty()) {
    std::fprintf(stderr, "usage: assistant SPACE say|mail|grant|learn|prompt|act ...\n");
    return 2;
  }
  auto agent = Agent::open(arguments[1], {.create = true});
  if (!agent) return complain(agent.error());
  const std::string text = arguments[3];
  if (verb == "say") return hear(*agent, text, "terminal");
  if (verb == "mail") return hear(*agent, text, "email");
  if (verb == "grant") {
    const auto granted = agent->grant(text);
    return granted ? 0 : complain(granted.error());
  }
  if (verb == "learn" && count == 5) {
    const auto id =
        agent->remember(arguments[4], {.trust = anima::TrustLevel::kUntrusted, .source = text});
    return id ? 0 : complain(id.error());
  }
  if (verb == "prompt") {
    const auto context = agent->recall(text);
    if (!context) return complain(context.error());
    std::printf("%s", context->text.c_str());
    return 0;
  }
  if (verb == "act" && count == 6) {
    const auto input = anima::parse_json(arguments[5]);
    if (!input) return complain(input.error());
    return act(*agent, text,
               {.tool = arguments[4],
                .arguments = *input,
                .caller = anima::TrustLevel::kOperator,
                .label = anima::TrustLevel::kOperator});
  }
  std::fprintf(stderr, "assistant: it does not know '%s'\n", verb.c_str());
  return 2;
}
