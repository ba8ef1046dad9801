// Any bytes as a file of questions: what is accepted holds together, what is not says where.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "memory/recall/recall_scenarios.h"

namespace {

using namespace anima;

void check(const Result<std::vector<memory::RecallScenario>>& read) {
  if (!read) {
    if (read.error().where.empty()) std::abort();
    return;
  }
  for (const memory::RecallScenario& scenario : *read) {
    for (const memory::ScenarioText& text : scenario.texts) {
      if (text.id.empty() || (text.content.empty() && !text.is_turn())) std::abort();
    }
    for (const memory::ScenarioQuestion& question : scenario.questions) {
      if (question.text.empty()) std::abort();
      for (const std::string& id : question.evidence) {
        if (std::ranges::find(scenario.texts, id, &memory::ScenarioText::id) ==
            scenario.texts.end())
          std::abort();
        if (std::ranges::count(question.evidence, id) != 1) std::abort();
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(memory::read_locomo(text, "f"));
  check(memory::read_scenarios(text, "f"));
  return 0;
}
