#include "anima/guarded_session.h"

#include <utility>

#include "agent/conversation/guard_session.h"
#include "library/detail/agent_state.h"
#include "library/detail/call_words.h"

namespace anima {
namespace {

constexpr std::string_view kGuardSource = "guarded session";

Judgement judgement_from(agent::GuardVerdict verdict) {
  Judgement judgement;
  govern::Outcome& outcome = verdict.outcome;
  judgement.outcome = outcome_of_call(outcome.kind);
  judgement.call = verdict.call;
  judgement.reason = std::move(outcome.reason);
  judgement.because = std::move(verdict.because);
  judgement.approval_id = std::move(outcome.approval_id);
  const bool refused = judgement.outcome != Outcome::kDone && judgement.outcome != Outcome::kFailed;
  if (refused) judgement.refusal_id = std::move(outcome.audit_id);
  judgement.arguments = std::move(verdict.arguments);
  judgement.result = std::move(outcome.result);
  judgement.trust = level_of(outcome.output_trust);
  return judgement;
}

}  // namespace

struct GuardedSession::State {
  std::shared_ptr<GovernedAgent::State> agent;  // outlives the session in its house
  std::string name;
  std::unique_ptr<agent::GuardSession> session;
};

GuardedSession::GuardedSession(std::shared_ptr<State> state) : state_(std::move(state)) {}
GuardedSession::~GuardedSession() = default;
GuardedSession::GuardedSession(const GuardedSession&) = default;
GuardedSession& GuardedSession::operator=(const GuardedSession&) = default;
GuardedSession::GuardedSession(GuardedSession&&) noexcept = default;
GuardedSession& GuardedSession::operator=(GuardedSession&&) noexcept = default;

Result<GuardedSession> GuardedSession::open(const GovernedAgent& agent, std::string_view session) {
  auto state = std::make_shared<State>();
  state->agent = agent.state_;
  state->name = session;
  const GovernedAgent::State::Turn turn(*state->agent);
  if (!turn) return turn.refused();
  agent::GuardOptions options;
  options.session = session;
  options.origin = {.author = "library", .source = std::string(kGuardSource)};
  ANIMA_ASSIGN(state->session, agent::GuardSession::open(*state->agent->house, std::move(options)));
  return GuardedSession(std::move(state));
}

Result<Answer> GuardedSession::begin(const Message& message) {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  govern::IncomingMessage incoming = incoming_from(message);
  incoming.session = state_->name;
  ANIMA_ASSIGN(const govern::Admission admission, state_->session->begin(incoming));
  Answer answer;
  answer.details = Json::object(
      {{"message", admission.message_id}, {"trust", govern::trust_name(admission.trust)}});
  if (admission.accepted()) return answer;
  answer.outcome = Outcome::kBlocked;
  answer.text = admission.reason;
  answer.refusal_id = admission.audit_id;
  return answer;
}

Status GuardedSession::plan(const std::vector<PlannedCall>& calls) {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  std::vector<govern::PlannedTool> steps;
  for (const PlannedCall& each : calls) {
    if (state_->agent->house->declaration(each.tool) == nullptr) {
      return fail(ErrorCode::kNotFound, "the plan has a tool that there is not: " + each.tool);
    }
    steps.push_back({each.tool, each.most, each.arguments});
  }
  return state_->session->plan(steps);
}

Status GuardedSession::contacts(const std::vector<Json>& values) {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->contacts(values);
}

Result<Judgement> GuardedSession::judge(std::string_view tool, const Json& arguments) {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->judge(tool, arguments).map(judgement_from);
}

Status GuardedSession::observe(std::int64_t call, const Json& result, bool shown) {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->observe(call, result, shown);
}

Result<Judgement> GuardedSession::call(std::string_view tool, const Json& arguments, bool shown) {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->call(tool, arguments, shown).map(judgement_from);
}

Status GuardedSession::told(TrustLevel trust) {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->told(trust_of(trust));
}

Status GuardedSession::cleared() {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->cleared();
}

Status GuardedSession::end() {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->end();
}

Result<TrustLevel> GuardedSession::floor() const {
  const GovernedAgent::State::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->floor().map(level_of);
}

}  // namespace anima
