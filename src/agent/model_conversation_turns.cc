// A conversation with a model: how its turns begin and end, with the tape that keeps them.
#include "agent/detail/told_context.h"
#include "agent/model_conversation.h"
#include "agent/session_floor.h"

namespace anima::agent {

Result<TurnStart> ModelConversation::start(const govern::IncomingMessage& message,
                                           ModelTurn& turn) {
  if (options_.tape == nullptr) return start_live(message, turn);
  return options_.tape->start(message, [&] { return start_live(message, turn); });
}

Result<TurnStart> ModelConversation::start_live(const govern::IncomingMessage& message,
                                                ModelTurn& turn) {
  TurnStart begun;
  ANIMA_ASSIGN(const govern::Admission admission, house_.admit(message));
  begun.accepted = admission.accepted();
  begun.trust = admission.trust;
  begun.reason = admission.reason;
  ANIMA_ASSIGN(begun.floor, session_floor(house_.space(), message.session));
  if (!begun.accepted) return begun;
  ANIMA_ASSIGN(const bool answered, answer_at_once(message, admission.trust, turn, begun.findings));
  if (answered) {
    begun.answer = turn.text;
    begun.answer_trust = turn.floor;
    return begun;
  }
  ANIMA_ASSIGN(const store::Snapshot now, house_.space().snapshot());
  ANIMA_TRY(detail::tell_core(now, begun));
  ANIMA_TRY(find(message, begun));
  return begun;
}

// What the model will be told of a call lowers the floor before anything else is done.
Result<TapedCall> ModelConversation::call_tool(Running& running) {
  const llm::ToolCall& call = running.open.front();
  const auto live = [&]() -> Result<TapedCall> {
    TapedCall made;
    made.outcome = tools_.call(call, running.caller, running.turn.floor);
    const bool done = made.outcome.kind == govern::Outcome::Kind::kDone;
    const bool told = done ? !ModelTools::only_acts(tools_.house_name(call.name))
                           : made.outcome.kind == govern::Outcome::Kind::kFailed;
    if (told) ANIMA_TRY(lower(running, made.outcome.output_trust));
    made.floor = running.turn.floor;
    return made;
  };
  if (options_.tape == nullptr) return live();
  ANIMA_ASSIGN(TapedCall made, options_.tape->call(call, live));
  ANIMA_TRY(lower(running, made.floor));
  return made;
}

Result<ConversationHistory*> ModelConversation::history_of(const std::string& session) {
  const auto known = histories_.find(session);
  if (known != histories_.end()) return &known->second;
  ANIMA_ASSIGN(ConversationHistory history, read_history(house_.space(), session));
  return &histories_.emplace(session, std::move(history)).first->second;
}

void ModelConversation::restore(const std::string& session, ConversationHistory history) {
  histories_.insert_or_assign(session, std::move(history));
}

Status ModelConversation::clear(const std::string& session) {
  waiting_.reset();
  ANIMA_TRY(clear_session(house_.space(), options_.origin, session));
  restore(session, {});
  if (options_.tape != nullptr) options_.tape->begin_anew();
  return {};
}

Status ModelConversation::conclude(Running& running, const Result<ModelTurn>& turn) {
  TurnEnd end;
  end.floor = running.turn.floor;
  end.summary = running.summary;
  end.turn = turn ? turn->to_json() : Json::object({{"error", to_string(turn.error().code)}});
  const bool whole =
      turn && (turn->kind == ModelTurnKind::kReply || turn->kind == ModelTurnKind::kAnswered);
  if (whole) {
    end.told = running.own;
    ANIMA_ASSIGN(ConversationHistory * history, history_of(running.session));
    history->add(std::move(running.own), running.turn.floor, running.session);
    running.line.trust = govern::lowest(running.line.trust, running.turn.floor);
    spoken_.push_back(std::move(running.line));
  }
  return options_.tape == nullptr ? Status() : options_.tape->end(end);
}

}  // namespace anima::agent
