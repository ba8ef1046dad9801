// A space for a dry run or a replay: what is written goes to a private branch over a state of the
// real space, is read back from there, and is dropped with it. Thread-safety: one thread.
#pragma once

#include <memory>
#include <vector>

#include "store/space.h"

namespace anima::sleep::detail {

// `written`, if given, receives the origin of each change; it outlives the rehearsal.
std::shared_ptr<store::Space> rehearsal_of(std::shared_ptr<store::Space> space,
                                           const store::Snapshot& from,
                                           std::vector<store::Origin>* written = nullptr);

}  // namespace anima::sleep::detail
