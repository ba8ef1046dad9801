#include "anima/agent.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <system_error>

#include "agent/house/gate_settings.h"
#include "agent/house/recall_vectors.h"
#include "base/files/file.h"
#include "library/detail/agent_loop.h"
#include "library/detail/call_words.h"
#include "library/detail/memory_state.h"
#include "library/detail/open_agent.h"
#include "library/detail/reading.h"

namespace anima {
namespace {

const govern::Caster kOwner{"local", govern::Trust::kOperator};

// Of a tool that the program runs itself: that it may run is all that happens here.
Result<Json> nothing(const Json&) { return Json(); }

Result<agent::OwnTool> own_tool(const OwnTool& tool) {
  if (!tool.declaration.is_null()) {
    ANIMA_ASSIGN(govern::ToolDeclaration declared,
                 govern::ToolDeclaration::from_json(tool.declaration));
    return agent::declared_tool(std::move(declared), tool.run ? tool.run : nothing);
  }
  agent::OwnTool own;
  own.info.name = tool.name;
  own.info.description = tool.description;
  for (const ToolParameter& each : tool.parameters)
    own.info.parameters.push_back({each.name, each.required, each.description});
  own.policy.tool = tool.name;
  own.policy.tier = tier_of(tool.tier);
  own.policy.agents = {"*"};
  own.policy.carried = tool.carried;
  own.policy.output_trust = trust_of(tool.output_trust);
  own.run = tool.run;
  return own;
}

OpenPlan open_plan_from(const agent::KeptPlan& plan) {
  OpenPlan open{plan.id,
                plan.message.content,
                plan.message.session,
                std::string(to_string(plan.state)),
                plan.reason,
                {}};
  for (const std::string& id : plan.graph.order()) {
    const agent::Task& task = *plan.graph.find(id);
    const auto wait = plan.waits.find(id);
    open.steps.push_back({id, task.name, task.tool, std::string(status_of(plan, task)),
                          wait == plan.waits.end() ? std::string() : wait->second});
  }
  return open;
}

// What the house tells of a work on a message.
Result<Response> response_of_house(
    agent::GovernedHouse& house,
    const std::function<Result<agent::Reply>(agent::GovernedHouse&)>& work) {
  Response response;
  const bus::Subscription listening = house.events().subscribe("*", [&](const bus::Event& event) {
    response.events.push_back({event.type, event.payload});
  });
  ANIMA_ASSIGN(const agent::Reply reply, work(house));
  fill_response(response, reply);
  response.text = reply.text;
  response.details = reply.to_json();
  (void)house.delivered(reply);  // all is done; where it fails, the message is answered again
  return response;
}

govern::CallRequest request_of(const ToolCall& call) {
  govern::CallRequest request;
  request.tool = call.tool;
  request.trust = trust_of(call.caller);
  request.arguments = call.arguments;
  request.argument_labels = {trust_of(call.label)};
  for (const ArgumentLabel& label : call.labels)
    request.origins.push_back({label.argument, label.source, trust_of(label.trust)});
  return request;
}

}  // namespace

std::string_view to_string(TrustLevel level) { return govern::trust_name(trust_of(level)); }

std::string_view to_string(Outcome outcome) {
  constexpr std::string_view kNames[] = {
      "answered",       "done",   "found", "waiting", "denied", "blocked", "clarify",
      "not_understood", "failed", "open",  "stopped", "halted", "busy"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Outcome::kBusy) + 1);
  return kNames[static_cast<std::size_t>(outcome)];
}

