// The public door of an agent: ask it, give it goals, talk with it, and hear what it does.
//
//   auto agent = anima::Agent::open("/home/ada/space", {.create = true}).value();
//   agent.subscribe("agent:cycle", [](const anima::Event& event) { log(event.payload); });
//   std::puts(agent.ask("Which services run on borea?")->text.c_str());
//   anima::Response done = agent.run("read the file ./notes.txt").value();
//   if (done.status == anima::ResponseStatus::kWaiting) agent.grant(done.approval_ids.front());
//
// These are the calls that everybody needs. They work over one folder with the guardian,
// policy, approvals, labels, sandbox and memory of `anima run` and `anima chat`; nothing needs a
// language model, and run() may have one (AgentOptions::model). governed() has the rest for
// specialists, memory() the knowledge.
//
// The owner speaks here: a line of chat() and a remembered text have the trust of kOperator unless
// said otherwise. What a tool or a memory gave keeps its own label, and an argument that took
// something from it is judged by that (docs/governance.md).
//
// An Agent shares what is open with its copies. Several, and `anima` on the same folder, see the
// same log, approvals and halts. Errors: Result<T> (base/result.h): those of the space; a refusal,
// or a question that is not understood, is a Response and no error. Nothing throws. Thread-safety:
// every function from any thread; they take turns, but for Limits::stop and what ends an agent.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "anima/calls.h"
#include "anima/memory.h"

namespace anima {

class GovernedAgent;

// A language model that the loop of run() may ask: what goes to it, and what it may do, is
// docs/models.md. The key comes from a variable of the environment or from a file of mode 0600, as
// docs/models.md, "Keys" says. What is left empty is as it is in the configuration there.
struct LanguageModel {
  std::string provider = "openai";  // or "openai-responses", "anthropic"
  std::string url = {};             // "http://127.0.0.1:8080/v1"
  std::string model = {};           // as the provider calls it
  std::string key_env = {}, key_file = {};
  std::int64_t context_tokens = 32'768;
  std::int64_t max_tokens = 4096;  // of one answer
};

struct AgentOptions {
  bool create = false;                     // as OpenOptions::create
  std::string name = "main";               // whose goals and psyche it has
  std::string work_folder = {};            // of its files and commands; empty: FOLDER/work
  std::vector<std::string> readable = {};  // folders that it may read beside it, absolute
  std::vector<std::string> rules = {};     // Datalog policy beside the shipped and the owner's
  std::vector<OwnTool> tools = {};         // of your own, for chat() and call()
  std::optional<LanguageModel> model = {};
  std::string fetcher = {};  // as GovernedAgentOptions::fetcher
};

// When a call ends whether it is done or not: a tool that runs is ended, the cycle that works is
// the last one. What was done stays done and recorded; the goal stays open.
struct Limits {
  std::stop_token stop = {};
  std::chrono::milliseconds time{0};  // 0: as long as it takes
  std::uint64_t cycles = 10;          // of the loop
};

enum class ResponseStatus : std::uint8_t {
  kAnswered,       // a question: exactly, with its proof
  kDone,           // a task, or a goal
  kFound,          // no exact answer: what is known about what was named
  kWaiting,        // for approval_ids: the same again after grant() goes on
  kRefused,        // by guardian, policy or a person: why(refusal_id)
  kNotUnderstood,  // missing: the words that nothing here knows
  kFailed,         // text says of what
  kOpen,           // the cycles are used up
  kStopped,        // Limits::stop or Limits::time
};
std::string_view to_string(ResponseStatus status);  // "answered" ..

struct Response {
  ResponseStatus status = ResponseStatus::kDone;
  std::string text;  // for a person
  std::vector<std::string> missing;
  std::vector<std::string> approval_ids;
  std::string refusal_id;
  std::uint64_t cycles = 0;  // that the loop took
  Json details;              // of a question its query and proof (docs/ask.md), else goal or reply
};

class Agent {
 public:
  // Errors: as GovernedAgent::open().
  static Result<Agent> open(const std::string& folder, const AgentOptions& options = {});
  // Over a memory that is open already. Errors: the same; kInvalidArgument (it has no folder).
  static Result<Agent> over(const Memory& memory, const AgentOptions& options = {});
  ~Agent();
  Agent(const Agent&);
  Agent& operator=(const Agent&);
  Agent(Agent&&) noexcept;
  Agent& operator=(Agent&&) noexcept;

  // A question in plain words, answered at once from what the space holds; nothing is written.
  // Those of one session follow each other ("and its owner?").
  // `speaker`: as AskSettings::speaker.
  Result<Response> ask(std::string_view question, std::string_view session = "default",
                       std::optional<std::string_view> speaker = {});
  // Works on a goal with the agent's own trust (standard) until it is reached, fails, waits, or a
  // limit is met; said again it goes on. A goal that is a question is answered. Where there is a
  // language model the loop may ask it, and what it does is judged like all else.
  Result<Response> run(std::string_view goal, const Limits& limits = {});
  // A line of the owner: a task is carried out, a question answered, else what is known is told.
  Result<Response> chat(std::string_view line, std::string_view session = "default",
                        const Limits& limits = {});

  // Keeps a text, and as facts what it states. `speaker`: whose words they are, who says "I";
  // without one "I work at Initech" is asked back. `author`: in whose name; empty: "library".
  // Errors: kDenied when it was quarantined, kInvalidArgument (Keeping::speaker).
  Result<Remembered> remember(std::string_view text, TrustLevel trust = TrustLevel::kOperator,
                              std::string_view source = "library",
                              std::optional<std::string_view> speaker = {},
                              std::string_view author = {});
  // What is remembered, one of it changed or withdrawn with what it stated, and what was asked back
  // about it: as GovernedAgent has them.
  Result<std::vector<RememberedText>> memories(const MemoryQuery& query = {});
  Result<Remembered> update_memory(std::string_view id, std::string_view text,
                                   std::optional<std::string_view> speaker = {},
                                   std::string_view author = {});
  Result<std::vector<std::string>> forget_memory(std::string_view id);
  Result<std::vector<std::string>> would_forget(std::string_view id);
  Result<std::vector<OpenQuestion>> questions();
  Result<Remembered> answer(std::string_view question, std::string_view answer);
  // What memory and graph hold on a question, fenced and labelled, for a model's prompt.
  // `speaker`: as ContextRequest::speaker.
  Result<Context> recall(std::string_view question, std::size_t budget_tokens = 1500,
                         std::optional<std::string_view> speaker = {});
  // One tool, judged like all others.
  Result<CallResult> call(const ToolCall& call);

  // The calls that wait for a person, in the order asked; a yes for exactly that call, once, and a
  // no. Errors: kNotFound, kConflict (answered, used or expired already).
  Result<std::vector<ApprovalRequest>> waiting() const;
  Status grant(std::string_view approval_id);
  Status deny(std::string_view approval_id, std::string_view reason = "no");
  // The rule, pattern or layer behind a refusal, with its evidence.
  Result<Json> why(std::string_view refusal_id) const;

  // Hears of each event of this agent as it is told after its call: `type` is a whole type
  // ("agent:cycle": a decision with every candidate; "executor:result";
  // "permission:approval_required"), a beginning that ends with ':', or "*".
  [[nodiscard]] Subscription subscribe(std::string_view type,
                                       std::function<void(const Event&)> handler);

  GovernedAgent& governed();
  Memory& memory();

 private:
  struct State;
  explicit Agent(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace anima
