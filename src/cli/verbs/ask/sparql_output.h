// Answers of SPARQL as text, in the form that was asked for. Thread-safety: belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/context.h"
#include "sparql/engine.h"

namespace anima::cli {

// What --format may say.
std::vector<std::string> sparql_formats();

// Appends the answer. `format` empty: a table, "true" or "false", or Turtle. Errors:
// kInvalidArgument, a format that cannot hold such an answer.
Status append_answer(const Context& context, const sparql::QueryAnswer& answer,
                     std::string_view format, std::string* out);

}  // namespace anima::cli
