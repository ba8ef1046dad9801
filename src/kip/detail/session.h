// One request against one space: its commands, parsed, run in order, and the answer put together.
//
// Writing statements that follow one another share one turn of the log and one sync of the disk,
// each as an entry of its own; the answer comes when they are durable. While one command runs, a
// long one behind it is parsed on another thread. Thread-safety: one thread.
#pragma once

#include "kip/detail/cache.h"
#include "kip/detail/context.h"
#include "kip/detail/request.h"
#include "kip/engine.h"

namespace anima::kip::detail {

struct SessionContext {
  store::Space& space;
  StatementCache& cache;
  query::Statistics& statistics;
  const EngineOptions& options;
};

Json run_session(const SessionContext& context, const Request& request, const Caller& caller);

// The answer of a request that cannot be run.
Json fault_envelope(const Fault& fault);

Outcome<Reply> dispatch(const Statement& statement, Context& context);

}  // namespace anima::kip::detail
