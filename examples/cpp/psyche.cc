// An agent's psyche from C++: what "Programmatic psyche manipulation" of the compartment guide
// does, with Anima.
//
//   example_psyche FOLDER            the folder whose sub-folders are compartments
#include <cstdio>

#include "agent/loop/agent.h"

using namespace anima;

namespace {

void print(const agent::Psyche& psyche) {
  std::printf("dominant archetype: %s\n",
              std::string(agent::to_string(psyche.dominant_archetype())).c_str());
  std::printf("individuation:      %.2f\n", psyche.self_integration.individuation_level);
  std::printf("shadow encounters:  %llu\n",
              static_cast<unsigned long long>(psyche.self_integration.shadow_encounters));
  std::printf("rebalances:         %llu\n",
              static_cast<unsigned long long>(psyche.self_integration.rebalance_count));
  std::printf("sage, explorer:     %.3f, %.3f\n", psyche.archetypes.sage,
              psyche.archetypes.explorer);
}

Status run(const std::string& folder) {
  ANIMA_ASSIGN(const auto space, store::Space::in_memory());
  memory::CompartmentManager compartments(*space, system_files(), folder);
  ANIMA_TRY(compartments.discover().map([](std::size_t) {}));
  ANIMA_TRY(compartments.load("astronomy", {}));
  ANIMA_TRY(compartments.activate("astronomy", {}));
  ANIMA_ASSIGN(const auto agent, agent::Agent::create(*space, compartments, system_files(), {}));

  agent::Psyche psyche;
  psyche.persona.name = "Mentor";
  psyche.persona.grammar_preference = "formal";
  psyche.archetypes.healer = 0.8;
  psyche.archetypes.sage = 0.6;
  ANIMA_TRY(agent->set_psyche(psyche));
  print(agent->psyche());

  // It evolves by itself at every fifth cycle.
  ANIMA_ASSIGN(const std::string goal,
               agent->add_goal("find out about Mars", 128, "wording that never occurs"));
  ANIMA_TRY(agent->run_until_complete(10).map([](agent::RunEnd) {}));
  std::printf("\nafter %llu cycles\n", static_cast<unsigned long long>(agent->cycle()));
  print(agent->psyche());
  std::printf("\n%s", agent->synthesize_findings(goal).c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const Status done = run(argv[1]);
  if (!done) std::fprintf(stderr, "%s\n", done.error().describe().c_str());
  return done ? 0 : 1;
}
