// GovernedHouse: everything that a message meets, over one space: the gate (gate.h) with its
// executor, approvals and rules, and with it gateway and guardian, planner, the tools, memory, and
// the bus that tells of it.
//
//   ANIMA_ASSIGN(auto house, GovernedHouse::open(space, clock, random, options));
//   ANIMA_ASSIGN(Reply reply, house->handle({.content = "read notes.txt", .channel = "terminal"}));
//
// Decisions, approvals, halts and memories are entries of the space's log, so that any number of
// processes share them. Labels are in force at every door: a call whose arguments took an address,
// a number or four words in a row from a memory that was handed out before, by whatever process, or
// from what this house's tools gave, is judged as that text, and so is a step of a message. A
// message of the owner is his own word, and stays so whoever says the same later; what an
// outsider's text had said before makes it a question to him (memory/recall/recalled_texts.h). What
// the bus tells is kept in the log as well (bus/event_journal.h): of a message when handle()
// returns, else within a second or when the house ends. Every call of an external tool is recorded
// with what went in and came out. Ownership: holds the space; clock and randomness outlive it.
// Thread-safety: one thread at a time. Errors: those of the space, of the policy, of the patterns
// and of tools::check_folders(), of add_own_policies(). Source: HOUSE.md, "How a message walks
// through the house"; governance specification 1.3 to 1.9.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/house/gate.h"
#include "agent/house/kept_memory.h"
#include "agent/house/memory_changes.h"
#include "agent/house/memory_tools.h"
#include "agent/house/message_path.h"
#include "agent/house/own_tools.h"
#include "agent/learnings/own_learnings.h"
#include "agent/loop/agent.h"
#include "agent/telling/told_facts.h"
#include "govern/rules/tool_declaration.h"
#include "memory/recall/recalled_texts.h"
#include "tools/external.h"
#include "tools/mcp/tools_of_others.h"
#include "tools/recorded_tools.h"

namespace anima::agent {

struct HouseOptions {
  tools::ExternalOptions tools = {};
  govern::GatewayOptions gateway = {};
  govern::ApprovalOptions approvals = govern::kPersonAnswers;
  std::string approver_pins =
      {};  // the account's folder (approver_pins.h); empty: nothing is known
  std::optional<govern::PatternSet> patterns = {};      // the guardian's; else the shipped ones
  std::shared_ptr<const govern::TextModel> model = {};  // null: the patterns alone
  // Beside the shipped ones and those of the space, FOLDER/policy, which is followed as well.
  std::vector<std::string> rule_folders = {};
  std::vector<govern::PolicySource> rules = {};
  std::string agent = "executor";  // who asks for the tools
  std::vector<OwnTool> own_tools = {};
  // As what its memory is read and written on its owner's behalf, but for the tools' own use.
  DoorCall door = {"library", "memory", "program", govern::Trust::kOperator};
  Judged judged = Judged::kEach;
  Act writes = Act::kWrites;  // kReads: nothing is remembered
  learn::Thresholds learning = {};
  std::shared_ptr<memory::TextVectors> vectors = {};  // for recall; null: words alone
};

// Who the loop is for the executor, and how far its own words go: safe writes run, what destroys
// waits for an approval.
inline constexpr std::string_view kLoopName = "main";
inline constexpr govern::Trust kLoopTrust = govern::Trust::kStandard;

class GovernedHouse {
 public:
  // With a gate of its own.
  static Result<std::unique_ptr<GovernedHouse>> open(std::shared_ptr<store::Space> space,
                                                     Clock& clock, Random& random,
                                                     HouseOptions options);
  // Behind this gate, whose settings count in place of those of the options.
  static Result<std::unique_ptr<GovernedHouse>> open(std::shared_ptr<Gate> gate,
                                                     HouseOptions options);
  GovernedHouse(const GovernedHouse&) = delete;
  GovernedHouse& operator=(const GovernedHouse&) = delete;

