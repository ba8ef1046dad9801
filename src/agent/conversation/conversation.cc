#include "agent/conversation/conversation.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/findings/grammar.h"
#include "agent/plans/planner.h"
#include "base/json/json_member.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "memory/compartments/questions.h"

namespace anima::agent {
namespace {

constexpr std::size_t kMaxAskable = 5;

std::string quoted_list(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == words.size() ? " and " : ", ", words[i]);
  }
  return out;
}

// The hits of a search of memory that was the whole plan; null when it was something else.
const JsonArray* hits_of(const Reply& reply) {
  if (reply.kind != ReplyKind::kAnswered || reply.tasks.size() != 1) return nullptr;
  const TaskReport& task = reply.tasks.front();
  const Json* hits = task.tool == "memory:search" ? task.outcome.result.find("hits") : nullptr;
  return hits != nullptr && hits->is_array() ? &hits->as_array() : nullptr;
}

bool over(const Goal* goal) {
  return goal == nullptr || goal->status == GoalStatus::kCompleted ||
         goal->status == GoalStatus::kFailed;
}

// Of the last step that calls a tool; of what was only said, "answer".
std::string action_of(const Turn& turn) {
  const Json* const tasks = turn.reply.plan.find("tasks");
  for (auto step = turn.reply.tasks.rbegin(); step != turn.reply.tasks.rend(); ++step) {
    if (step->tool.empty()) continue;
    Json parameters = Json::object();
    for (const Json& task : tasks == nullptr ? JsonArray() : tasks->as_array()) {
      const Json* const given = task.find("parameters");
      if (text_member(task, "id") == step->task && given != nullptr) parameters = *given;
    }
    return kind_of_action(step->tool, parameters);
  }
  return "answer";
}

}  // namespace

std::string_view to_string(TurnKind kind) {
  switch (kind) {
    case TurnKind::kReply:
      return "reply";
    case TurnKind::kAnswer:
      return "answer";
    case TurnKind::kFindings:
      return "findings";
    case TurnKind::kUnknown:
      return "unknown";
  }
  return "reply";
}

Json Turn::to_json() const {
  return Json::object({{"type", "turn"},
                       {"kind", to_string(kind)},
                       {"text", text},
                       {"about", text_array(about)},
                       {"missing", text_array(missing)},
                       {"can_ask", text_array(can_ask)},
                       {"goal", goal.empty() ? Json() : Json(goal)},
                       {"cycles", cycles},
                       {"reply", reply.to_json()}});
}

Conversation::Conversation(GovernedHouse& house, Agent& agent, ConversationOptions options)
    : house_(house), agent_(agent), options_(std::move(options)) {}

Result<Turn> Conversation::say(const govern::IncomingMessage& message) {
  Turn turn;
  ANIMA_ASSIGN(const bool refusal, take_refusal(message, turn));
  if (refusal) return turn;
  house_.begin_line({message.sender, {}, session_source(message.session)});
  if (const auto parts = house_.told_and_asked(message)) {
    ANIMA_TRY(respond_to(*parts, message, turn));
  } else {
    ANIMA_TRY(respond(message, turn));
  }
  last_action_ = action_of(turn);
  return turn;
}

Status Conversation::respond(const govern::IncomingMessage& message, Turn& turn) {
  ANIMA_ASSIGN(const bool answered, answer_at_once(message, turn));
  if (answered) return {};
  ANIMA_ASSIGN(turn.reply, house_.go_on_in_line(message));
  turn.text = turn.reply.text;
  const JsonArray* hits = hits_of(turn.reply);
  const bool nothing_found = hits != nullptr && hits->empty();
  const bool asks = !turn.reply.plan_id.empty() || turn.reply.asks_again;
  if (turn.reply.kind == ReplyKind::kClarify && asks) {
    // A step of its plan is in doubt, or what was told before: no question to the graph.
    turn.can_ask = turn.reply.options;
    return {};
  }
  if (turn.reply.kind != ReplyKind::kClarify && !nothing_found) return {};
  ANIMA_TRY(ask_graph(message, turn));
  return remember(message, turn);
}

// What is told first, so that the answer knows of it.
Status Conversation::respond_to(const GovernedHouse::ToldAndAsked& parts,
                                govern::IncomingMessage message, Turn& turn) {
  Turn telling;
  message.content = parts.told;
  ANIMA_TRY(respond(message, telling));
  message.content = parts.asked;
  ANIMA_TRY(respond(message, turn));
  turn.text = telling.text + "\n" + turn.text;
  return {};
}

