// What came of a message or of a plan that was gone on with, as a verb shows it.
// Thread-safety: one thread.
#pragma once

#include <functional>

#include "agent/house/governed_house.h"
#include "cli/frame/context.h"

namespace anima::cli {

// Has the house work, prints the reply (or, with `events`, each event of the bus as a line of JSON
// as it happens), and gives the exit code.
int show_work(Context& context, agent::GovernedHouse& house, bool events,
              const std::function<Result<agent::Reply>(agent::GovernedHouse&)>& work);

}  // namespace anima::cli
