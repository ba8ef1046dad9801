// A space for a dry run: what is written goes to a private branch over the real space, is read back
// from there, and is dropped with it. Thread-safety: one thread.
#pragma once

#include <memory>

#include "store/space.h"

namespace anima::sleep::detail {

Result<std::shared_ptr<store::Space>> rehearsal_of(std::shared_ptr<store::Space> space);

}  // namespace anima::sleep::detail
