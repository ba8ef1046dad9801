// What came of something that was told, on a terminal; and the house that the owner tells it to.
// Thread-safety: one thread.
#pragma once

#include "cli/frame/access.h"

namespace anima::cli {

void say_told(Context& context, const agent::Told& told);

// Over a space that is written to, after what was left to be learnt. Errors: those of the space.
Result<House> open_writing_house(Context& context);
agent::MemoryCaller owner_of_memories(const Context& context);

}  // namespace anima::cli