namespace {

// The memory's settings, with the rules that the program adds for its agent.
Result<std::shared_ptr<agent::Gate>> gate_for(std::shared_ptr<store::Space> space, Clock& clock,
                                              Random& random, const AgentOptions& options,
                                              const std::string& work_folder) {
  ANIMA_ASSIGN(agent::GateOptions settings,
               agent::configured_gate(system_files(), system_environment(), space->folder()));
  settings.work_folder = work_folder;
  for (const std::string& rule : options.rules)
    settings.rules.push_back({"rules:" + std::to_string(settings.rules.size() + 1), rule});
  return agent::Gate::open(std::move(space), clock, random, std::move(settings));
}

}  // namespace

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
  auto state = std::make_shared<State>(memory);
  state->memory = memory.state_;
  state->space = memory.state_->space;
  agent::HouseOptions house;
  house.tools.work_folder = options.work_folder;
  if (house.tools.work_folder.empty() && !state->space->folder().empty()) {
    std::error_code problem;
    const auto folder = std::filesystem::absolute(state->space->folder(), problem);
    if (problem)
      return fail(os_error(problem.value(), "cannot find the space", state->space->folder()));
    house.tools.work_folder = join_path(folder.string(), "work");
  }
  house.tools.readable = options.readable;
  house.tools.fetcher = options.fetcher;
  house.tools.environment = system_environment();
  house.gateway.text_detection = options.guardian.text_detection;
  if (options.guardian.messages_per_minute < 0)
    return fail(ErrorCode::kInvalidArgument, "messages_per_minute is 0 (any number) or more");
  house.gateway.messages_per_minute = options.guardian.messages_per_minute;
  if (!options.guardian.patterns.empty()) {
    ANIMA_ASSIGN(house.patterns, govern::PatternSet::load(options.guardian.patterns, "patterns"));
  }
  if (options.guardian.text_model) {
    ANIMA_ASSIGN(govern::TextModel model, govern::TextModel::shipped());
    house.model = std::make_shared<const govern::TextModel>(std::move(model));
  }
  ANIMA_ASSIGN(house.vectors, agent::configured_vectors(system_files(), system_environment(),
                                                        state->space->folder()));
  for (const OwnTool& tool : options.tools) {
    ANIMA_ASSIGN(agent::OwnTool own, own_tool(tool));
    house.own_tools.push_back(std::move(own));
  }
  house.door.name = "agent";
  ANIMA_ASSIGN(auto gate, gate_for(memory.state_->gate->shared_space(), state->clock, state->random,
                                   options, house.tools.work_folder));
  ANIMA_ASSIGN(state->house, agent::GovernedHouse::open(std::move(gate), std::move(house)));
  state->brake = std::make_unique<Brake>(state->house->gate().space(), state->clock, state->random);
  state->hearing =
      state->house->events().subscribe("*", [kept = state.get()](const bus::Event& event) {
        kept->listeners.keep({event.type, event.payload});
      });
  state->name = options.name;
  if (options.model) {
    ANIMA_ASSIGN(state->model,
                 detail::AskedModel::open(*options.model, state->space, detail::agent_origin()));
  }
  return Agent(std::move(state));
}

Memory& Agent::memory() { return state_->knowledge; }

Result<Response> Agent::ask(std::string_view question, std::string_view session,
                            std::optional<std::string_view> speaker) {
  ask::AskOptions options;
  ANIMA_ASSIGN(options.speaker, memory::speaker_given(speaker));
  options.own_texts = !options.speaker.empty();
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  // A space that may not be read is an error, and no question that was not understood.
  ANIMA_TRY(state_->space->snapshot().map([](const store::Snapshot&) {}));
  ANIMA_ASSIGN(agent::SpaceAsker* const asker, state_->asking());
  ask::Conversation& talk = state_->talks[detail::talk_of(session, options.speaker)];
  return detail::response_from(asker->ask(question, options, &talk));
}

namespace {

// A loop begins with entries of its own in the memory, which a stopped line lets nobody write.
Result<std::optional<Response>> stopped_before_its_loop(const detail::OpenAgent& agent) {
  if (agent.loop != nullptr) return std::nullopt;
  ANIMA_ASSIGN(const govern::LineState line, agent.house->line().state());
  if (!line.halted) return std::nullopt;
  Response response;
  response.outcome = Outcome::kHalted;
  response.text = "the line is stopped by " + line.by;
  if (!line.reason.empty()) response.text += ": " + line.reason;
  return response;
}

}  // namespace

