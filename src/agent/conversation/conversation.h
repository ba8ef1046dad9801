// A conversation without a model: each line is judged and carried out as a message, and a line that
// asks for nothing that can be done is answered from the graph, as a goal of the agent.
//
//   Conversation conversation(house, agent);
//   Turn turn = conversation.say({.content = "What orbits the Sun?", .channel = "terminal"});
//
// A line that the guardian lets pass, that asks for no task and tells nothing
// (ask/parse/statements/saying.h), and that the space can be asked, is answered at once, and
// nothing is kept of it. Every other line goes through the message path (message_path.h), so the
// guardian, the policy and the approvals judge it, whatever it is. What the planner cannot make
// tasks of is answered by the wording of a loaded compartment, else by its own words (ask/ask.h),
// which keeps nothing. What is no question for either becomes a goal when it names something of the
// graph, and what was found about the names is told. Else the answer is that nothing is known, with
// the words that nothing is known about and what could be asked. Each exchange is remembered in the
// message's session. "No, because .." of the owner counts as a refusal of what was done or proposed
// last (own_learnings.h), and nothing else happens. Errors: those of the space alone.
// Thread-safety: one thread at a time. Ownership: what is passed in outlives it. Source:
// learning_and_psyche 2.16.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/house/governed_house.h"
#include "agent/loop/agent.h"
#include "agent/telling/space_asker.h"

namespace anima::agent {

enum class TurnKind : std::uint8_t {
  kReply,     // the message path's: done, waiting, refused ..
  kAnswer,    // a pack's rules, or the question's own words, answered exactly
  kFindings,  // what is known about what the line names
  kUnknown,
};
std::string_view to_string(TurnKind kind);

struct Turn {
  TurnKind kind = TurnKind::kReply;
  std::string text;
  Reply reply;
  std::optional<memory::QuestionAnswer> answer;  // of kAnswer, by a pack's wording
  std::optional<ask::Answer> asked;              // what the question's own words gave
  std::string goal;                              // its label, when one was worked on
  std::uint64_t cycles = 0;                      // that it took
  std::vector<std::string> about;                // labels of the graph that the line names
  std::vector<std::string> missing;              // its words that nothing here says anything about
  std::vector<std::string> can_ask;              // of kUnknown: examples, and what can be done
  Json to_json() const;                          // without the answer's rows and proof
};

struct ConversationOptions {
  SpaceAsker* asker = nullptr;    // questions go to it before a goal is made of them; outlives
  std::uint64_t max_cycles = 10;  // of one line
  std::function<void(const CycleReport&)> seen = {};     // hears of each cycle
  std::function<bool()> stopped = [] { return false; };  // asked after each cycle
};

class Conversation {
 public:
  Conversation(GovernedHouse& house, Agent& agent, ConversationOptions options = {});

  // One line. A turn that waits for an approval is said again after it was granted, and goes on
  // where it waited. Whoever shows the turn says so to the house (GovernedHouse::delivered).
  Result<Turn> say(const govern::IncomingMessage& message);

 private:
  Status ask_graph(const govern::IncomingMessage& message, Turn& turn);
  Status respond(const govern::IncomingMessage& message, Turn& turn);
  Status respond_to(const GovernedHouse::ToldAndAsked& parts, govern::IncomingMessage message,
                    Turn& turn);
  // Whether it was a refusal of what went before.
  Result<bool> take_refusal(const govern::IncomingMessage& message, Turn& turn);
  Result<bool> answer_at_once(const govern::IncomingMessage& message, Turn& turn);
  bool ask_in_words(const govern::IncomingMessage& message, Turn& turn);
  Result<std::string> work_on(const std::string& question, Turn& turn);
  void tell_known(const std::string& question, Turn& turn);
  void tell_findings(const std::string& question, Turn& turn);
  void tell_unknown(Turn& turn);
  Status remember(const govern::IncomingMessage& message, Turn& turn);

  GovernedHouse& house_;
  Agent& agent_;
  ConversationOptions options_;
  std::string last_action_;  // kind_of_action() of what was done or proposed last; empty: nothing
  ask::Conversation talk_;   // what was asked before, for "and its owner?"
};

}  // namespace anima::agent
