// The tools of a house as a language model is offered them, and its calls made through the house's
// executor. Every argument that a model writes carries the label of the session's floor: the lowest
// trust of anything that it was told (session_floor.h). Thread-safety: as the house's. Ownership:
// the house outlives it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/governed_house.h"
#include "llm/message.h"

namespace anima::agent {

class ModelTools {
 public:
  explicit ModelTools(GovernedHouse& house);

  // Each under a name that every provider takes: "http:fetch" is "http_fetch".
  const std::vector<llm::ToolDefinition>& definitions() const { return definitions_; }
  // As the house calls it; empty when it is none of them.
  std::string house_name(std::string_view name) const;
  // True for a tool of the house that only acts: that it ran is all that the model is told, so
  // nothing from outside comes in by it.
  static bool only_acts(std::string_view tool);

  // One call, in the name of who said the message. What the model cannot have meant (no such tool,
  // unreadable arguments) is a failed outcome that says so.
  govern::Outcome call(const llm::ToolCall& call, govern::Trust caller, govern::Trust floor);

 private:
  void offer(const tools::ToolInfo& info);
  void offer(const govern::ToolDeclaration& declared);

  GovernedHouse& house_;
  std::vector<llm::ToolDefinition> definitions_;
  std::map<std::string, std::string, std::less<>> names_;  // the model's -> the house's
};

// What the model is told of an outcome of that tool of the house: the result with its trust, cut to
// that many tokens, or why there is none.
llm::ToolResult model_result(const llm::ToolCall& call, std::string_view tool,
                             const govern::Outcome& outcome, std::size_t most_tokens);

}  // namespace anima::agent