Result<Response> Agent::run(std::string_view goal, const Limits& limits) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(auto stopped, stopped_before_its_loop(*state_));
  if (stopped) return *std::move(stopped);
  ANIMA_ASSIGN(detail::AgentLoop* const loop, detail::loop_of(*state_));
  return loop->run(goal, limits);
}

Result<Response> Agent::chat(std::string_view line, std::string_view session,
                             const Limits& limits) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(auto stopped, stopped_before_its_loop(*state_));
  if (stopped) return *std::move(stopped);
  ANIMA_ASSIGN(detail::AgentLoop* const loop, detail::loop_of(*state_));
  const store::ActScope act("chat line");
  ANIMA_ASSIGN(Response response, loop->chat(line, session, limits));
  response.entry = state_->first_entry();
  return response;
}

Result<Response> Agent::handle(const Message& message) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  const store::ActScope act("message");
  ANIMA_ASSIGN(Response response,
               response_of_house(*state_->house, [&](agent::GovernedHouse& house) {
                 return house.handle(incoming_from(message));
               }));
  response.entry = state_->first_entry();
  return response;
}

Result<Response> Agent::admit(const Message& message) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return response_of_house(*state_->house,
                           [&](agent::GovernedHouse& house) -> Result<agent::Reply> {
                             agent::Reply reply;
                             ANIMA_ASSIGN(reply.admission, house.admit(incoming_from(message)));
                             if (!reply.admission.accepted()) {
                               reply.kind = agent::ReplyKind::kBlocked;
                               reply.text = reply.admission.reason;
                               reply.audit_id = reply.admission.audit_id;
                             }
                             return reply;
                           });
}

Result<CallResult> Agent::call(const ToolCall& call) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  const store::ActScope act("tool call");
  govern::Outcome outcome = state_->house->call(request_of(call));
  CallResult result;
  fill_result(result, std::move(outcome));
  result.entry = state_->first_entry();
  return result;
}

Result<CallResult> Agent::would_call(const ToolCall& call) const {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  CallResult result;
  if (const Status good = state_->house->check_arguments(call.tool, call.arguments); !good) {
    result.outcome = Outcome::kFailed;
    result.reason = good.error().describe();
    return result;
  }
  govern::Decision decision = state_->house->decide(request_of(call));
  result.outcome = decision.permission == govern::Permission::kAllowed  ? Outcome::kDone
                   : decision.permission == govern::Permission::kDenied ? Outcome::kDenied
                                                                        : Outcome::kWaiting;
  result.trust = level_of(decision.effective_trust);
  result.reason = std::move(decision.reason);
  result.missing = std::move(decision.missing);
  return result;
}

Assessment Agent::assess(std::string_view text, TrustLevel trust) const {
  // The guardian never changes: no turn is taken.
  const govern::Assessment found = state_->house->guardian().assess(text, trust_of(trust));
  return {found.risk_thousandths / 1000.0, std::string(govern::action_name(found.action)),
          found.to_json()};
}

Result<std::vector<OpenPlan>> Agent::plans() const {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const std::vector<agent::KeptPlan> all, state_->house->plans().list());
  std::vector<OpenPlan> open;
  for (const agent::KeptPlan& plan : all) open.push_back(open_plan_from(plan));
  return open;
}

Result<Response> Agent::continue_plan(std::string_view id, UnfinishedStep step) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  const agent::StepAnswer said = step == UnfinishedStep::kDone    ? agent::StepAnswer::kDone
                                 : step == UnfinishedStep::kAgain ? agent::StepAnswer::kAgain
                                                                  : agent::StepAnswer::kNone;
  return response_of_house(*state_->house,
                           [&](agent::GovernedHouse& house) { return house.go_on(id, said); });
}

Status Agent::abandon_plan(std::string_view id) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->plans().abandon(id, "operator");
}

