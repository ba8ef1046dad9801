#include "anima/agent.h"

#include <map>
#include <optional>

#include "agent/conversation/conversation.h"
#include "agent/conversation/model_thought.h"
#include "agent/conversation/recorded_calls.h"
#include "agent/house/governed_house.h"
#include "agent/loop/agent.h"
#include "agent/telling/space_asker.h"
#include "anima/governed_agent.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "library/detail/agent_state.h"
#include "library/detail/language_model.h"
#include "library/detail/memory_state.h"
#include "library/detail/reading.h"
#include "library/detail/watch.h"
#include "memory/compartments/pack_signature.h"
#include "memory/compartments/questions.h"

namespace anima {
namespace {

govern::IncomingMessage line_of(std::string_view text, std::string_view session) {
  govern::IncomingMessage message;
  message.content = text;
  message.channel = "terminal";
  message.sender = "library";
  message.session = session;
  return message;
}

Response response_from(const ask::Answer& answer) {
  Response response;
  response.status =
      answer.status == ask::AnswerStatus::kAnswered || answer.status == ask::AnswerStatus::kEmpty
          ? ResponseStatus::kAnswered
          : ResponseStatus::kNotUnderstood;
  response.text = answer.text;
  response.missing = answer.unknown;
  response.details = answer.to_json();
  return response;
}

ResponseStatus status_of_turn(const agent::Turn& turn) {
  switch (turn.kind) {
    case agent::TurnKind::kAnswer:
      return turn.asked ? response_from(*turn.asked).status : ResponseStatus::kAnswered;
    case agent::TurnKind::kFindings:
      return ResponseStatus::kFound;
    case agent::TurnKind::kUnknown:
      return ResponseStatus::kNotUnderstood;
    case agent::TurnKind::kReply:
      break;
  }
  switch (turn.reply.kind) {
    case agent::ReplyKind::kAnswered:
      return ResponseStatus::kDone;
    case agent::ReplyKind::kWaiting:
      return ResponseStatus::kWaiting;
    case agent::ReplyKind::kClarify:
      return ResponseStatus::kNotUnderstood;
    case agent::ReplyKind::kFailed:
      return ResponseStatus::kFailed;
    case agent::ReplyKind::kBlocked:
    case agent::ReplyKind::kDenied:
    case agent::ReplyKind::kHalted:
    case agent::ReplyKind::kBusy:
      break;
  }
  return ResponseStatus::kRefused;
}

// What waits, as the tool of a cycle tells it.
std::optional<std::string> approval_in(const std::string& result) {
  if (!result.starts_with(tools::kWaitsForApproval)) return std::nullopt;
  const std::string rest = result.substr(tools::kWaitsForApproval.size());
  return rest.substr(0, rest.find(':'));
}

}  // namespace

std::string_view to_string(ResponseStatus status) {
  constexpr std::string_view kNames[] = {"answered",       "done",   "found", "waiting", "refused",
                                         "not_understood", "failed", "open",  "stopped"};
  return kNames[static_cast<std::size_t>(status)];
}

struct Agent::State {
  State(Memory opened, GovernedAgent doors)
      : memory(std::move(opened)), governed(std::move(doors)) {}

  GovernedAgent::State& house_state() const { return *governed.state_; }
  agent::GovernedHouse& house() const { return *governed.state_->house; }
  Status furnish(const AgentOptions& options);
  void seen(const agent::CycleReport& report) {
    house_state().listeners.keep({"agent:cycle", report.to_json()});
  }
  agent::Conversation& conversation(std::string_view session);
  Result<Response> work_on(std::string_view goal, std::uint64_t cycles);
  Response response_of(const std::string& label, agent::RunEnd end) const;

