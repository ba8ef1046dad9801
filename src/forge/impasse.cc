#include "forge/impasse.h"

#include "forge/detail/rule_world.h"
#include "forge/generator.h"

namespace anima::forge {
namespace {

using detail::PlainText;
using detail::RuleWorld;

constexpr std::string_view kLoopRules = "packs/forge/loop.mg";
// Nobody asked for a tool: with the failed attempt beside it, it is enough for the gate.
constexpr double kConfidence = 0.7;

}  // namespace

Result<std::optional<Need>> need_of_impasse(const Impasse& impasse) {
  std::optional<Need> need = need_in_words(impasse.goal);
  if (!need) return need;
  need->confidence = kConfidence;
  need->triggers = {"an impasse of the loop", "a failed attempt: " + impasse.why};
  need->reasoning = impasse.why;
  ANIMA_ASSIGN(const auto world, RuleWorld::open(kLoopRules));
  std::vector<RuleWorld::Change> facts = {
      {"current_mode", {impasse.mode}, true},
      {"user_intent", {"/goal", "/loop", "/make", "/tool", "/none"}, true},
      {"goal_requires", {"/goal", "/" + need->name}, true}};
  for (const std::string& tool : impasse.made)
    facts.push_back({"tool_capability", {PlainText{tool}, "/" + tool}, true});
  ANIMA_TRY(world->tell(facts));
  ANIMA_ASSIGN(const bool missing, world->holds("missing_tool_for(/goal, C)"));
  ANIMA_ASSIGN(const bool permitted, world->holds("permitted(/generate_tool)"));
  GateState state;
  state.vetoes = impasse.vetoes;
  if (!missing || !permitted || !pass_gate(*need, state)) need.reset();
  return need;
}

}  // namespace anima::forge
