// How verbs come to the vectors of the texts (agent/house/recall_vectors.h). Thread-safety: belongs
// to one thread; what it gives may be used from any.
#pragma once

#include <memory>
#include <set>

#include "base/result.h"
#include "cli/frame/context.h"
#include "memory/recall/text_vectors.h"
#include "store/space.h"

namespace anima::cli {

// Null where no server is configured. The context's files outlive it. Errors: a setting that is
// wrong.
Result<std::shared_ptr<memory::TextVectors>> open_vectors(Context& context,
                                                          const store::Space& space);

// After something was forgotten or erased: the vectors of these things, and of what is no more, go,
// whether a server is configured or not.
Status drop_vectors_of(Context& context, store::Space& space,
                       const std::set<store::EntityId>& things);

}  // namespace anima::cli