  Memory memory;
  GovernedAgent governed;
  std::unique_ptr<memory::CompartmentManager> compartments;
  std::unique_ptr<agent::Agent> loop;
  std::unique_ptr<agent::SpaceAsker> asker;
  std::unique_ptr<detail::AskedModel> model;
  std::map<std::string, agent::Conversation, std::less<>> conversations;  // by session
  std::map<std::string, ask::Conversation, std::less<>> talks;            // of ask(), by talk_of()
  // Of the call that has the turn.
  std::stop_token stop;
  std::uint64_t cycles = 0;
  std::vector<std::string> approval_ids;
  std::optional<memory::QuestionAnswer> answer;
};

Status Agent::State::furnish(const AgentOptions& options) {
  store::Space& space = *house_state().space;
  const store::Origin origin{"library", "anima::Agent", store::Trust::kOperator,
                             store::Sequence::kNone};
  compartments = std::make_unique<memory::CompartmentManager>(
      space, system_files(), join_path(space.folder(), "compartments"));
  ANIMA_ASSIGN(const auto keys, memory::read_accepted_keys(system_files(), space.folder()));
  std::vector<PublicKey> accepted;
  for (const memory::AcceptedKey& key : keys) accepted.push_back(key.key);
  compartments->accept_keys(std::move(accepted));
  ANIMA_TRY(compartments->start(origin));
  agent::AgentConfig config;
  config.name = options.name;
  config.origin = origin;
  ANIMA_ASSIGN(loop, house().start_agent(*compartments, system_files(), std::move(config)));
  ANIMA_ASSIGN(asker, agent::SpaceAsker::open(house_state().space, system_files()));
  if (!options.model) return {};
  ANIMA_ASSIGN(model, detail::AskedModel::open(*options.model, house_state().space, origin));
  loop->tools().add(agent::make_model_thought(
      house(), model->model(), {asker.get(), origin, model->session(), [this] { return stop; }}));
  return {};
}

agent::Conversation& Agent::State::conversation(std::string_view session) {
  const auto known = conversations.find(session);
  if (known != conversations.end()) return known->second;
  agent::ConversationOptions options;
  options.asker = asker.get();
  options.seen = [this](const agent::CycleReport& report) { seen(report); };
  options.stopped = [this] { return stop.stop_requested(); };
  return conversations
      .emplace(std::string(session), agent::Conversation(house(), *loop, std::move(options)))
      .first->second;
}

Result<Response> Agent::State::work_on(std::string_view goal, std::uint64_t most) {
  const auto open = loop->goals().active();
  unsigned priority = agent::kDefaultPriority;
  if (!open.empty()) priority = std::max(priority, open.front()->priority + 1U);
  ANIMA_ASSIGN(const std::string label,
               loop->add_goal(goal, static_cast<std::uint8_t>(std::min(priority, 255U))));
  ANIMA_ASSIGN(const agent::RunEnd end, loop->run_until_complete(most, [&](const auto& report) {
    ++cycles;
    seen(report);
    if (report.goal == label && report.answer) answer = report.answer;
    if (const auto id = report.success ? std::nullopt : approval_in(report.result))
      approval_ids.push_back(*id);
    const agent::Goal* now = loop->goals().find(label);
    const bool over =
        now->status == agent::GoalStatus::kCompleted || now->status == agent::GoalStatus::kFailed;
    return !over && approval_ids.empty() && !stop.stop_requested();
  }));
  return response_of(label, end);
}

Response Agent::State::response_of(const std::string& label, agent::RunEnd end) const {
  const agent::Goal& goal = *loop->goals().find(label);
  Response response;
  response.cycles = cycles;
  response.approval_ids = approval_ids;
  response.text = answer                ? answer->text + "."
                  : goal.answer.empty() ? loop->synthesize_findings(label)
                                        : goal.answer;
  response.details = Json::object({{"goal", goal.description},
                                   {"status", std::string(agent::to_string(goal.status))},
                                   {"failure", goal.failure}});
  if (goal.status == agent::GoalStatus::kCompleted) {
    response.status =
        answer || !goal.answer.empty() ? ResponseStatus::kAnswered : ResponseStatus::kDone;
  } else if (!approval_ids.empty()) {
    response.status = ResponseStatus::kWaiting;
  } else if (goal.status == agent::GoalStatus::kFailed) {
    response.status = ResponseStatus::kFailed;
    response.text = goal.failure;
  } else {
    const bool stopped = stop.stop_requested() && end != agent::RunEnd::kDone;
    response.status = stopped ? ResponseStatus::kStopped : ResponseStatus::kOpen;
  }
  return response;
}

Agent::Agent(std::shared_ptr<State> state) : state_(std::move(state)) {}
Agent::~Agent() = default;
Agent::Agent(const Agent&) = default;
Agent& Agent::operator=(const Agent&) = default;
Agent::Agent(Agent&&) noexcept = default;
Agent& Agent::operator=(Agent&&) noexcept = default;

Result<Agent> Agent::open(const std::string& folder, const AgentOptions& options) {
  ANIMA_ASSIGN(const Memory memory, Memory::open(folder, {.create = options.create}));
  return over(memory, options);
}

Result<Agent> Agent::over(const Memory& memory, const AgentOptions& options) {
  if (memory.state_->space->folder().empty())
    return fail(ErrorCode::kInvalidArgument, "an agent needs a memory with a folder", {},
                "GovernedAgent works over one in memory");
  GovernedAgentOptions house;
  house.work_folder = options.work_folder;
  house.readable = options.readable;
  house.rules = options.rules;
  house.tools = options.tools;
  house.fetcher = options.fetcher;
  ANIMA_ASSIGN(GovernedAgent governed, GovernedAgent::over(memory, house));
  auto state = std::make_shared<State>(memory, std::move(governed));
  ANIMA_TRY(state->furnish(options));
  return Agent(std::move(state));
}

Result<Response> Agent::ask(std::string_view question, std::string_view session,
                            std::optional<std::string_view> speaker) {
  ask::AskOptions options;
  ANIMA_ASSIGN(options.speaker, memory::speaker_given(speaker));
  options.own_texts = !options.speaker.empty();
  const std::lock_guard lock(state_->house_state().mutex);
  ask::Conversation& talk = state_->talks[detail::talk_of(session, options.speaker)];
  return response_from(state_->asker->ask(question, options, &talk));
}

Result<Response> Agent::run(std::string_view goal, const Limits& limits) {
  const GovernedAgent::State::Turn turn(state_->house_state());
  if (!turn) return turn.refused();
  const detail::Watch watch(limits.stop, limits.time);
  agent::GovernedHouse& house = state_->house();
  const std::string text(goal);
  if (house.guardian().assess(text, govern::Trust::kOperator).action == govern::Action::kBlock) {
    Response refused;
    refused.status = ResponseStatus::kRefused;
    refused.text = "the guardian lets no such goal in";
    return refused;
  }
  if (!state_->loop->understand(goal)) {
    const ask::Answer answer = state_->asker->ask(goal);
    const bool refused = answer.status == ask::AnswerStatus::kNotUnderstood;
    const bool question = answer.reason != "not_a_question" && memory::looks_like_question(goal);
    if (!refused || (question && state_->model == nullptr)) return response_from(answer);
  }
  state_->stop = watch.token();
  state_->cycles = 0;
  state_->approval_ids.clear();
  state_->answer.reset();
  house.stop_with(watch.token());
  Result<Response> response = state_->work_on(goal, limits.cycles);
  house.stop_with({});
  return response;
}

Result<Response> Agent::chat(std::string_view line, std::string_view session,
                             const Limits& limits) {
  const GovernedAgent::State::Turn turn(state_->house_state());
  if (!turn) return turn.refused();
  const detail::Watch watch(limits.stop, limits.time);
  agent::GovernedHouse& house = state_->house();
  state_->stop = watch.token();
  house.stop_with(watch.token());
  const Result<agent::Turn> said = state_->conversation(session).say(line_of(line, session));
  house.stop_with({});
  if (!said) return fail(said.error());
  Response response;
  response.status = status_of_turn(*said);
  if (response.status == ResponseStatus::kFailed && watch.token().stop_requested())
    response.status = ResponseStatus::kStopped;
  response.text = said->text;
  response.missing = said->missing;
  response.cycles = said->cycles;
  if (!said->reply.approval_id.empty()) response.approval_ids = {said->reply.approval_id};
  if (response.status == ResponseStatus::kRefused) response.refusal_id = said->reply.audit_id;
  response.details = said->asked ? said->asked->to_json() : said->to_json();
  ANIMA_TRY(house.delivered(said->reply));
  return response;
}

namespace {

std::optional<std::string> kept(std::optional<std::string_view> text) {
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

Result<Remembered> Agent::remember(std::string_view text, TrustLevel trust, std::string_view source,
                                   std::optional<std::string_view> speaker,
                                   std::string_view author) {
  return state_->governed.remember(text, source, trust,
                                   {.speaker = kept(speaker), .author = std::string(author)});
}
Result<std::vector<RememberedText>> Agent::memories(const MemoryQuery& query) {
  return state_->governed.memories(query);
}
Result<Remembered> Agent::update_memory(std::string_view id, std::string_view text,
                                        std::optional<std::string_view> speaker,
                                        std::string_view author) {
  return state_->governed.update(id, text, speaker, author);
}
Result<std::vector<std::string>> Agent::forget_memory(std::string_view id) {
  return state_->governed.forget(id);
}
Result<std::vector<std::string>> Agent::would_forget(std::string_view id) {
  return state_->governed.would_forget(id);
}
Result<std::vector<OpenQuestion>> Agent::questions() { return state_->governed.questions(); }
Result<Remembered> Agent::answer(std::string_view question, std::string_view answer) {
  return state_->governed.answer(question, answer);
}
Result<Context> Agent::recall(std::string_view question, std::size_t budget_tokens,
                              std::optional<std::string_view> speaker) {
  ContextRequest request;
  request.question = question;
  request.budget_tokens = budget_tokens;
  request.speaker = kept(speaker);
  return state_->governed.context(request);
}
Result<CallResult> Agent::call(const ToolCall& call) { return state_->governed.call(call); }
Result<std::vector<ApprovalRequest>> Agent::waiting() const {
  return state_->governed.approvals(false);
}
Status Agent::grant(std::string_view approval_id) { return state_->governed.grant(approval_id); }
Status Agent::deny(std::string_view approval_id, std::string_view reason) {
  return state_->governed.deny(approval_id, reason);
}
Result<Json> Agent::why(std::string_view refusal_id) const {
  return state_->governed.why_denied(refusal_id);
}
Subscription Agent::subscribe(std::string_view type, std::function<void(const Event&)> handler) {
  return state_->governed.subscribe(type, std::move(handler));
}
GovernedAgent& Agent::governed() { return state_->governed; }
Memory& Agent::memory() { return state_->memory; }

}  // namespace anima
