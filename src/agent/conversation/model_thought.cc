#include "agent/conversation/model_thought.h"

#include <fmt/format.h>

#include <utility>

#include "agent/conversation/model_conversation.h"
#include "agent/mind/scoring.h"

namespace anima::agent {
namespace {

// The channel whose messages have the loop's trust.
constexpr const char* kLoopChannel = "agent_key";

tools::ToolOutput failed_thought(std::string reason) {
  tools::ToolOutput output;
  output.success = false;
  output.result = std::move(reason);
  return output;
}

class ModelThought final : public tools::Tool {
 public:
  ModelThought(GovernedHouse& house, llm::Model& model, ModelThoughtOptions options)
      : house_(house), model_(model), options_(std::move(options)) {
    info_.name = kModelThink;
    info_.description = "asks the language model, which may use the governed tools";
    info_.parameters = {{"goal", true, "what is wanted"}};
    info_.danger = tools::Danger::kCautious;
    info_.capabilities = {"Model"};
    info_.concepts = {"think", "answer", "explain", "write", "summarize", "plan"};
  }
  const tools::ToolInfo& info() const override { return info_; }

  Result<tools::ToolOutput> run(const tools::ToolInput& input, tools::Workbench&) const override {
    const std::string& goal = input.at("goal");
    ModelConversationOptions talking;
    talking.asker = options_.asker;
    talking.origin = options_.origin;
    if (options_.stop) talking.stop = options_.stop();
    // A goal stands for itself: what was said of others is told by memory, or not at all.
    ModelConversation talk(house_, model_, std::move(talking));
    talk.restore(options_.session, {});
    govern::IncomingMessage message;
    message.content = goal;
    message.channel = kLoopChannel;
    message.sender = std::string(kLoopName);
    message.session = options_.session;
    const Result<ModelTurn> turn = talk.say(message);
    if (!turn) return failed_thought("the model could not be asked: " + turn.error().describe());
    return output_of(goal, *turn);
  }

 private:
  tools::ToolOutput output_of(const std::string& goal, const ModelTurn& turn) const {
    switch (turn.kind) {
      case ModelTurnKind::kWaiting:
        return failed_thought(std::string(tools::kWaitsForApproval) + turn.approval_id + ": " +
                              turn.text);
      case ModelTurnKind::kBlocked:
        return failed_thought("the goal was not let in: " + turn.text);
      case ModelTurnKind::kStopped:
        return failed_thought(turn.text);
      case ModelTurnKind::kAnswered:
      case ModelTurnKind::kReply:
        break;
    }
    if (turn.text.empty()) return failed_thought("the model said nothing");
    tools::ToolOutput output;
    output.result = turn.text;
    tools::Finding finding;
    finding.kind = tools::FindingKind::kAnswer;
    finding.text = turn.text;
    finding.subject = goal;
    finding.count = 1;
    output.findings.push_back(std::move(finding));
    return output;
  }

  GovernedHouse& house_;
  llm::Model& model_;
  ModelThoughtOptions options_;
  tools::ToolInfo info_;
};

}  // namespace

std::unique_ptr<tools::Tool> make_model_thought(GovernedHouse& house, llm::Model& model,
                                                ModelThoughtOptions options) {
  return std::make_unique<ModelThought>(house, model, std::move(options));
}

}  // namespace anima::agent
