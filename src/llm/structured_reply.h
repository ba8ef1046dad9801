// An answer that is one JSON value of a schema: asked for, read, checked, and asked for once more
// with what was wrong. A model that calls one of the request's tools first gives no value yet:
// reply.stop says so. Thread-safety: as the model's. Errors: those of the model; kInvalidArgument
// for a schema that cannot be used (json_schema.h); kSyntax when the answer does not fit in the end
// either, with what is wrong, and when a tool is called that nobody offered; kDenied when the model
// declines.
#pragma once

#include <string>

#include "base/json/json.h"
#include "base/result.h"
#include "llm/json_schema.h"
#include "llm/model.h"

namespace anima::llm {

struct StructuredReply {
  Json value;
  Reply reply;           // the last one; its usage is that of all
  std::string repaired;  // what was wrong with the first answer; empty: nothing
};

// Requires request.output.
Result<StructuredReply> complete_structured(Model& model, Request request,
                                            const CallOptions& options = {});

// The one JSON value of a text: all of it, or what stands in its only fenced block. Errors:
// kSyntax.
Result<Json> read_answer_json(std::string_view text);

}  // namespace anima::llm
