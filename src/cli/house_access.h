// The settings with which a verb opens the house that messages go through.
#pragma once

#include "agent/governed_house.h"
#include "cli/context.h"

namespace anima::cli {

// Tools, gateway, the owner's rules for all spaces, patterns and model, as the configuration says.
// Errors: those of the files that it names.
Result<agent::HouseOptions> house_options(Context& context, const store::Space& space);

}  // namespace anima::cli
