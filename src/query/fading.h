// What is left of a link's confidence (store/fading.h), as an expression. Thread-safety: pure.
#pragma once

#include "query/plan.h"
#include "store/fading.h"

namespace anima::query {

// Unbound for what is no link.
Expr faded_confidence(Slot link, const store::Fading& fading);

}  // namespace anima::query
