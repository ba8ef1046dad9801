// Whether a server can do its work now: /readyz.
//
// The newest state is read from the log, and where it may be written the writer's turn is taken and
// given back: nothing is written. Thread-safety: a function over a space. Errors: in the answer,
// 503 with the reason. Complexity: that of a snapshot and of a turn, for which it waits as every
// writer does.
#pragma once

#include "serve/http/message.h"
#include "store/space.h"

namespace anima::serve {

http::Response readiness(store::Space& space, bool readonly);

}  // namespace anima::serve
