// The loop of an Agent: what works on goals, and talks with its owner. It is made by the first goal
// or line, as who only has calls judged needs none. Thread-safety: within a turn of the agent.
// Ownership: the agent outlives it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/conversation/conversation.h"
#include "agent/loop/agent.h"
#include "library/detail/open_agent.h"
#include "memory/compartments/compartments.h"

namespace anima::detail {

// In whose name the loop writes.
store::Origin agent_origin();

// What came of a question, as an Agent tells it.
Response response_from(const ask::Answer& answer);

class AgentLoop {
 public:
  // Errors: kUnsupported (the memory has no folder), those of the packs.
  static Result<std::unique_ptr<AgentLoop>> open(OpenAgent& agent);

  Result<Response> run(std::string_view goal, const Limits& limits);
  Result<Response> chat(std::string_view line, std::string_view session, const Limits& limits);

 private:
  explicit AgentLoop(OpenAgent& agent) : agent_(agent) {}
  Status furnish();
  void seen(const agent::CycleReport& report) {
    agent_.listeners.keep({"agent:cycle", report.to_json()});
  }
  agent::Conversation& conversation(std::string_view session);
  Result<Response> work_on(std::string_view goal, std::uint64_t most);
  Response response_of(const std::string& label, agent::RunEnd end) const;

  OpenAgent& agent_;
  agent::SpaceAsker* asker_ = nullptr;
  std::unique_ptr<memory::CompartmentManager> compartments_;
  std::unique_ptr<agent::Agent> loop_;
  std::map<std::string, agent::Conversation, std::less<>> conversations_;  // by session
  // Of the call that has the turn.
  std::stop_token stop_;
  std::uint64_t cycles_ = 0;
  std::vector<std::string> approval_ids_;
  std::optional<memory::QuestionAnswer> answer_;
};

// That of an agent, made when there is none yet. Requires the turn.
Result<AgentLoop*> loop_of(OpenAgent& agent);

}  // namespace anima::detail
