#include "cli/render/told_view.h"

#include "cli/frame/left_lines.h"

namespace anima::cli {

void say_told(Context& context, const agent::Told& told) {
  if (!told.stated.empty()) context.print("  states     " + told.stated + "\n");
  if (!told.corrected.empty()) context.print("  corrects   " + told.corrected + "\n");
  if (!told.asks.empty()) context.print("  asks       " + told.asks + "\n");
  if (!told.question.empty())
    context.print("             anima memory review " + told.question + " ANSWER\n");
  if (!told.left_over.empty()) context.print("  only text  " + told.left_over + "\n");
}

Result<House> open_writing_house(Context& context) {
  ANIMA_ASSIGN(const auto space, open_space(context, Access::kWrite));
  ANIMA_ASSIGN(agent::HouseOptions settings, house_options(context, *space));
  ANIMA_ASSIGN(House house, open_house(context, std::move(settings)));
  learn_what_was_left(context, *house, space);
  return house;
}

agent::MemoryCaller owner_of_memories(const Context& context) {
  return {local_origin(context, "").author, "terminal", govern::Trust::kOperator, "operator"};
}

}  // namespace anima::cli
