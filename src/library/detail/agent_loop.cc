#include "library/detail/agent_loop.h"

#include <algorithm>

#include "agent/conversation/model_thought.h"
#include "base/text/text.h"
#include "library/detail/call_words.h"
#include "library/detail/watch.h"
#include "memory/compartments/pack_signature.h"
#include "memory/compartments/questions.h"

namespace anima::detail {
namespace {

govern::IncomingMessage line_of(std::string_view text, std::string_view session) {
  govern::IncomingMessage message;
  message.content = text;
  message.channel = "terminal";
  message.sender = "library";
  message.session = session;
  return message;
}

Outcome outcome_of_turn(const agent::Turn& turn) {
  switch (turn.kind) {
    case agent::TurnKind::kAnswer:
      return turn.asked ? response_from(*turn.asked).outcome : Outcome::kAnswered;
    case agent::TurnKind::kFindings:
      return Outcome::kFound;
    case agent::TurnKind::kUnknown:
      return Outcome::kNotUnderstood;
    case agent::TurnKind::kReply:
      break;
  }
  return outcome_of_reply(turn.reply.kind);
}

}  // namespace

store::Origin agent_origin() {
  return {"library", "anima::Agent", store::Trust::kOperator, store::Sequence::kNone};
}

Response response_from(const ask::Answer& answer) {
  Response response;
  response.outcome =
      answer.status == ask::AnswerStatus::kAnswered || answer.status == ask::AnswerStatus::kEmpty
          ? Outcome::kAnswered
          : Outcome::kNotUnderstood;
  response.text = answer.text;
  response.missing = answer.unknown;
  response.details = answer.to_json();
  return response;
}

Result<std::unique_ptr<AgentLoop>> AgentLoop::open(OpenAgent& agent) {
  if (agent.space->folder().empty())
    return fail(ErrorCode::kUnsupported, "a memory without a folder has no loop of an agent", {},
                "Agent::open() with a folder");
  std::unique_ptr<AgentLoop> made(new AgentLoop(agent));
  ANIMA_TRY(made->furnish());
  return made;
}

Result<AgentLoop*> loop_of(OpenAgent& agent) {
  if (agent.loop == nullptr) {
    ANIMA_ASSIGN(agent.loop, AgentLoop::open(agent));
  }
  return agent.loop.get();
}

Status AgentLoop::furnish() {
  store::Space& space = *agent_.space;
  const store::Origin origin = agent_origin();
  compartments_ = std::make_unique<memory::CompartmentManager>(
      space, system_files(), join_path(space.folder(), "compartments"));
  ANIMA_ASSIGN(const auto keys, memory::read_accepted_keys(system_files(), space.folder()));
  std::vector<PublicKey> accepted;
  for (const memory::AcceptedKey& key : keys) accepted.push_back(key.key);
  compartments_->accept_keys(std::move(accepted));
  ANIMA_TRY(compartments_->start(origin));
  agent::AgentConfig config;
  config.name = agent_.name;
  config.origin = origin;
  ANIMA_ASSIGN(loop_, agent_.house->start_agent(*compartments_, system_files(), std::move(config)));
  ANIMA_ASSIGN(asker_, agent_.asking());
  if (agent_.model == nullptr) return {};
  loop_->tools().add(agent::make_model_thought(
      *agent_.house, agent_.model->model(),
      {asker_, origin, agent_.model->session(), [this] { return stop_; }}));
  return {};
}

agent::Conversation& AgentLoop::conversation(std::string_view session) {
  const auto known = conversations_.find(session);
  if (known != conversations_.end()) return known->second;
  agent::ConversationOptions options;
  options.asker = asker_;
  options.seen = [this](const agent::CycleReport& report) { seen(report); };
  options.stopped = [this] { return stop_.stop_requested(); };
  return conversations_
      .emplace(std::string(session), agent::Conversation(*agent_.house, *loop_, std::move(options)))
      .first->second;
}

Result<Response> AgentLoop::work_on(std::string_view goal, std::uint64_t most) {
  const auto open = loop_->goals().active();
  unsigned priority = agent::kDefaultPriority;
  if (!open.empty()) priority = std::max(priority, open.front()->priority + 1U);
  ANIMA_ASSIGN(const std::string label,
               loop_->add_goal(goal, static_cast<std::uint8_t>(std::min(priority, 255U))));
  ANIMA_ASSIGN(const agent::RunEnd end, loop_->run_until_complete(most, [&](const auto& report) {
    ++cycles_;
    seen(report);
    if (report.goal == label && report.answer) answer_ = report.answer;
    if (const auto id = report.success ? std::string_view() : tools::approval_in(report.result);
        !id.empty())
      approval_ids_.emplace_back(id);
    const agent::Goal* now = loop_->goals().find(label);
    const bool over =
        now->status == agent::GoalStatus::kCompleted || now->status == agent::GoalStatus::kFailed;
    return !over && approval_ids_.empty() && !stop_.stop_requested();
  }));
  return response_of(label, end);
}

Response AgentLoop::response_of(const std::string& label, agent::RunEnd end) const {
  const agent::Goal& goal = *loop_->goals().find(label);
  Response response;
  response.cycles = cycles_;
  response.approval_ids = approval_ids_;
  response.text = answer_               ? answer_->text + "."
                  : goal.answer.empty() ? loop_->synthesize_findings(label)
                                        : goal.answer;
  response.details = Json::object({{"goal", goal.description},
                                   {"status", std::string(agent::to_string(goal.status))},
                                   {"failure", goal.failure}});
  if (goal.status == agent::GoalStatus::kCompleted) {
    response.outcome = answer_ || !goal.answer.empty() ? Outcome::kAnswered : Outcome::kDone;
  } else if (!approval_ids_.empty()) {
    response.outcome = Outcome::kWaiting;
  } else if (goal.status == agent::GoalStatus::kFailed) {
    response.outcome = Outcome::kFailed;
    response.text = goal.failure;
  } else {
    const bool stopped = stop_.stop_requested() && end != agent::RunEnd::kDone;
    response.outcome = stopped ? Outcome::kStopped : Outcome::kOpen;
  }
  return response;
}

Result<Response> AgentLoop::run(std::string_view goal, const Limits& limits) {
  const Watch watch(limits.stop, limits.time);
  agent::GovernedHouse& house = *agent_.house;
  const std::string text(goal);
  if (house.guardian().assess(text, govern::Trust::kOperator).action == govern::Action::kBlock) {
    Response blocked;
    blocked.outcome = Outcome::kBlocked;
    blocked.text = "the guardian lets no such goal in";
    return blocked;
  }
  if (!loop_->understand(goal)) {
    const ask::Answer answer = asker_->ask(goal);
    const bool refused = answer.status == ask::AnswerStatus::kNotUnderstood;
    const bool question = answer.reason != "not_a_question" && memory::looks_like_question(goal);
    if (!refused || (question && agent_.model == nullptr)) return response_from(answer);
  }
  stop_ = watch.token();
  cycles_ = 0;
  approval_ids_.clear();
  answer_.reset();
  house.stop_with(watch.token());
  Result<Response> response = work_on(goal, limits.cycles);
  house.stop_with({});
  return response;
}

Result<Response> AgentLoop::chat(std::string_view line, std::string_view session,
                                 const Limits& limits) {
  const Watch watch(limits.stop, limits.time);
  agent::GovernedHouse& house = *agent_.house;
  Response response;
  const bus::Subscription listening = house.events().subscribe("*", [&](const bus::Event& event) {
    response.events.push_back({event.type, event.payload});
  });
  stop_ = watch.token();
  house.stop_with(watch.token());
  const Result<agent::Turn> said = conversation(session).say(line_of(line, session));
  house.stop_with({});
  if (!said) return fail(said.error());
  if (said->kind == agent::TurnKind::kReply) fill_response(response, said->reply);
  response.outcome = outcome_of_turn(*said);
  if (response.outcome == Outcome::kFailed && watch.token().stop_requested())
    response.outcome = Outcome::kStopped;
  response.text = said->text;
  response.missing = said->missing;
  response.cycles = said->cycles;
  response.details = said->asked ? said->asked->to_json() : said->to_json();
  (void)house.delivered(said->reply);  // all is done; where it fails, the message is answered again
  return response;
}

}  // namespace anima::detail
