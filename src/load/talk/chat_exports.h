// The conversations that chat programs export as JSON, and JSON of turns itself (talk.h).
//
// Thread-safety: pure. Complexity: O(values).
#pragma once

#include <optional>
#include <string>

#include "load/talk.h"

namespace anima::load {

// By the members that only one of them has; kTurns for a list of other objects.
std::optional<TalkFormat> json_talk_format(const Json& json);

// Errors: kInvalidArgument where the file is not of the format, and where nobody says anything.
Result<Talk> read_json_talk(const Json& json, TalkFormat format, const std::string& file,
                            const TalkOptions& options);
// One object a line: turns, or the log of Claude Code, by what is in it where no format is given.
// Errors: kSyntax with the line; kInvalidArgument where nobody says anything.
Result<Talk> read_json_lines(std::string_view text, const std::string& file,
                             std::optional<TalkFormat> format);

}  // namespace anima::load
