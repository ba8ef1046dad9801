// What is left of a link's confidence (store/fading.h), as an expression. Thread-safety: pure.
#pragma once

#include <memory>

#include "query/plan.h"
#include "store/fading.h"

namespace anima::query {

// Of one argument; unbound for what is no link that somebody states.
std::shared_ptr<const Function> faded_confidence(const store::Fading& fading);
Expr faded_confidence(Slot link, const store::Fading& fading);

}  // namespace anima::query
