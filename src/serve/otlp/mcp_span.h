// What a trace tells of a request of MCP. Without arguments and results, unless the tracer keeps
// contents. Thread-safety: as the span. Source: OpenTelemetry semantic conventions for MCP (spans
// of servers); SEP-414 (`traceparent` in `_meta`).
#pragma once

#include <optional>
#include <string>

#include "base/trace/trace.h"
#include "serve/mcp_protocol.h"

namespace anima::serve {

Span span_of_mcp(const McpCall& call, const Json& message, const std::string& transport);
// The answer: its error, or the tool, prompt or resource that the request was for.
void tell_mcp_answer(Span& span, const McpCall& call, const std::optional<Json>& answer);

}  // namespace anima::serve
