// What assistants export of their conversations: ChatGPT, Claude, Gemini, Open WebUI, LibreChat and
// Claude Code. Of a conversation with branches the one that is shown is read, and of a message what
// was said: no thoughts, calls of tools, what these gave, and nothing that its program hides.
//
// Thread-safety: pure. Complexity: O(values). Source: the files that these programs write.
#pragma once

#include <optional>

#include "base/json/json.h"
#include "load/talk.h"

namespace anima::load {

// By the members that only one of them has, of one conversation or of the first of a list.
std::optional<TalkFormat> assistant_format(const Json& json);
// A line of a session's log.
bool is_claude_code(const Json& line);

// Each of one conversation; of Gemini one activity, and of Claude Code one line.
void read_chatgpt(const Json& conversation, Talk& talk);
void read_claude(const Json& conversation, Talk& talk);
void read_gemini(const Json& activity, Talk& talk);
void read_open_webui(const Json& conversation, Talk& talk);
void read_librechat(const Json& conversation, Talk& talk);
void read_claude_code(const Json& line, Talk& talk);

}  // namespace anima::load
