// The public door of an agent: ask it, give it goals, talk with it, let it judge what is to be
// done, and hear what it does.
//
//   auto agent = anima::Agent::open("/home/ada/space", {.create = true}).value();
//   agent.subscribe("agent:cycle", [](const anima::Event& event) { log(event.payload); });
//   std::puts(agent.ask("Which services run on borea?")->text.c_str());
//   anima::Response done = agent.run("read the file ./notes.txt").value();
//   if (done.outcome == anima::Outcome::kWaiting) agent.grant(done.approval_ids.front());
//
// It works over one folder with the guardian, policy, approvals, labels, sandbox and memory of
// `anima run` and `anima chat`; nothing needs a language model, and run() may have one
// (AgentOptions::model). The calls that everybody needs come first, those of governance behind
// them; memory() is the knowledge.
//
// The owner speaks here: a line of chat() and a remembered text have the trust of kOperator unless
// said otherwise. What a tool or a memory gave keeps its own label: an argument that took an
// address or four words in a row from it has that label, whatever a model says, and a call is
// judged by the least trusted of who wants it and of what its arguments were made from
// (docs/governance.md).
//
// handle() takes a message and its channel through the whole house: the guardian judges it, the
// planner makes tasks of it, the executor judges each (allow-list, trust, tier, policy, approvals)
// and runs it, memory keeps the exchange. `events` of the Response tells, in order, what happened:
// guardian:assessment_complete, core:route, planner:task_ready, for each task
// executor:task_complete and executor:result, then memory:stored and core:response; a blocked
// message stops after the first. A message whose step waits for an approval is kept with what was
// done of it. Once the approval is granted the same message again, or continue_plan(), goes on from
// that step: nothing is done twice, and what is left is judged as of then
// (docs/governance_approvals.md).
//
// Who plans by a language model of his own asks recall() for the prompt and makes call()s of what
// the model wants; or stands behind a GuardedSession (guarded_session.h).
//
// An Agent shares what is open with its copies. Several, and `anima` on the same folder, see the
// same log, approvals and halts. Errors: Result<T> (base/result.h): those of the space, kDenied (a
// role that may not), kNotFound, kInvalidArgument, kConflict; a refusal, or a question that is not
// understood, is an answer and no error. Nothing throws. Thread-safety: every function from any
// thread; they take turns, but for the stops, Limits::stop and what ends an agent.
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
#include "anima/governance.h"
#include "anima/memory.h"

namespace anima {

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

// How messages, and texts from outside, are looked at before anything is done with them.
struct GuardianOptions {
  std::string patterns = {};      // TOML as packs/guardian/patterns.toml; empty: those
  bool text_model = false;        // the guardian's second stage
  bool text_detection = true;     // false: the guardian's analysis is left out
  int messages_per_minute = 100;  // of one sender on one channel; 0 = any number
};

struct AgentOptions {
  bool create = false;                     // as OpenOptions::create
  std::string name = "main";               // whose goals and psyche it has
  std::string work_folder = {};            // of file and shell tools; empty: FOLDER/work; it
                                           // may not hold FOLDER, nor rules
  std::vector<std::string> readable = {};  // folders that may be read beside it, absolute
  // Datalog beside the shipped policy and the owner's files, which hold as they are at each call:
  // FOLDER/policy/*.mg, /etc/anima/policy/*.mg, $XDG_CONFIG_HOME/anima/policy/*.mg. While one of
  // those cannot be read every call is refused (docs/governance_policy.md).
  std::vector<std::string> rules = {};
  std::vector<OwnTool> tools = {};          // of your own, beside the shipped ones
  std::optional<LanguageModel> model = {};  // of run()
  // The program anima-fetch, which the tool http:fetch runs; empty: beside this program, or in
  // ../libexec/anima.
  std::string fetcher = {};
  GuardianOptions guardian = {};
};

// When a call ends whether it is done or not: a tool that runs is ended, the cycle that works is
// the last one. What was done stays done and recorded; the goal stays open.
struct Limits {
  std::stop_token stop = {};
  std::chrono::milliseconds time{0};  // 0: as long as it takes
  std::uint64_t cycles = 10;          // of the loop
};

class Agent {
 public:
  // Reads `[embeddings]` of /etc/anima/config.toml, $XDG_CONFIG_HOME/anima/config.toml,
  // FOLDER/config.toml and ANIMA_EMBEDDINGS_*, and no other setting. Errors: those of
  // Memory::open(), of the rules, of these options; of tools kInvalidArgument (no name, no
  // function, a declaration that is none), kAlreadyExists.
  static Result<Agent> open(const std::string& folder, const AgentOptions& options = {});
  // Over a memory that is open already. One without a folder has no loop, so that run() and chat()
  // are kUnsupported; name a work folder there, or tools of files and shell fail.
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

