// What was said in conversations that were cut off, learnt from by whoever opens the house next.
// Thread-safety: one thread.
#pragma once

#include <memory>

#include "agent/house/governed_house.h"
#include "cli/frame/context.h"

namespace anima::cli {

// What is learnt, and why it could not be, is said on standard error.
void learn_what_was_left(Context& context, agent::GovernedHouse& house,
                         const std::shared_ptr<store::Space>& space);

}  // namespace anima::cli
