// anima chat --llm: the conversation at the terminal with a language model
// (agent/conversation/model_conversation.h). Thread-safety: belongs to one thread.
#pragma once

#include <memory>
#include <string>

#include "agent/conversation/model_conversation.h"
#include "cli/frame/context.h"
#include "cli/terminal/line_reader.h"

namespace anima::cli {

struct ModelChatOptions {
  std::string model;  // of the configuration, or "auto"
  std::string session;
  bool learn = true;  // facts, after the conversation
  agent::ModelMode mode = agent::ModelMode::kPlanFirst;
};

// Until the input ends; the exit code. What is passed in outlives it.
int model_chat(Context& context, LineReader& input, agent::GovernedHouse& house,
               std::shared_ptr<store::Space> space, const ModelChatOptions& options);

}  // namespace anima::cli
