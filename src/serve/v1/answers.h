// What the routes of /v1 answer with. Thread-safety: pure functions.
#pragma once

#include <string>

#include "agent/house/gate.h"
#include "base/json/json.h"
#include "base/result.h"
#include "serve/http/message.h"
#include "serve/mcp_tool.h"

namespace anima::serve::v1 {

http::Response json_answer(const Json& body, unsigned status = 200);
// An error, with the status that fits it.
http::Response problem_of(const Error& error);
http::Response problem_of(const agent::Refusal& refused);
// What a tool answered: its result without the envelope, or a problem.
http::Response tool_answer(const ToolAnswer& answer, unsigned good = 200);
// Of a memory as it is shown: a strong tag of RFC 9110.
std::string etag_of(const Json& shown);

}  // namespace anima::serve::v1
