// The plan of a message: which tools it asks for, and how often at most. A model makes it of the
// message alone, in a context of its own: nothing that was read can put a tool into it, or a word
// into a text that it has for an argument.
// Thread-safety: as the model's. Errors: those of the model; an answer that is no plan is an empty
// one, by which every call that acts is asked about. Source: issue "any model", 3.
#pragma once

#include <string>
#include <vector>

#include "govern/rules/call_values.h"
#include "llm/model.h"

namespace anima::agent {

struct MessagePlan {
  std::vector<govern::PlannedTool> steps;  // by the names that the definitions have
  llm::Usage usage;
};

// `said`: what the sender has said in the session, the message last; nobody else's words.
Result<MessagePlan> plan_message(llm::Model& model, const std::vector<llm::ToolDefinition>& tools,
                                 const std::vector<std::string>& said,
                                 const llm::CallOptions& options);

}  // namespace anima::agent
