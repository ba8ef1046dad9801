// What Agent and GuardedSession speak in: messages and answers, calls of tools and what came of
// them, tools of your own, approvals, events, what is remembered and recalled. Plain values, but
// for Subscription.
//
// Trust travels with all of them: a call is judged by the least trusted of who wants it and of what
// its arguments were made from (docs/governance.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anima/memory.h"

namespace anima {

struct Message {
  std::string content = {};
  // "terminal" (operator), "agent_key" (standard), "http", "mcp", "email", "file" (untrusted).
  std::string channel = "terminal";
  std::optional<TrustLevel> trust = {};  // less than the channel has; more counts for nothing
  std::string sender = "local";          // whose behaviour is counted
  std::string session = "default";       // whose memory keeps the exchange
  // The address of a sender on the network: any but this one is refused.
  std::string peer = "127.0.0.1";
};

struct Event {
  std::string type;
  Json payload;
};

// What came of something that an agent was asked, told or wanted to do.
enum class Outcome : std::uint8_t {
  kAnswered,       // a question: exactly, with its proof
  kDone,           // a task, a goal, a call; a message was let in, a call may run
  kFound,          // no exact answer: what is known about what was named
  kWaiting,        // for an approval: the same again after it was granted goes on from there
  kDenied,         // by policy or a person: why(refusal_id)
  kBlocked,        // the guardian, or the gateway: nothing was read
  kClarify,        // asked back: what is meant, or what came of a step that was interrupted
  kNotUnderstood,  // missing: the words that nothing here knows
  kFailed,         // the tool failed; text or reason says of what
  kOpen,           // the cycles are used up
  kStopped,        // Limits::stop or Limits::time
  kHalted,         // the line is stopped
  kBusy,           // too many calls run, or somebody else works on that very message
};
std::string_view to_string(Outcome outcome);  // "answered" ..
// Whether it came to what was wanted.
constexpr bool succeeded(Outcome outcome) { return outcome <= Outcome::kFound; }
static_assert(static_cast<int>(Outcome::kFound) == 2);

// What came of a question, a goal, a line or a message.
struct Response {
  Outcome outcome = Outcome::kDone;
  std::string text;                       // for a person
  std::vector<std::string> missing;       // words that nothing here knows
  std::vector<std::string> options;       // of what is asked back
  std::vector<std::string> approval_ids;  // when it waits
  std::string refusal_id;                 // for why(), when something was refused
  std::string plan_id;                    // of the message's steps, when there were any
  std::uint64_t cycles = 0;               // that the loop took
  // The number of the first log entry of what was written; Memory::undo() of it takes back all of
  // that, and nothing that others wrote meanwhile. 0: nothing was, or a goal: each cycle is an act.
  std::uint64_t entry = 0;
  std::vector<Event> events;  // of a message: what happened, in order
  Json details;               // of a question its query and proof (docs/ask.md), else goal or reply
};

// What an argument of a call was made from.
struct ArgumentLabel {
  std::string argument;
  TrustLevel trust = TrustLevel::kUntrusted;
  std::string source = "caller";
};

struct ToolCall {
  std::string tool = {};  // "file:write"; `anima tool list`
  Json arguments = Json::object();
  TrustLevel caller = TrustLevel::kStandard;  // who wants it: a model is no owner
  // The least trust of all that it was made from: Context::label; the owner's own words are
  // kOperator. Counts for every argument. Who says nothing is not trusted.
  TrustLevel label = TrustLevel::kUntrusted;
  std::vector<ArgumentLabel> labels = {};  // the same, argument by argument
};

struct CallResult {
  Outcome outcome = Outcome::kDenied;
  Json result;                                // of the tool, when done
  std::string reason;                         // for every other outcome
  TrustLevel trust = TrustLevel::kUntrusted;  // of the result
  std::string approval_id, refusal_id;
  std::vector<std::string> missing;  // grants that a refused call lacks: what_would_allow()
  std::uint64_t entry = 0;           // as Response::entry
};

// A call that waits, or waited, for a person.
struct ApprovalRequest {
  std::string id;
  std::string tool, agent;
  Json arguments;  // exact; the approval is bound to them
  TrustLevel trust = TrustLevel::kUntrusted;
  std::string reason;           // why it is needed; of a rejected one why it was
  Json evidence;                // labels of arguments, what a command would change
  std::string status = {};      // "pending", "approved", "rejected", "expired", "used"
  std::string decided_by = {};  // empty while it is pending
  std::string asked, expires;   // ISO 8601; of an answered one: until when the answer counts
  std::vector<std::string> plan_ids = {};  // whose steps wait for it
};

enum class ToolTier : std::uint8_t {
  kReadOnly,          // any trust
  kWriteSafe,         // standard
  kWriteDestructive,  // the owner, each call confirmed
  kAdmin,             // system, each call confirmed
};
std::string_view to_string(ToolTier tier);  // "READ_ONLY" ..

struct ToolParameter {
  std::string name;
  bool required = false;
  std::string description = {};
};

// What a model can be told of a tool that call() runs.
struct ToolDescription {
  std::string name, description;
  ToolTier tier = ToolTier::kReadOnly;
  std::vector<ToolParameter> parameters;
};

// A tool of your own. It is judged, audited and recorded like those that are shipped; no sandbox
// and no time limit holds it. Rules see its arguments by their names: what is called `to`, `url` or
// `command` falls under the shipped policy (packs/policy/prelude.mg).
struct OwnTool {
  std::string name = {};  // "mail:send": letters, digits, _ . : - /
  std::string description = {};
  ToolTier tier = ToolTier::kWriteSafe;
  // What it takes; a call that lacks a required one or names another fails. Empty: anything.
  std::vector<ToolParameter> parameters = {};
  std::vector<std::string> carried = {};  // arguments that choose nothing: the text of a letter
  TrustLevel output_trust = TrustLevel::kUntrusted;  // the most that its result is trusted
  // In the turn of the call, on its thread: it asks nothing of the same agent. What it throws is a
  // failed call.
  std::function<Result<Json>(const Json& arguments)> run = {};
  // What the tool is, as data (docs/governance_values.md): its effects, the role of each argument,
  // the trust and the readers of each field of its result. All above but `run` is then said here.
  // Without `run` the tool is one that the program runs itself (GuardedSession::judge).
  Json declaration = {};
};

// Ends what was subscribed when it goes; may outlive the agent.
class Subscription {
 public:
  Subscription() = default;
  explicit Subscription(std::shared_ptr<void> held) : held_(std::move(held)) {}
  void cancel() { held_.reset(); }

