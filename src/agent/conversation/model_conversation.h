// A conversation with a language model, in the governed house.
//
//   ModelConversation talk(house, model, {.asker = &asker});
//   ModelTurn turn = *talk.say({.content = "What is in notes.txt?", .channel = "terminal"});
//
// A line is let in by the guardian. What the space answers exactly (ask/ask.h) needs no model. Else
// the model is told instructions, what is remembered, what the space said, and earlier turns
// (model_context.h); the tools that it calls run through the guarded session (guard_session.h),
// with the sender's trust: each value of an argument is judged by where it came from, and what the
// model wrote itself by the session's floor. The floor falls with each thing that the model is
// told, before it can act on it, and is kept on the log. In the mode kPlanFirst the first call that
// would change something, once texts from outside were told, has a plan made of the message alone
// (model_plan.h): what is not in it is asked about. A call that needs a person's consent makes the
// turn wait; go_on() goes on with it. Earlier turns of the session are those that its log recorded
// (conversation_tape.h); long ones are made shorter (conversation_history.h). The rules of core
// memory are told word for word, and each call of the model is checked to hold them. Results of
// tools that have no room any more are dropped, the oldest first, and the model is told so.
//
// A turn that fails (the model's errors) leaves the conversation as it was: the same line can be
// said again. What the tools did stays done. Thread-safety: one thread at a time. Ownership: what
// is passed in outlives it. Errors: those of the space and of the model. Source: issue "any
// model", 2 and 3.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/conversation/conversation_history.h"
#include "agent/conversation/conversation_tape.h"
#include "agent/conversation/guard_session.h"
#include "agent/conversation/model_context.h"
#include "agent/conversation/model_tools.h"
#include "agent/house/governed_house.h"
#include "agent/telling/space_asker.h"
#include "llm/model.h"

namespace anima::agent {

enum class ModelTurnKind : std::uint8_t {
  kAnswered,  // by the space itself: nobody was called
  kReply,     // by the model
  kWaiting,   // a call waits for an approval
  kBlocked,   // the line was not let in
  kStopped,   // the model wanted more steps, or more room, than there is
};
std::string_view to_string(ModelTurnKind kind);

struct ModelTurn {
  ModelTurnKind kind = ModelTurnKind::kReply;
  std::string text;
  struct Call {
    std::string tool;
    Json arguments;
    govern::Outcome outcome;
  };
  std::vector<Call> calls;           // since the line was said, in order
  std::string approval_id;           // of kWaiting
  std::optional<ask::Answer> asked;  // of kAnswered
  llm::Usage usage;                  // of all calls of the model
  govern::Trust floor = govern::Trust::kSystem;
  llm::StopReason stop = llm::StopReason::kEnd;
  Json to_json() const;
};

enum class ModelMode : std::uint8_t {
  kPlanFirst,  // the message says which tools, and how often
  kReactive,   // the values alone are judged
};

struct ModelConversationOptions {
  ModelMode mode = ModelMode::kPlanFirst;
  SpaceAsker* asker = nullptr;  // questions go to it first
  store::Origin origin = {};    // of what the conversation writes of itself
  std::size_t max_steps = 12;   // calls of the model for one line
  llm::StreamSink sink = {};    // hears the model's text while it is made
  std::stop_token stop = {};
  ConversationTape* tape = nullptr;  // keeps the turns, or gives recorded ones; outlives
  bool summaries = true;             // the model makes them; else they are first sentences
};

// What somebody said, for what is learnt of a conversation (conversation_facts.h).
struct SpokenLine {
  std::size_t turn = 0;  // from 1
  std::string text, speaker;
  govern::Trust trust = govern::Trust::kUntrusted;  // his, and no more than the floor of the turn
};

class ModelConversation {
 public:
  ModelConversation(GovernedHouse& house, llm::Model& model, ModelConversationOptions options = {});

  Result<ModelTurn> say(const govern::IncomingMessage& message);
  // Goes on with a turn that waits: its call is made again when its approval was granted, else the
  // model is told that it was not. Requires such a turn.
  Result<ModelTurn> go_on(bool granted);
  bool waits() const { return waiting_.has_value(); }

  // What say() would tell the model, without calling anybody.
  Result<ModelContext> context(const govern::IncomingMessage& message);

  // The session goes on from these turns instead of those on the log.
  void restore(const std::string& session, ConversationHistory history);
  // The session begins anew, with another floor (conversation_tape.h, clear_session).
  Status clear(const std::string& session);
  // What was said here, and what of memory was told, since this object was made.
  const std::vector<SpokenLine>& spoken() const { return spoken_; }
  const std::vector<std::string>& recalled() const { return recalled_; }
  // Why memory was searched by words alone for the last line, where vectors are wanted; or empty.
  const std::string& recall_note() const { return recall_note_; }

 private:
  // A turn on its way.
  struct Running {
    std::string session;
    std::vector<llm::Message> before;  // what was told at its beginning
    std::vector<llm::Message> own;     // the message, and what followed
    std::vector<llm::ToolCall> open;   // calls without a result
    std::vector<llm::ToolResult> results;
    std::size_t steps = 0;
    std::string rules_sha256;
    std::optional<ConversationSummary> summary;
    SpokenLine line;
    ModelTurn turn;
  };

  Result<bool> answer_at_once(const govern::IncomingMessage& message, govern::Trust trust,
                              ModelTurn& turn, std::vector<PromptPart>& findings);
  Result<TurnStart> start(const govern::IncomingMessage& message, ModelTurn& turn);
  Result<TurnStart> start_live(const govern::IncomingMessage& message, ModelTurn& turn);
  Status find(const govern::IncomingMessage& message, TurnStart& start);
  Result<ConversationHistory*> history_of(const std::string& session);
  ContextSources gather(const govern::IncomingMessage& message, TurnStart start,
                        const ConversationHistory& history) const;
  std::int64_t budget() const;
  Result<ModelTurn> go(Running running);
  Result<ModelTurn> run(Running& running);
  Result<bool> make_calls(Running& running);
  Result<TapedCall> call_tool(Running& running);
  Result<TapedCall> call_live(Running& running, const llm::ToolCall& call);
  Status take_outcome(Running& running, const TapedCall& made);
  Status lower(Running& running, govern::Trust trust);
  Status conclude(Running& running, const Result<ModelTurn>& turn);
  Result<GuardSession*> guard_of(const std::string& session);
  bool needs_plan(const Running& running, const GuardSession& guard,
                  const llm::ToolCall& call) const;
  // Made of what was said, with the names of the house.
  Result<std::vector<govern::PlannedTool>> make_plan(Running& running,
                                                     const std::vector<std::string>& said);

  GovernedHouse& house_;
  llm::Model& model_;
  ModelConversationOptions options_;
  ModelTools tools_;
  ask::Conversation talk_;
  std::map<std::string, ConversationHistory> histories_;  // by session
  std::map<std::string, std::unique_ptr<GuardSession>> guards_;
  std::vector<SpokenLine> spoken_;
  std::vector<std::string> recalled_;
  std::string recall_note_;
  std::optional<Running> waiting_;
};

}  // namespace anima::agent
