// /v1: the memory over HTTP, in JSON. Routes are those of routes.h; what they do is what the tools
// of MCP do (serve/mcp_tools/mcp_memory.h, ask_tool.h, kip_tool.h) and the verbs of the program
// (agent/house/space_reads.h, undo_acts.h).
//
// Each request is a call of the door "http:DOOR" by its caller, as far trusted as its token.
// Answers are the tools' results without an envelope; what went wrong is a problem (RFC 9457). What
// a request writes is one act. Thread-safety: handle() from any thread; requests that need the
// house take turns, and one that waits too long is answered 503. What goes on (/v1/events) is fed
// by the keeper of streams. Ownership: what is passed in outlives it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "agent/house/undo_acts.h"
#include "serve/completions/options.h"
#include "serve/http/message.h"
#include "serve/http/stream_keeper.h"
#include "serve/memory_parts.h"
#include "serve/turn_line.h"
#include "serve/v1/caller_tools.h"
#include "serve/v1/kept_answers.h"
#include "serve/v1/routes.h"

namespace anima::serve::completions {
class GuardedChat;
}

namespace anima::serve::v1 {

struct Call {
  const http::Request& request;
  const Route& route;
  std::string id;  // of the path
  Json body;       // an object
  std::stop_token stop = {};

  const std::string* query(std::string_view name) const;
};

struct ApiOptions {
  bool readonly = false;
  std::chrono::milliseconds turn_limit{30'000};
  std::stop_token stop = {};  // cancels what runs
  // Of events: how long a reader may take nothing, and whether a request is still let in.
  std::chrono::milliseconds slow{10'000};
  std::function<bool(const http::Request&)> admitted = {};
  completions::CompletionsOptions completions = {};
};

class Api {
 public:
  ~Api();
  Api(MemoryParts& parts, HouseTurn& turn, http::StreamKeeper& keeper, ApiOptions options);

  http::Response handle(const http::Request& request);

  // The handlers of the routes.
  http::Response remember(const Call& call);
  http::Response list_memories(const Call& call);
  http::Response show_memory(const Call& call);
  http::Response update_memory(const Call& call);
  http::Response forget_memory(const Call& call);
  http::Response recall(const Call& call);
  http::Response ask(const Call& call);
  http::Response why(const Call& call);
  http::Response kip(const Call& call);
  http::Response kip_readonly(const Call& call);
  http::Response me(const Call& call);
  http::Response things(const Call& call);
  http::Response facts(const Call& call);
  http::Response history(const Call& call);
  http::Response entry(const Call& call);
  http::Response undo(const Call& call);
  http::Response changes(const Call& call);
  http::Response events(const Call& call);
  http::Response statistics(const Call& call);
  http::Response list_questions(const Call& call);
  http::Response answer_question(const Call& call);
  http::Response list_approvals(const Call& call);
  http::Response show_approval(const Call& call);
  http::Response grant_approval(const Call& call);
  http::Response deny_approval(const Call& call);
  http::Response statement_of_approval(const Call& call);
  http::Response answer_approval(const Call& call);
  http::Response sleep_cycles(const Call& call);
  http::Response runs(const Call& call);
  http::Response show_run(const Call& call);
  http::Response chat_completion(const Call& call);
  http::Response models(const Call& call);

 private:
  std::shared_ptr<CallerTools> tools_of(const http::Caller& caller);
  HouseTurn::Held turn() { return turn_.take(options_.turn_limit); }

  http::Response judged(Call& call);
  http::Response once(Call& call);
  http::Response run(const Call& call);
  http::Response by_tool(const Call& call, std::string_view tool, const Json& arguments,
                         unsigned good = 200);
  // The state that the call asks for.
  Result<store::Snapshot> snapshot_of(const Call& call) const;
  // Whether If-Match lets the memory be changed; an answer when not. With the turn.
  std::optional<http::Response> unless_matched(const Call& call, CallerTools& tools);
  bool sees(const http::Caller& caller, const govern::Approval& approval) const;

  MemoryParts& parts_;
  HouseTurn& turn_;
  http::StreamKeeper& keeper_;
  const ApiOptions options_;
  KeptAnswers kept_;
  std::unique_ptr<completions::GuardedChat> chat_;  // null: completions are off
  std::mutex tools_mutex_;
  std::map<std::string, std::shared_ptr<CallerTools>> tools_;
};

}  // namespace anima::serve::v1
