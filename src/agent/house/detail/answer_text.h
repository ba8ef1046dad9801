// What a tool gave, in words for who asked. Thread-safety: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace anima::agent::detail {

// The part of a tool's output that is a text by itself, where it has one.
std::optional<std::string> content_of(const Json& result);
// `tool` empty: what was done without one.
std::string answer_text(std::string_view tool, const Json& result);

}  // namespace anima::agent::detail
