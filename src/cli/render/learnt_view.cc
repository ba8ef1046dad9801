#include "cli/render/learnt_view.h"

#include <fmt/format.h>

namespace anima::cli {

void show_learnt(Context& context, const std::vector<agent::LearntFact>& learnt) {
  if (learnt.empty()) return;
  if (context.json) {
    Json facts = Json::array();
    for (const agent::LearntFact& each : learnt) facts.push_back(each.to_json());
    context.print(Json::object({{"type", "learnt"}, {"facts", std::move(facts)}}).dump() + "\n");
    return;
  }
  for (const agent::LearntFact& each : learnt) {
    if (each.kept) {
      context.note(
          fmt::format("learnt: {} (anima memory forget {})", each.fact.text, each.memory_id));
    } else {
      context.note(fmt::format("not learnt: {} ({})", each.fact.text, each.reason));
    }
  }
}

}  // namespace anima::cli