  Result<Reply> handle(const govern::IncomingMessage& message);
  // The same in two steps, for who may answer a line himself: that the line begins, which makes the
  // one before it the last of its conversation (told_facts.h), and what handle() does with it.
  void begin_line(const SaidBy& by);
  Result<Reply> go_on_in_line(const govern::IncomingMessage& message);
  // Lets a message in or refuses it, for who plans by himself and makes call()s of it: the guardian
  // judges it, its words are known from then on with its trust, and nothing is done. From the first
  // one on an argument of which nobody said where it came from, and that says what nobody said
  // (RecalledTexts::is_news), is judged as the least trusted of what was handed out. Errors: those
  // of the space.
  Result<govern::Admission> admit(const govern::IncomingMessage& message);
  // Goes on with a plan that is kept (MessagePath::go_on). `id`: as PlanBook::find() has it.
  Result<Reply> go_on(std::string_view id, StepAnswer answer = StepAnswer::kNone);
  // The sender has the reply (MessagePath::delivered).
  Status delivered(const Reply& reply) { return path_->delivered(reply); }
  // That they are the tool's (tools::check_arguments); also for a tool that there is not, of which
  // call() says that.
  Status check_arguments(std::string_view tool, const Json& arguments) const;
  // One call of a tool, judged like those of a message; one with values
  // (govern/rules/call_values.h) as these say, without what was recalled. Arguments that are not
  // the tool's make it a failed one, before it is judged and before anybody is asked.
  govern::Outcome call(govern::CallRequest request);
  // The same without running anything, for a tool that somebody else runs: done means that it may
  // run. An approval is used up by it, and the audit says that it was let through.
  govern::Outcome judge(govern::CallRequest request);
  // Why the tool of the last call failed.
  std::optional<Error> failure() const { return outputs_.failure(); }
  // The loop of this house (agent.h) with the external tools, which act through call() as the agent
  // kLoopName with the trust kLoopTrust. The house outlives it. Errors: those of Agent::create().
  Result<std::unique_ptr<Agent>> start_agent(memory::CompartmentManager& compartments,
                                             FileSystem& files, AgentConfig config);
  // What the owner taught the agents of the space; null in memory. Errors: those of
  // OwnLearnings::open().
  Result<OwnLearnings*> learnings();
  // Counts what was answered to approvals since.
  Status learn_answers();
  // From now on a tool that runs ends when this asks for it; an empty one asks for nothing.
  void stop_with(std::stop_token stop) { stop_ = std::move(stop); }
  // What call() would say, without running, asking or leaving a trace.
  govern::Decision decide(govern::CallRequest request);
  // The same; a call that is rehearsed is run where it changes nothing, to see what it would do.
  govern::Decision preview(govern::CallRequest request);
  // What commands of the shell changed in the work folder; and taking one back, with an audit entry
  // in the name of `by`. Errors: those of Staging::undo(), of the ledger.
  const tools::effects::Staging& staging() const { return external_.staging(); }
  Status undo_command(std::string_view id, std::string_view by);
  // Remembers what was handed out, for the labels of later calls.
  Result<memory::RecalledContext> recall(std::string_view question,
                                         const memory::ContextOptions& options);
  // The cards that are due by then, and one that is reviewed (MemoryManager::due, review); the
  // texts of both are remembered likewise.
  Result<std::vector<memory::MemoryItem>> due_cards(Timestamp by);
  Result<memory::Card> review_card(std::string_view id, int quality);

  // Stores a text, and what it states as facts (told_facts.h): what the tool memory:store does, for
  // doors that take a text to remember and no message. `self`: who says "I" where the item has no
  // speaker; empty: nobody in particular. A door by which people talk calls begin_line() before.
  struct Remembered {
    memory::StoredMemory stored;  // without an id where it only takes back, or agrees
    Told told;
  };
  Result<Remembered> remember(const memory::NewMemory& item, const std::string& self = {});

  // The sentences of a message of the owner that tells something and asks for nothing; handle()
  // remembers them. Empty: it is another one, or what is said is not to be learnt.
  std::vector<std::string> told_sentences(const govern::IncomingMessage& message);
  // "I live in Oslo. Where do I live?": what a line tells, and what it asks beside that; nothing
  // where it does not do both, or says something else, too.
  struct ToldAndAsked {
    std::string told, asked;
  };
  std::optional<ToldAndAsked> told_and_asked(const govern::IncomingMessage& message);
  // For a message of the owner that nobody understands: the text and the answers of what the line
  // before it asked. False: nothing.
  Result<bool> ask_again(const govern::IncomingMessage& message, Reply& reply);
  // From now on messages are only carried out.
  void learn_nothing_said() { learns_what_is_said_ = false; }
  // What a question of his was answered with, for a correction that names nothing.
  void answered(const SaidBy& by, const std::vector<ask::SaidFact>& facts);

