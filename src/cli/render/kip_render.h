// KIP answers for people: tables, short lines, errors with their place. Thread-safety: functions
// without state.
#pragma once

#include "base/json/json.h"
#include "cli/frame/context.h"

namespace anima::cli {

// Appends the whole response to `text`, in the form of context.table; errors and notices go to
// standard error, an error with the place in `source` (the command) marked. True when an error is
// in it.
bool kip_response_text(Context& context, const Json& response, std::string_view source,
                       std::string& text);

}  // namespace anima::cli
