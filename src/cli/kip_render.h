// KIP answers for people: tables, short lines, errors with their place. Thread-safety: functions
// without state.
#pragma once

#include "base/json.h"
#include "cli/context.h"

namespace anima::cli {

// The whole response, results on standard output and errors on standard error; true when an error
// is in it.
bool print_kip_response(Context& context, const Json& response);

}  // namespace anima::cli