  // What `reader` may see of what is remembered: the best for the words, or without words all by
  // confidence, of a speaker and of nobody in particular; and one of them. Their texts are
  // remembered likewise.
  Result<std::vector<memory::MemoryHit>> memories(std::string_view words, std::string_view reader,
                                                  std::optional<memory::ItemKind> kind,
                                                  std::size_t limit, std::string_view speaker = {});
  Result<std::optional<memory::MemoryItem>> memory(std::string_view id, std::string_view reader);

  // Remembers what its user was given by something else, but for what he had asked with, for the
  // labels of later calls.
  void heard(const Json& answer, govern::Trust trust, std::string_view source,
             const Json& arguments);

  Gate& gate() { return *gate_; }
  bus::EventBus& events() { return gate_->events(); }
  const govern::Guardian& guardian() const { return kept_.guardian; }
  govern::Approvals& approvals() { return gate_->approvals(); }
  PlanBook& plans() { return gate_->plans(); }
  govern::CouncilBook& council() { return gate_->council(); }
  govern::StopSwitch& line() { return gate_->line(); }
  govern::Executor& executor() { return *executor_; }
  memory::MemoryManager& memory() { return memory_; }
  // What is remembered, replaced or withdrawn by its handle.
  MemoryChanges& memory_changes() { return memory_changes_; }
  govern::Ledger& ledger() { return gate_->ledger(); }
  const govern::Ledger& ledger() const { return gate_->ledger(); }
  // What a tool is; null: there is no such tool. Shipped tools are declared in
  // packs/tools/builtin.json, those of others by what the owner added; what only has a row is
  // declared by that.
  const govern::ToolDeclaration* declaration(std::string_view tool) const;
  const OwnTools& own_tools() const { return own_; }
  // Those of MCP servers and manifests that the owner added (tools/mcp/tool_book.h), as of opening.
  const tools::ToolsOfOthers& tools_of_others() const { return others_; }
  store::Space& space() { return *space_; }

 private:
  Result<Reply> told(const govern::IncomingMessage& message, Result<Reply> reply);
  // With the labels of what was recalled and of what tools gave.
  void label(govern::CallRequest& request);
  // In whose name it is made, and what stops it, where nobody says.
  void address(govern::CallRequest& request) const;
  void recall_earlier(const Json& texts);
  void learn(const govern::IncomingMessage& message, govern::Trust trust);
  void learn(std::string_view tool, const Json& arguments, const govern::Outcome& outcome);
  void learn(const memory::MemoryItem& item);
  void handed_out(govern::Trust trust);
  // A failed tool feeds its counter.
  void feed_back(std::string_view tool, const govern::Outcome& outcome);
  GovernedHouse(std::shared_ptr<Gate> gate, HouseOptions options, govern::PatternSet patterns);
  Result<govern::PermissionTable> permissions();
  // Every tool that there is a row for.
  Status declare_tools(const govern::PermissionTable& table);
  Status furnish(govern::PermissionTable permissions);

  std::shared_ptr<Gate> gate_;
  // For the house's own records, and for tools, whose calls the executor judges.
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<store::Space> door_space_;  // as its door sees it
  std::shared_ptr<store::Space> loop_space_;  // as the loop sees it
  std::string agent_;
  Clock& clock_;
  learn::Thresholds thresholds_;
  std::unique_ptr<OwnLearnings> learnings_;  // made when it is first asked for
  KeptMemory kept_;
  memory::MemoryManager& memory_;  // of kept_
  memory::MemoryManager tool_memory_;
  govern::Gateway gateway_;
  tools::ExternalTools external_;
  tools::ToolsOfOthers others_;
  OwnTools own_;
  std::map<std::string, govern::ToolDeclaration, std::less<>> declarations_;
  tools::OutputLog outputs_;
  tools::RecordedTools recorded_;
  MemoryTools tools_;
  LastFacts last_facts_;
  ToldFacts told_facts_, told_by_tools_;
  MemoryChanges memory_changes_;
  bool learns_what_is_said_ = true;
  govern::Executor* executor_ = nullptr;  // of the gate
  std::unique_ptr<MessagePath> path_;
  memory::RecalledTexts recalled_;
  // Whether a message was let in, and the least trusted that was handed out: what nobody said may
  // have been made of that.
  bool asked_ = false;
  std::stop_token stop_;
  govern::Trust least_ = govern::Trust::kSystem;
};

}  // namespace anima::agent
