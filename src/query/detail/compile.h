// From plan to pipeline.
#pragma once

#include "query/detail/match.h"
#include "query/detail/operators.h"

namespace anima::query::detail {

// Slots that a node binds, given what its seed rows bind.
Bound analyse(const Node& node, const Bound& in);

// The end of the pipeline is `sink`, which the caller owns.
Result<Pipeline> compile(Run& run, Statistics& statistics, Sink& sink);

std::string describe(const Pipeline& pipeline, bool analyzed);

}  // namespace anima::query::detail