  // Keeps a text, and as facts what it states, unless it is closed (docs/learning_from_talk.md).
  // All of it is one act, which an undo of one of its entries takes back. What is sensitive or has
  // readers is no fact of Memory::kip(). Said again by the operator it becomes as closed as he
  // says, never wider. Errors: kDenied when it was quarantined, as what an outsider calls sensitive
  // is; kInvalidArgument (a speaker that is no name, a reader whom the partition keeps out).
  Result<Remembered> remember(std::string_view text, const Keeping& keeping = {});
  // What a reader may see of what is remembered. Counted as accesses when it is by words; for what
  // is called later the texts count as recalled. Errors: kInvalidArgument (no such kind).
  Result<std::vector<RememberedText>> memories(const MemoryQuery& query = {});
  // One of them. Errors: kNotFound, also when it is not for this reader (which is audited then).
  Result<RememberedText> remembered(std::string_view id, std::string_view reader = "planner");
  // Puts a text in the place of a memory, as the owner's word from the time of the first text on,
  // and takes back what that stated. Whose words it is stays, unless a speaker is named. Errors:
  // kNotFound; kDenied (trusted more than the owner, or quarantined: the memory is as it was).
  Result<Remembered> update_memory(std::string_view id, std::string_view text,
                                   std::optional<std::string_view> speaker = {},
                                   std::string_view author = {});
  // Withdraws a memory and what it stated; gives the facts that hold no more. Errors: kNotFound.
  Result<std::vector<std::string>> forget_memory(std::string_view id);
  // What that would take back.
  Result<std::vector<std::string>> would_forget(std::string_view id);
  // What was asked back and nobody has answered, the newest first.
  Result<std::vector<OpenQuestion>> questions();
  // "yes", "no" or one of the choices. Errors: kNotFound (no such question), kInvalidArgument (none
  // of its answers).
  Result<Remembered> answer(std::string_view question, std::string_view answer);
  // What memory and graph hold on a question, fenced and labelled, for a model's prompt. By meaning
  // as well, where `[embeddings]` of the settings names a server (docs/recall.md, "Vectors") and
  // `anima memory embed` has run; `details` has a "note" when it goes by words alone.
  Result<Context> recall(std::string_view question, const RecallSettings& settings = {});

  // One tool, judged like all others.
  Result<CallResult> call(const ToolCall& call);
  // Judges without running, asking or leaving a trace. outcome: kDone, kWaiting or kDenied; kFailed
  // when the arguments are not the tool's, which call() says as well before anybody is asked.
  Result<CallResult> would_call(const ToolCall& call) const;
  // All that call() knows, by name.
  std::vector<ToolDescription> tools() const;

  // The calls that wait for a person, in the order asked.
  Result<std::vector<ApprovalRequest>> waiting() const;
  // These, and the answered ones behind them.
  Result<std::vector<ApprovalRequest>> approvals() const;
  // How one stands: for who waits for an answer. An id may be shortened to a beginning that only
  // one has, here and below. Errors: kNotFound.
  Result<ApprovalRequest> approval(std::string_view approval_id) const;
  // Once, for exactly that call, within five minutes. `by`: operator, arbiter, overseer; never who
  // asked. Also of one that was denied, within five minutes. Errors: kNotFound, kDenied (no
  // approver), kConflict (granted, used or expired already).
  Status grant(std::string_view approval_id, std::string_view by = "operator");
  // Also takes back a grant that is not used. For five minutes the call is denied with the reason;
  // made again after that, or by the operator, it asks anew. Errors: the same.
  Status deny(std::string_view approval_id, std::string_view reason = "no",
              std::string_view by = "operator");
  // The rule, pattern or layer behind a refusal, with its evidence. Errors: kNotFound.
  Result<AuditRecord> why(std::string_view refusal_id) const;
  // Grants that together would have allowed it and of which none can be left out, at the lowest
  // levels of trust that do; empty: nobody can grant it.
  Result<std::vector<std::string>> what_would_allow(std::string_view refusal_id) const;

