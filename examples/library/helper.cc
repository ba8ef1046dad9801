// An agent in forty lines: asks, works, talks, and asks you before it does what needs consent.
//
//   helper FOLDER ask "Which services run on borea?"
//   helper FOLDER run "read the file ./notes.txt"
//   helper FOLDER chat "delete notes.txt"
#include <anima/agent.h>

#include <cstdio>
#include <iostream>

namespace {

void hear(const anima::Event& event) { std::fprintf(stderr, "  %s\n", event.type.c_str()); }

anima::Result<anima::Response> say(anima::Agent& agent, const std::string& how,
                                   const std::string& text) {
  anima::Limits limits;
  limits.time = std::chrono::minutes(1);
  if (how == "ask") return agent.ask(text);
  return how == "run" ? agent.run(text, limits) : agent.chat(text, "helper", limits);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  auto agent = anima::Agent::open(words[1], {.create = true});
  if (!agent) return std::fprintf(stderr, "%s\n", agent.error().describe().c_str()), 1;
  const auto hearing = agent->subscribe("agent:", hear);
  auto said = say(*agent, words[2], words[3]);
  while (said && said->outcome == anima::Outcome::kWaiting) {
    std::printf("%s\nallow this once? ", said->text.c_str());
    std::string answer;
    if (!std::getline(std::cin, answer) || answer != "y") return 3;
    if (!agent->grant(said->approval_ids.front())) return 1;
    said = say(*agent, words[2], words[3]);
  }
  if (said) std::printf("%s\n", said->text.c_str());
  return said && anima::succeeded(said->outcome) ? 0 : 1;
}
