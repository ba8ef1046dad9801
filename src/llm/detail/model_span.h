// What a trace tells of a call of a model. Without what was said, unless the tracer keeps contents.
// Thread-safety: as the span. Source: OpenTelemetry semantic conventions for GenAI (inference,
// embeddings).
#pragma once

#include "base/trace/trace.h"
#include "llm/message.h"
#include "llm/model_config.h"

namespace anima::llm::detail {

// The span of a call, which begins with it.
Span span_of_call(const ModelConfig& config, const Request& request);
void tell_reply(Span& span, const Result<Reply>& reply);

// `url`: of the server.
Span span_of_embeddings(const std::string& url, const std::string& model);

}  // namespace anima::llm::detail
