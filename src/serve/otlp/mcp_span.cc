#include "serve/otlp/mcp_span.h"

#include "base/json/json_member.h"

namespace anima::serve {
namespace {

std::string meta_text(const Json& message, std::string_view member) {
  const Json* value = mcp_meta(message, member);
  return value == nullptr ? std::string() : value->as_string();
}

std::string param_text(const McpCall& call, std::string_view name) {
  return call.params == nullptr ? std::string() : text_member(*call.params, name);
}

// Which tool it was is told where there is one of that name.
void tell_tool(Span& span, const McpCall& call, const Json& result) {
  const std::string name = param_text(call, "name");
  span.rename(call.method + " " + name);
  span.set("gen_ai.operation.name", "execute_tool");
  span.set("gen_ai.tool.name", name);
  const Json* failed = result.find("isError");
  if (failed != nullptr && failed->as_bool()) span.fail("tool_error");
  if (!span.keeps_contents()) return;
  if (const Json* arguments = call.param("arguments"))
    span.set("gen_ai.tool.call.arguments", arguments->dump());
  const Json* structured = result.find("structuredContent");
  span.set("gen_ai.tool.call.result", (structured == nullptr ? result : *structured).dump());
}

}  // namespace

Span span_of_mcp(const McpCall& call, const Json& message, const std::string& transport) {
  Span span(
      call.method, SpanKind::kServer,
      TraceScope::of_caller(meta_text(message, "traceparent"), meta_text(message, "tracestate")));
  if (!span.is_recorded()) return span;
  span.set("mcp.method.name", call.method);
  span.set("network.transport", transport);
  if (call.id != nullptr)
    span.set("jsonrpc.request.id", call.id->is_string() ? call.id->as_string() : call.id->dump());
  return span;
}

void tell_mcp_answer(Span& span, const McpCall& call, const std::optional<Json>& answer) {
  if (!span.is_recorded()) return;
  if (!answer) return span.fail("cancelled");
  if (call.error_code != 0) {
    const std::string code = std::to_string(call.error_code);
    span.set("rpc.response.status_code", code);
    return span.fail(code, span.keeps_contents() ? call.error_message : std::string());
  }
  const Json* result = answer->find("result");
  if (result == nullptr) return;
  if (call.method == "tools/call") tell_tool(span, call, *result);
  if (call.method == "prompts/get") {
    span.rename(call.method + " " + param_text(call, "name"));
    span.set("gen_ai.prompt.name", param_text(call, "name"));
  }
  if (call.method == "resources/read") span.set("mcp.resource.uri", param_text(call, "uri"));
}

}  // namespace anima::serve
