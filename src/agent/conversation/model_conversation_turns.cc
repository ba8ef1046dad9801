// A conversation with a model: how its turns begin and end, with the tape that keeps them.
#include "agent/conversation/detail/told_context.h"
#include "agent/conversation/model_conversation.h"
#include "agent/conversation/model_plan.h"
#include "agent/conversation/session_floor.h"

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
  ANIMA_ASSIGN(GuardSession * guard, guard_of(message.session));
  ANIMA_TRY(guard->begin(message, admission));
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

Result<GuardSession*> ModelConversation::guard_of(const std::string& session) {
  std::unique_ptr<GuardSession>& guard = guards_[session];
  if (guard == nullptr) {
    ANIMA_ASSIGN(guard, GuardSession::open(house_, {session, options_.origin}));
  }
  return guard.get();
}

bool ModelConversation::needs_plan(const Running& running, const GuardSession& guard,
                                   const llm::ToolCall& call) const {
  if (options_.mode != ModelMode::kPlanFirst || guard.has_plan()) return false;
  const govern::ToolDeclaration* tool = house_.declaration(tools_.house_name(call.name));
  return tool != nullptr && tool->acts() && running.turn.floor < govern::Trust::kStandard;
}

// A model that makes none leaves an empty one: each call that acts is asked about.
Result<std::vector<govern::PlannedTool>> ModelConversation::make_plan(
    Running& running, const std::vector<std::string>& said) {
  auto plan = plan_message(model_, tools_.definitions(), said, {{}, options_.stop});
  if (!plan && plan.error().code == ErrorCode::kCancelled) return fail(plan.error());
  if (!plan) return std::vector<govern::PlannedTool>();
  running.turn.usage = llm::sum(running.turn.usage, plan->usage);
  for (govern::PlannedTool& step : plan->steps) step.tool = tools_.house_name(step.tool);
  return std::move(plan->steps);
}

// What the model will be told of a call lowers the floor before anything else is done.
Result<TapedCall> ModelConversation::call_live(Running& running, const llm::ToolCall& call) {
  ANIMA_ASSIGN(GuardSession * guard, guard_of(running.session));
  TapedCall made;
  if (needs_plan(running, *guard, call)) {
    made.planned = guard->said();
    ANIMA_ASSIGN(const std::vector<govern::PlannedTool> plan, make_plan(running, *made.planned));
    ANIMA_TRY(guard->plan(plan));
  }
  ANIMA_ASSIGN(GuardVerdict verdict, tools_.call(call, *guard));
  made.outcome = std::move(verdict.outcome);
  made.number = verdict.call;
  ANIMA_TRY(lower(running, govern::Trust::kSystem));
  made.floor = running.turn.floor;
  return made;
}

Result<TapedCall> ModelConversation::call_tool(Running& running) {
  const llm::ToolCall& call = running.open.front();
  if (options_.tape == nullptr) return call_live(running, call);
  bool live = false;
  ANIMA_ASSIGN(TapedCall made, options_.tape->call(call, [&] {
    live = true;
    return call_live(running, call);
  }));
  // A turn that is repeated has its plan made again.
  if (made.planned && !live) ANIMA_TRY(make_plan(running, *made.planned).map([](const auto&) {}));
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
  ANIMA_ASSIGN(GuardSession * guard, guard_of(session));
  ANIMA_TRY(guard->cleared());
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
