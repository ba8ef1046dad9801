// The tools of a house as a language model is offered them, and its calls made through the guarded
// session (guard_session.h): each value of an argument is judged by where it came from, and what
// the model wrote itself by the session's floor. Thread-safety: as the session's.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/conversation/guard_session.h"
#include "agent/house/governed_house.h"
#include "llm/message.h"

namespace anima::agent {

class ModelTools {
 public:
  explicit ModelTools(const GovernedHouse& house);

  // Each under a name that every provider takes: "http:fetch" is "http_fetch".
  const std::vector<llm::ToolDefinition>& definitions() const { return definitions_; }
  // As the house calls it; empty when it is none of them.
  std::string house_name(std::string_view name) const;
  // True for a tool of the house that only acts: that it ran is all that the model is told, so
  // nothing from outside comes in by it.
  static bool only_acts(std::string_view tool);

  // One call, for the message of the session. What the model cannot have meant (no such tool,
  // unreadable arguments) is a failed outcome that says so.
  Result<GuardVerdict> call(const llm::ToolCall& call, GuardSession& guard);

 private:
  void offer(const tools::ToolInfo& info);
  void offer(const govern::ToolDeclaration& declared);

  std::vector<llm::ToolDefinition> definitions_;
  std::map<std::string, std::string, std::less<>> names_;  // the model's -> the house's
};

// What the model is told of a call of that tool of the house: the result with its trust and the
// number by which its values are named, cut to that many tokens, or why there is none.
llm::ToolResult model_result(const llm::ToolCall& call, std::string_view tool,
                             const govern::Outcome& outcome, std::int64_t number,
                             std::size_t most_tokens);

}  // namespace anima::agent