  // `handler` hears what this agent tells of its own calls from now on, event by event, in order:
  // of one `type` ("agent:cycle": a decision with every candidate; "executor:result";
  // "permission:approval_required"), of all that begin with it when it ends with ':', or of all
  // ("*"). It runs on a thread that uses this agent, one event at a time, when the call that caused
  // it has had its turn, so that it may call this agent; as a rule before that call returns. One
  // that throws stops nobody (system:handler_error). What other processes do: events_behind().
  [[nodiscard]] Subscription subscribe(std::string_view type,
                                       std::function<void(const Event&)> handler);

  Memory& memory();

  // A message and its channel through the whole house. Event types and payloads:
  // docs/governance.md.
  Result<Response> handle(const Message& message);
  // For who plans by a model of his own: lets the message in (kDone) or refuses it (kBlocked), and
  // does nothing for it. Its words have its trust in the call()s that follow, whatever else they
  // are found in; and an argument that says what nobody said, of which `labels` name no source, is
  // judged as the least trusted of all that was handed out, so that what a model decoded or
  // rewrote of an outsider's text is held as what it copied.
  Result<Response> admit(const Message& message);
  // The guardian alone. O(text).
  Assessment assess(std::string_view text, TrustLevel trust = TrustLevel::kUntrusted) const;

  // The messages that can go on, in the order begun. A day after it began a plan is over.
  Result<std::vector<OpenPlan>> plans() const;
  // Goes on with one, as its message sent again does. `id`: its own or that of an approval that it
  // waits for, or a beginning that only one has. Errors: kNotFound, kBusy (somebody works on it),
  // kConflict (it is over, or no step is in doubt), kInvalidArgument (a step needs what the one in
  // doubt gave).
  Result<Response> continue_plan(std::string_view id, UnfinishedStep step = UnfinishedStep::kAsk);
  // Ends it: its message, sent again, begins anew. Errors: kNotFound, kBusy, kConflict.
  Status abandon_plan(std::string_view id);

  // Its confidence decays half as fast then. `by`: arbiter, overseer, guardian. Errors: kNotFound.
  Status verify_memory(std::string_view id, std::string_view by = "guardian");
  // Forgets what was said in a session; gives how much.
  Result<std::size_t> end_session(std::string_view session);
  Result<std::string> remember_card(std::string_view front, std::string_view back,
                                    const Keeping& keeping = {});
  // Those that are due within so many days, the earliest first.
  Result<std::vector<LearningCard>> due_cards(std::int64_t within_days = 0) const;
  // `quality`: 0 (no idea) to 5 (at once). Errors: kInvalidArgument, kNotFound.
  Result<LearningCard> review_card(std::string_view id, int quality);

  // `risk`: "low", "medium", "high", "critical": 9, 9, 10 or 15 approvals. Ends after an hour.
  Result<std::string> propose(std::string_view topic, std::string_view risk = "low");
  // In the operator's name for a member ("guardian"); `ballot`: "approve", "reject", "abstain".
  // Errors: kDenied (no member), kConflict (closed), kTimeout, kNotFound, kInvalidArgument.
  Status vote(std::string_view proposal_id, std::string_view member, std::string_view ballot);
  // Ends a vote in the member's domain. Errors: the same; kDenied (not its domain).
  Status veto(std::string_view proposal_id, std::string_view member, std::string_view domain,
              std::string_view reason);
  Result<CouncilProposal> proposal(std::string_view proposal_id) const;

  // What happened behind a log entry (0: from the start), in order, whichever process did it: at
  // least `limit` events when there are as many, and those of an entry whole. Events of call() may
  // come up to a second late. O(log behind the entry).
  Result<std::vector<KeptEvent>> events_behind(std::uint64_t entry, std::size_t limit = 1000) const;

  // The decisions behind a log entry, in order, whichever process took them; with `action` those
  // alone. At least `limit` when there are as many, and those of an entry whole. O(log behind it).
  Result<std::vector<AuditRecord>> audit_behind(std::uint64_t entry, std::size_t limit = 1000,
                                                std::string_view action = {}) const;

  // Stops every tool of every process of the space, until resume(): the call that runs is the last.
  // Neither of the stops, nor a look at the line, waits for it.
  Status halt(std::string_view reason);
  // The same until two persons, the operator and the arbiter, have lifted it: `anima guard resume`.
  Status emergency_stop(std::string_view agent, std::string_view reason);
  Status resume();  // errors: kConflict while an emergency stop stands
  bool halted() const;
  Result<LineStatus> line() const;

 private:
  friend class GuardedSession;  // judges in the same house
  struct State;
  explicit Agent(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace anima