 private:
  std::shared_ptr<void> held_;
};

// A remembered text with its provenance.
struct RememberedText {
  std::string id;
  std::string kind, type, partition;  // "knowledge"; "FACT"; "PUBLIC"
  std::vector<std::string> readers;   // whom of the partition's; empty: all of them
  std::string content;
  TrustLevel trust = TrustLevel::kUntrusted;
  double confidence = 0;  // decayed to now
  std::string author, source, session, created, verified_by;
  std::string speaker;  // whose words they are; empty: nobody in particular
  double score = 0;     // of a search
};

struct MemoryQuery {
  std::string text = {};  // words to look for; empty: everything, by confidence
  std::string kind = {};  // "session", "learning", "knowledge"; empty: all
  // With whose eyes. "operator" sees all; so do arbiter, overseer and guardian what is quarantined
  // (type "QUARANTINE", found without words only).
  std::string reader = "planner";
  std::size_t limit = 20;
  // Only what this person said, and what nobody in particular did; none: of everybody.
  std::optional<std::string> speaker = {};
};

// How a text is kept. `partition`: who may read it, "PUBLIC" (every agent), "INTERNAL" (core,
// router, planner, executor, memory_keeper, guardian, arbiter, overseer), "SENSITIVE" (the last
// three); `readers`: whom of these, empty for all; the owner always.
struct Keeping {
  TrustLevel trust = TrustLevel::kOperator;  // less for the words of somebody else
  std::string source = "library";            // where the text comes from
  // The person whose words they are, who says "I" in them; none: nobody in particular, and what
  // "I" says is asked back. Equal texts of two speakers are two memories; a speaker is a name
  // without control characters and "$", of at most 200 bytes, and not blank.
  std::optional<std::string> speaker = {};
  std::string author = {};  // in whose name it is kept; empty: "library"
  std::string partition = "PUBLIC";
  std::vector<std::string> readers = {};
};

// What came of a text that was kept or changed, or of an answer to what was asked back
// (docs/learning_from_talk.md).
struct Remembered {
  std::string id;             // of the memory that has the text; empty: it took something back, or
                              // answered, and is not kept
  bool known_before = false;  // the memory had this text already
  std::string stated;         // as a fact, in the words of the space: "Ada phone 333"; empty: none
  std::string corrected;      // "Ada's phone: 333, was 111"
  std::vector<std::string> taken_back;  // facts that hold no more: "Ada's phone: no longer 333"
  std::string left_over;                // the words or signs for which a sentence is a text alone
  std::string asks;      // what is asked back, or what keeps it from being answered; empty: nothing
  std::string question;  // its id, for answer(); empty: no answer decides it
  std::string proposes;  // what a "yes" notes
  std::vector<std::string> choices;  // what may be answered beside "no"
  std::uint64_t entry = 0;           // as Response::entry
};

// What was asked back about a text, and nobody has answered.
struct OpenQuestion {
  std::string id, text;  // of the question; the text that it is about
  std::string asks, proposes;
  std::vector<std::string> choices;
  std::string memory;  // the id of the text, where it is kept
  std::string author, source, said;
  TrustLevel trust = TrustLevel::kUntrusted;  // of who said it
  std::string speaker;                        // who says "I" in it
};

// What is recalled for a prompt, and for whom.
struct RecallSettings {
  std::size_t budget_tokens = 1500;  // of four bytes; at least 150
  // Of what is remembered only what this person said, and what nobody in particular did; of what
  // was told as facts likewise. None: of everybody.
  std::optional<std::string> speaker = {};
  // Whose memories go into the prompt: the planner's, PUBLIC and INTERNAL; "operator" adds what is
  // SENSITIVE, "router", "core" and others of the source see what the planner sees.
  std::string reader = "planner";
  bool facts = true;  // the graph too
  // Who "I" is among those who speak in conversations; empty: the speaker, and without one "user",
  // "me" or "human".
  std::string asker = {};
};

struct Context {
  std::string text;                           // for the prompt
  TrustLevel label = TrustLevel::kSystem;     // the least of all that went in
  std::size_t items = 0, left_out = 0;        // left out for want of room
  std::size_t quarantined = 0, withheld = 0;  // found, and not for this reader
  Json details;  // each item with trust, source, author and log entries
};

}  // namespace anima
