#include "anima/guarded_session.h"

#include <utility>

#include "agent/conversation/guard_session.h"
#include "library/detail/call_words.h"
#include "library/detail/open_agent.h"

namespace anima {
namespace {

constexpr std::string_view kGuardSource = "guarded session";

Judgement judgement_from(agent::GuardVerdict verdict) {
  Judgement judgement;
  fill_result(judgement, std::move(verdict.outcome));
  judgement.call = verdict.call;
  judgement.because = std::move(verdict.because);
  judgement.arguments = std::move(verdict.arguments);
  return judgement;
}

}  // namespace

struct GuardedSession::State {
  Agent door;
  std::shared_ptr<detail::OpenAgent> agent;  // outlives the session in its house
  std::string name;
  std::unique_ptr<agent::GuardSession> session;
};

GuardedSession::GuardedSession(std::shared_ptr<State> state) : state_(std::move(state)) {}
GuardedSession::~GuardedSession() = default;
GuardedSession::GuardedSession(const GuardedSession&) = default;
GuardedSession& GuardedSession::operator=(const GuardedSession&) = default;
GuardedSession::GuardedSession(GuardedSession&&) noexcept = default;
GuardedSession& GuardedSession::operator=(GuardedSession&&) noexcept = default;

Result<GuardedSession> GuardedSession::open(const Agent& agent, std::string_view session) {
  auto state = std::make_shared<State>(State{agent, agent.state_, std::string(session), {}});
  const detail::OpenAgent::Turn turn(*state->agent);
  if (!turn) return turn.refused();
  agent::GuardOptions options;
  options.session = session;
  options.origin = {.author = "library", .source = std::string(kGuardSource)};
  ANIMA_ASSIGN(state->session, agent::GuardSession::open(*state->agent->house, std::move(options)));
  return GuardedSession(std::move(state));
}

Result<Response> GuardedSession::begin(const Message& message) {
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  govern::IncomingMessage incoming = incoming_from(message);
  incoming.session = state_->name;
  ANIMA_ASSIGN(const govern::Admission admission, state_->session->begin(incoming));
  Response response;
  response.details = Json::object(
      {{"message", admission.message_id}, {"trust", govern::trust_name(admission.trust)}});
  if (admission.accepted()) return response;
  response.outcome = Outcome::kBlocked;
  response.text = admission.reason;
  response.refusal_id = admission.audit_id;
  return response;
}

Status GuardedSession::plan(const std::vector<PlannedCall>& calls) {
  const detail::OpenAgent::Turn turn(*state_->agent);
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
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->contacts(values);
}

Result<Judgement> GuardedSession::judge(std::string_view tool, const Json& arguments) {
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->judge(tool, arguments).map(judgement_from);
}

Status GuardedSession::observe(std::int64_t call, const Json& result, Shown shown) {
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->observe(call, result, shown == Shown::kToModel);
}

Result<Judgement> GuardedSession::call(std::string_view tool, const Json& arguments, Shown shown) {
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->call(tool, arguments, shown == Shown::kToModel).map(judgement_from);
}

Status GuardedSession::told(TrustLevel trust) {
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->told(trust_of(trust));
}

Status GuardedSession::cleared() {
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->cleared();
}

Status GuardedSession::end() {
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->end();
}

Result<std::vector<ApprovalRequest>> GuardedSession::waiting() const {
  return state_->door.waiting();
}
Status GuardedSession::grant(std::string_view approval_id) {
  return state_->door.grant(approval_id);
}
Status GuardedSession::deny(std::string_view approval_id, std::string_view reason) {
  return state_->door.deny(approval_id, reason);
}
Result<AuditRecord> GuardedSession::why(std::string_view refusal_id) const {
  return state_->door.why(refusal_id);
}

Result<TrustLevel> GuardedSession::floor() const {
  const detail::OpenAgent::Turn turn(*state_->agent);
  if (!turn) return turn.refused();
  return state_->session->floor().map(level_of);
}

}  // namespace anima
