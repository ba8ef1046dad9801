// Whatever somebody writes becomes a plan, a question or an error: its tasks are in order and say
// nothing that cannot be told as JSON.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/plans/planner.h"
#include "base/text/valid_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text =
      anima::valid_text(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto plan = anima::agent::plan_request(text, anima::Timestamp{1'767'225'600'000'000});
  if (!plan) return 0;
  const bool asks = plan->intent == anima::agent::Intent::kAmbiguous;
  ANIMA_CHECK(asks == !plan->question.empty());
  ANIMA_CHECK(asks == plan->graph.tasks().empty());
  ANIMA_CHECK(plan->graph.order().size() == plan->graph.tasks().size());
  ANIMA_CHECK(anima::parse_json(plan->graph.to_json().dump()).has_value());
  return 0;
}
