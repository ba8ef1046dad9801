// From plan to pipeline.
#pragma once

#include "query/detail/match.h"
#include "query/detail/operators.h"

namespace anima::query::detail {

// The end of the pipeline is `sink`, which the caller owns.
Result<Pipeline> compile(Run& run, Statistics& statistics, Sink& sink);

std::string describe(const Pipeline& pipeline, bool analyzed);

}  // namespace anima::query::detail
