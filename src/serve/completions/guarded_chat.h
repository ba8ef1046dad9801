// GuardedChat: Anima between a client of a language model and the model (/v1/chat/completions).
//
// What memory holds on the last message of the user is told to the model before it, fenced and as
// data. The tools are the client's own: it runs them, and Anima judges their calls by a guarded
// session (agent/conversation/guard_session.h), so each must be declared (`anima serve --tools`). A
// call that may not run is not handed out: the model is told why and asked again, and the client
// finds it among the stopped ones. Results of tools come with the client's next request and are
// known by the number in the call's id. With `learn`, facts that the user's message states are kept
// when the model has answered.
//
// Each conversation is a session of its caller's, known again by its messages, by the ids of its
// calls, or by the name that the client gives it. One whose messages are not those that were said
// here, as after a restart or where a client cut its history short, is untrusted from then on. A
// session's floor only falls: docs/governance_values.md. Thread-safety: any thread; works with the
// house in its turn, and calls the model outside of it. Ownership: what is passed in outlives it.
// Errors: those of the model and of the space; kInvalidArgument (a tool that is not declared);
// kDenied (a message that is not let in); kBusy (no turn).
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "agent/conversation/guard_session.h"
#include "llm/models.h"
#include "serve/completions/chat_form.h"
#include "serve/completions/options.h"
#include "serve/memory_parts.h"
#include "serve/turn_line.h"

namespace anima::serve::completions {

class GuardedChat {
 public:
  GuardedChat(MemoryParts& parts, HouseTurn& turn, CompletionsOptions options,
              std::chrono::milliseconds turn_limit)
      : parts_(parts), turn_(turn), options_(std::move(options)), turn_limit_(turn_limit) {}

  llm::Models& models() { return *options_.models; }
  // The model of that name; "auto": by tier and budget. Errors: kNotFound, kLimitExceeded.
  Result<llm::Model*> model(const std::string& name);
  // That every tool is declared.
  Status check_tools(const llm::Request& request);

  struct Asked {
    http::Caller caller;
    std::string session;  // as the client names it; empty: it is known by its messages
    std::string request;  // its id, for the act of what is learnt
    ChatRequest chat;
  };
  // `sink` hears the text while it is made.
  Result<ChatAnswer> answer(Asked asked, llm::StreamSink sink, std::stop_token stop);

 private:
  struct Turn;  // one request on its way

  std::string known_conversation(const Turn& turn) const;
  void remember(const Turn& turn);
  Result<std::shared_ptr<agent::GuardSession>> session_of(const http::Caller& caller,
                                                          const std::string& name);
  Status begin(Turn& turn);
  Status begin_message(Turn& turn);
  Status hear_results(Turn& turn);
  Status recall(Turn& turn);
  Status make_plan(Turn& turn, const std::vector<llm::ToolCall>& calls);
  Status judge(Turn& turn, llm::Reply& reply, std::vector<llm::ToolResult>& refused);
  Status learn(Turn& turn);

  MemoryParts& parts_;
  HouseTurn& turn_;
  const CompletionsOptions options_;
  const std::chrono::milliseconds turn_limit_;
  // With the turn.
  std::map<std::string, std::shared_ptr<agent::GuardSession>> sessions_;
  // Conversations by the digest of what was said in them; the newest.
  std::map<std::string, std::string> known_;
  std::deque<std::string> newest_;
};

}  // namespace anima::serve::completions