Status Agent::grant(std::string_view approval_id, std::string_view by) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->approvals().grant(approval_id, by);
}

Status Agent::deny(std::string_view approval_id, std::string_view reason, std::string_view by) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->approvals().reject(approval_id, by, reason);
}

Result<std::string> Agent::propose(std::string_view topic, std::string_view risk) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const govern::VoteRisk level, govern::parse_vote_risk(risk));
  ANIMA_ASSIGN(const govern::Proposal made, state_->house->council().propose(topic, level, kOwner));
  return made.vote.id();
}

Status Agent::vote(std::string_view proposal_id, std::string_view member, std::string_view ballot) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const govern::Ballot choice, govern::parse_ballot(ballot));
  return state_->house->council().vote(proposal_id, member, choice, kOwner);
}

Status Agent::veto(std::string_view proposal_id, std::string_view member, std::string_view domain,
                   std::string_view reason) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->council().veto(proposal_id, member, domain, reason, kOwner);
}

Result<CouncilProposal> Agent::proposal(std::string_view proposal_id) const {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const govern::Proposal found, state_->house->council().find(proposal_id));
  const govern::Tally tally = found.vote.tally();
  const bool open = found.vote.status() == govern::VoteStatus::kOpen;
  CouncilProposal proposal;
  proposal.id = found.vote.id();
  proposal.topic = found.vote.topic();
  proposal.outcome = open ? "voting" : found.allowed() ? "approved" : "rejected";
  proposal.reason = found.vote.reason();
  proposal.needed = found.vote.needed();
  proposal.approve = tally.approve;
  proposal.reject = tally.reject;
  proposal.abstain = tally.abstain;
  return proposal;
}

Result<AuditRecord> Agent::why(std::string_view refusal_id) const {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(govern::PlacedAudit placed,
               govern::find_refusal(state_->house->space(), refusal_id));
  govern::AuditEntry& entry = placed.entry;
  return AuditRecord{
      .entry = static_cast<std::uint64_t>(placed.sequence),
      .id = std::move(entry.id),
      .time = std::move(entry.timestamp),
      .action = std::move(entry.action),
      .actor = std::move(entry.actor),
      .trust = level_of(govern::parse_trust(entry.trust_level).value_or(govern::Trust::kUntrusted)),
      .details = std::move(entry.details).value_or(Json::object())};
}

Result<std::vector<std::string>> Agent::what_would_allow(std::string_view refusal_id) const {
  ANIMA_ASSIGN(const AuditRecord refusal, why(refusal_id));
  std::vector<std::string> grants;
  const Json* missing = refusal.details.find("missing");
  if (missing == nullptr || !missing->is_array()) return grants;
  for (const Json& grant : missing->as_array()) {
    if (grant.is_string()) grants.push_back(grant.as_string());
  }
  return grants;
}

Result<std::vector<KeptEvent>> Agent::events_behind(std::uint64_t entry, std::size_t limit) const {
  std::vector<KeptEvent> events;
  bool enough = false;
  const Status read = bus::EventJournal::replay(
      *state_->space, store::Sequence{entry}, [&](const bus::KeptEvent& kept) -> Status {
        const auto place = static_cast<std::uint64_t>(kept.entry);
        enough = events.size() >= limit && (events.empty() || events.back().entry != place);
        if (enough) return fail(ErrorCode::kCancelled, "enough");
        events.push_back(
            {place, format_timestamp(kept.time), {kept.event.type, kept.event.payload}});
        return {};
      });
  if (!read && !enough) return fail(read.error());
  return events;
}

Status Agent::halt(std::string_view reason) {
  const Status halted = state_->brake->line().halt("operator", reason);
  state_->tell_of_brake();
  state_->listeners.tell();
  return halted;
}

Status Agent::resume() {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->line().resume("operator");
}

bool Agent::halted() const { return state_->house->line().halted(); }

}  // namespace anima