Result<bool> Conversation::take_refusal(const govern::IncomingMessage& message, Turn& turn) {
  const std::optional<std::string> reason = reason_of_refusal(message.content);
  if (!reason || last_action_.empty()) return false;
  auto trust = govern::channel_trust(message.channel).value_or(govern::Trust::kUntrusted);
  if (message.source) {
    trust = govern::lowest(
        trust, govern::parse_trust(*message.source).value_or(govern::Trust::kUntrusted));
  }
  const bool calm =
      house_.guardian().assess(message.content, trust).action == govern::Action::kAllow;
  if (!calm || trust < govern::Trust::kOperator) return false;
  ANIMA_ASSIGN(OwnLearnings* const own, house_.learnings());
  if (own == nullptr) return false;
  // What cannot be counted ends no conversation.
  const auto tracked = own->refused(last_action_, *reason, trust);
  if (tracked) {
    turn.text =
        fmt::format("Noted: no {}, because {} ({} so far).", last_action_, *reason, tracked->n);
    if (!tracked->saves.empty()) turn.text += " It is learnt; anima learnings list --shard owner.";
  } else {
    turn.text = fmt::format("No {}, because {}; but it could not be noted: {}.", last_action_,
                            *reason, tracked.error().describe());
  }
  turn.reply.text = turn.text;
  last_action_.clear();
  return true;
}

// Reading writes nothing, so there is nothing to put into the ledger or to remember.
Result<bool> Conversation::answer_at_once(const govern::IncomingMessage& message, Turn& turn) {
  if (options_.asker == nullptr) return false;
  const auto trust = govern::channel_trust(message.channel).value_or(govern::Trust::kUntrusted);
  const govern::Assessment assessment = house_.guardian().assess(message.content, trust);
  if (assessment.action != govern::Action::kAllow) return false;
  const auto plan = plan_request(message.content, {});
  if (!plan || plan->intent != Intent::kAmbiguous) return false;
  if (plan->no_request && !house_.told_sentences(message).empty()) return false;
  turn.reply.options = plan->options;
  if (!ask_in_words(message, turn)) {
    turn = {};
    return false;
  }
  turn.reply.kind = ReplyKind::kClarify;  // no task was carried out
  turn.reply.text = turn.text;
  return true;
}

// False when the words are no question that the space could be asked.
bool Conversation::ask_in_words(const govern::IncomingMessage& message, Turn& turn) {
  const std::string& question = message.content;
  if (options_.asker == nullptr || agent_.understand(question)) return false;
  ask::AskOptions options;
  options.speaker = message.sender;
  ask::Answer answer = options_.asker->ask(question, options, &talk_);
  house_.answered({message.sender, {}, session_source(message.session)}, answer.facts);
  const bool refused = answer.status == ask::AnswerStatus::kNotUnderstood;
  if (refused && (answer.reason == "not_a_question" || !memory::looks_like_question(question)))
    return false;
  // Whoever has read what somebody told can put it into what he says next.
  const Json asked = Json::object({{"question", question}});
  for (const ask::ToldText& told : answer.told)
    house_.heard(Json(told.text), told.trust, "memory:" + told.memory, asked);
  turn.kind = refused ? TurnKind::kUnknown : TurnKind::kAnswer;
  turn.text = answer.text;
  turn.missing = answer.unknown;
  turn.can_ask = answer.next;
  if (refused)
    turn.can_ask.insert(turn.can_ask.end(), turn.reply.options.begin(), turn.reply.options.end());
  if (answer.reason == "no_parse") tell_known(question, turn);
  turn.asked = std::move(answer);
  return true;
}

// All its words are known and the sentence is not understood: what is said of the things it names.
void Conversation::tell_known(const std::string& question, Turn& turn) {
  const auto about = agent_.mentioned(question);
  if (!about) return;
  turn.about = *about;
  for (const std::string& label : turn.about) {
    const auto known = agent_.perform("kg_query", {{"symbol", label}});
    if (known && known->success) turn.text += "\n" + known->result;
  }
}

