// The tool by which the agent's loop asks a language model: "model_think". One call says the goal
// to a conversation with the model in the governed house (model_conversation.h), with the trust of
// the loop (kLoopTrust): what the space answers exactly needs no model, the tools that the model
// calls run through the executor under the floor, and what needs a person's consent makes the goal
// wait (tools::kWaitsForApproval). The answer is a finding of kind kAnswer, so it completes the
// goal.
//
// It has the capability "Model": the log keeps its answers with the run, and a replay
// (agent/loop/replay.h) gives them without calling anybody. Thread-safety: one thread. Ownership:
// what is passed in outlives the tool. Errors: those of the space; what the model fails at is a
// failed output. Source: issue "any model", 2; learning_and_psyche 2.10.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "agent/house/governed_house.h"
#include "agent/telling/space_asker.h"
#include "llm/model.h"
#include "tools/tool.h"

namespace anima::agent {

struct ModelThoughtOptions {
  SpaceAsker* asker = nullptr;
  store::Origin origin = {};
  std::string session = "run";
  std::function<std::stop_token()> stop = {};  // asked when the tool begins
};

std::unique_ptr<tools::Tool> make_model_thought(GovernedHouse& house, llm::Model& model,
                                                ModelThoughtOptions options);

}  // namespace anima::agent