Status Conversation::ask_graph(const govern::IncomingMessage& message, Turn& turn) {
  const std::string& question = message.content;
  if (ask_in_words(message, turn)) return {};
  ANIMA_ASSIGN(turn.about, agent_.mentioned(question));
  ANIMA_ASSIGN(turn.missing, agent_.unknown_words(question));
  if (turn.about.empty() && !agent_.understand(question)) {
    tell_unknown(turn);
    return {};
  }
  ANIMA_ASSIGN(turn.goal, work_on(question, turn));
  if (turn.answer) {
    turn.kind = TurnKind::kAnswer;
    turn.text = turn.answer->text + ".";
  } else {
    tell_findings(question, turn);
  }
  return {};
}

// The goal is worked on before all others, and none of it is left open.
Result<std::string> Conversation::work_on(const std::string& question, Turn& turn) {
  const auto open = agent_.goals().active();
  unsigned priority = kDefaultPriority;
  if (!open.empty()) priority = std::max(priority, open.front()->priority + 1U);
  ANIMA_ASSIGN(const std::string label,
               agent_.add_goal(question, static_cast<std::uint8_t>(std::min(priority, 255U))));
  for (; turn.cycles < options_.max_cycles && !over(agent_.goals().find(label)); ++turn.cycles) {
    ANIMA_ASSIGN(const CycleReport report, agent_.run_cycle());
    if (report.goal == label && report.answer) turn.answer = report.answer;
    if (options_.seen) options_.seen(report);
    if (options_.stopped()) break;
  }
  std::vector<std::string> rest = agent_.goals().find(label)->children;
  rest.push_back(label);
  for (const std::string& each : rest) {
    if (over(agent_.goals().find(each))) continue;
    ANIMA_TRY(agent_.set_goal_status(each, GoalStatus::kFailed, "the conversation went on"));
  }
  return label;
}

void Conversation::tell_findings(const std::string& question, Turn& turn) {
  Document document = agent_.findings(turn.goal);
  // What is known; not how well it is connected.
  std::erase_if(document.sections, [](const Section& section) {
    return section.kind == SectionKind::kGaps || section.kind == SectionKind::kReasoning;
  });
  if (document.sections.empty()) return tell_unknown(turn);
  turn.kind = TurnKind::kFindings;
  turn.text.clear();
  if (memory::looks_like_question(question)) {
    turn.text = fmt::format("I cannot answer that exactly. What I know about {}:\n\n",
                            quoted_list(turn.about));
  }
  turn.text += std::string(trim(agent_.tell(document)));
  if (!turn.missing.empty()) {
    turn.text += fmt::format("\n\nNothing here says anything about {}.", quoted_list(turn.missing));
  }
}

void Conversation::tell_unknown(Turn& turn) {
  turn.kind = TurnKind::kUnknown;
  turn.text = "I do not know.";
  if (!turn.missing.empty()) {
    turn.text += fmt::format(" Nothing here says anything about {}.", quoted_list(turn.missing));
  } else if (!turn.about.empty()) {
    turn.text += fmt::format(" No fact about {} was found.", quoted_list(turn.about));
  } else {
    turn.text += " The line names nothing that is in the graph, and no task.";
  }
  turn.can_ask = agent_.askable();
  if (turn.can_ask.size() > kMaxAskable) turn.can_ask.resize(kMaxAskable);
  for (std::string& question : turn.can_ask) question += "?";
  turn.can_ask.insert(turn.can_ask.end(), turn.reply.options.begin(), turn.reply.options.end());
}

// As the message path does for what it carries out.
Status Conversation::remember(const govern::IncomingMessage& message, Turn& turn) {
  memory::NewMemory item;
  item.kind = memory::ItemKind::kSession;
  item.type = memory::ItemType::kContext;
  item.partition = memory::Partition::kInternal;
  item.content = fmt::format("{}\n{}: {}", message.content, to_string(turn.kind), turn.text);
  item.created_by = message.sender;
  item.source = message.channel;
  item.session = message.session;
  // Facts of the graph went into it, whoever stated them.
  item.trust = govern::lowest(turn.reply.admission.trust, govern::Trust::kUntrusted);
  item.request_id = turn.reply.admission.message_id;
  ANIMA_ASSIGN(const memory::StoredMemory stored, house_.memory().store(item));
  turn.reply.memory_id = stored.id;
  return {};
}

}  // namespace anima::agent
