#include "world/runtime.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/message_pack_fields.h"
#include "base/text/text.h"
#include "world/learning.h"
#include "world/messages.h"
#include "world/motives.h"

namespace anima::world {
namespace {

constexpr std::size_t kRecentActions = 16;
constexpr std::size_t kKnownEntries = 64;
constexpr std::size_t kPage = 1000;  // bytes of a page that are kept
constexpr std::size_t kKnownProposals = 64;
constexpr std::size_t kKnownBounties = 64;
constexpr std::size_t kToldEvents = 4096;

template <typename T>
T field(const MessagePack& body, std::string_view name) {
  T value{};
  const MessagePack* found = body.find(name);
  if (found == nullptr || !unpack_to(*found, value)) return T{};
  return value;
}

EventFilter interests() {
  EventFilter filter;
  for (const EventKind kind :
       {EventKind::kAgentStatusChange, EventKind::kAgentKill, EventKind::kProposalSubmitted,
        EventKind::kProposalDecided, EventKind::kReputationUpdated, EventKind::kTagCreated,
        EventKind::kSignalSent, EventKind::kBountyCreated, EventKind::kBountyClaimed,
        EventKind::kBountySubmitted, EventKind::kBountyCompleted, EventKind::kBountyRejected,
        EventKind::kBountyExpired, EventKind::kReviewRequested, EventKind::kEntryPublished,
        EventKind::kEntryVerified, EventKind::kTransferCompleted})
    filter.kinds.push_back(static_cast<std::uint16_t>(kind));
  return filter;
}

// Events that are of some agents alone name them in these fields; others are for everybody.
std::vector<std::string_view> concerned_fields(EventKind kind) {
  switch (kind) {
    case EventKind::kAgentStatusChange:
    case EventKind::kAgentKill:
    case EventKind::kReputationUpdated:
      return {"agent_id"};
    case EventKind::kTransferCompleted:
      return {"from", "to"};
    case EventKind::kEntryVerified:
      return {"verifier", "author"};
    case EventKind::kSignalSent:
      return {"target"};
    default:
      return {};
  }
}

// Of many bounties an agent keeps in mind its own, those that it claimed, and the best of the rest.
void forget_worst(std::map<Digest, KnownBounty>& bounties, const AgentId& me) {
  auto worst = bounties.end();
  for (auto each = bounties.begin(); each != bounties.end(); ++each) {
    if (each->second.creator == me || each->second.claimer == me) continue;
    if (worst == bounties.end() || each->second.reward < worst->second.reward) worst = each;
  }
  if (worst != bounties.end()) bounties.erase(worst);
}

std::string hex_of(const MessagePack* value) {
  return value == nullptr || value->binary() == nullptr ? std::string()
                                                        : to_hex(value->binary()->bytes);
}

bool is_command(const AgentAction& action) {
  const MessageKind* kind = message_of_action(action.action);
  return kind != nullptr && kind->command;
}

}  // namespace

const Citizen* Runtime::find(const AgentId& id) const {
  const auto found = residents_.find(id);
  return found == residents_.end() ? nullptr : &found->second->citizen;
}
Citizen* Runtime::find(const AgentId& id) {
  const auto found = residents_.find(id);
  return found == residents_.end() ? nullptr : &found->second->citizen;
}

std::vector<AgentId> Runtime::agents() const {
  std::vector<AgentId> ids;
  for (const auto& each : residents_) ids.push_back(each.first);
  return ids;
}

Result<Runtime::Resident*> Runtime::resident(const AgentId& id) {
  const auto found = residents_.find(id);
  if (found == residents_.end()) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
  return found->second.get();
}

void Runtime::settle(Resident& resident) {
  Citizen& citizen = resident.citizen;
  if (citizen.state.subscriptions.empty()) citizen.state.subscriptions = {interests()};
  const MemberId member = around_.bus->join(citizen.identity, BusMode::kListener);
  resident.subscription = around_.bus->subscribe(member, citizen.state.subscriptions.front());
}

Result<AgentId> Runtime::spawn(const Identity& identity, const Genome& genome,
                               std::uint64_t initial_fund, std::optional<AgentId> parent) {
  if (residents_.contains(identity.id))
    return fail(ErrorCode::kAlreadyExists, "this agent lives already: " + alias(identity.id));
  around_.introduce(identity.key.public_key);
  auto fresh = std::make_unique<Resident>();
  fresh->citizen.identity = identity;
  fresh->citizen.state.genome = genome;
  fresh->citizen.state.spawn_tick = *around_.now;
  Resident& placed = *(residents_[identity.id] = std::move(fresh));
  settle(placed);
  MessagePack body;
  body.set("role", pack(genome.role))
      .set("initial_fund", initial_fund)
      .set("parent", pack(parent))
      .set("genome", pack(genome));
  const Reply reply = send(placed.citizen, Message::kAgentSpawnRequest, body);
  if (!reply.good) {
    residents_.erase(identity.id);
    return fail(ErrorCode::kDenied, "the nexus refuses the agent: " + reply.category);
  }
  ask_balance(placed.citizen);
  return identity.id;
}

void Runtime::adopt(Citizen citizen, std::uint64_t position) {
  const AgentId id = citizen.id();
  around_.introduce(citizen.identity.key.public_key);
  auto resident = std::make_unique<Resident>();
  resident->citizen = std::move(citizen);
  Resident& placed = *(residents_[id] = std::move(resident));
  settle(placed);
  around_.bus->set_position(placed.subscription, position);
}

std::uint64_t Runtime::position(const AgentId& id) const {
  const auto found = residents_.find(id);
  return found == residents_.end() ? 0 : around_.bus->position(found->second->subscription);
}

Runtime::Reply Runtime::send(Citizen& citizen, Message type, const MessagePack& body) {
  Reply reply;
  const std::optional<System> system = daemon_of(type);
  if (!system) return reply;
  auto frame =
      encode_envelope(citizen.identity, {static_cast<std::uint16_t>(type), around_.daemon(*system),
                                         *around_.now, ++citizen.state.sequence, body.encode()});
  if (!frame) {
    reply.category = "QuotaExceeded";
    return reply;
  }
  ++counts_.messages;
  const std::optional<std::string> answer = around_.post(*system, frame->bytes);
  if (!answer) return reply;
  const Opened opened = open_envelope(*answer, citizen.id(), around_.keys, citizen.state.replays);
  if (!opened.envelope || opened.envelope->source != around_.daemon(*system)) return reply;
  auto decoded = decode_message_pack(opened.envelope->body);
  if (!decoded || field<Digest>(*decoded, "ref_msg_id") != frame->message_id) return reply;
  reply.answered = true;
  const auto code = static_cast<Message>(opened.envelope->type);
  reply.good = code == Message::kAck || code == type;
  if (code == Message::kError) reply.category = field<std::string>(*decoded, "category");
  reply.body = std::move(*decoded);
  return reply;
}

void Runtime::ask_balance(Citizen& citizen) {
  MessagePack body;
  body.set("agent_id", pack(citizen.id()));
  const Reply reply = send(citizen, Message::kBalanceQuery, body);
  const MessagePack* data = reply.good ? reply.body.find("data") : nullptr;
  if (data != nullptr) citizen.state.balance = field<std::int64_t>(*data, "balance");
}

void Runtime::receive(const AgentId& id, const std::string& frame) {
  Citizen* citizen = find(id);
  if (citizen == nullptr) return;
  const Opened opened = open_envelope(frame, id, around_.keys, citizen->state.replays);
  if (!opened.envelope) return;
  const auto type = static_cast<Message>(opened.envelope->type);
  // Only the daemon that such a message comes from may send it.
  const std::optional<System> system = daemon_of(type);
  if (!system || opened.envelope->source != around_.daemon(*system)) return;
  const auto body = decode_message_pack(opened.envelope->body);
  if (!body) return;
  RuntimeState& state = citizen->state;
  switch (type) {
    case Message::kTickAlloc:
      state.tick_budget = field<std::uint64_t>(*body, "budget");
      state.cycle = field<std::uint64_t>(*body, "cycle");
      if (state.status == AgentStatus::kEmbryo) state.status = AgentStatus::kActive;
      break;
    case Message::kWorldState:
      state.cycle = field<std::uint64_t>(*body, "cycle");
      state.epoch = field<Epoch>(*body, "epoch");
      break;
    case Message::kAgentSpawnAck:
      state.status = field<AgentStatus>(*body, "status");
      break;
    case Message::kProposalResult: {
      const bool passed = field<bool>(*body, "passed");
      const Digest proposal = field<Digest>(*body, "proposal_id");
      state.proposals.erase(proposal);
      passed ? support(citizen->memory, "votes decide", proposal, *around_.now)
             : contradict(citizen->memory, "votes decide", proposal, *around_.now);
      break;
    }
    case Message::kExecResult: {
      const bool halted = field<std::string>(*body, "state") == "Halted";
      state.results["exec:" + hex_of(body->find("sandbox_id"))] =
          halted ? std::to_string(field<std::int64_t>(*body, "result")) : "faulted";
      break;
    }
    case Message::kServiceResult:
      state.results["service_result"] = std::to_string(field<std::int64_t>(*body, "result"));
      break;
    case Message::kProofResult:
      state.results["proof"] = hex_of(body->find("proof"));
      break;
    default:
      break;
  }
}

void Runtime::observe(const AgentId& id) {
  const auto found = residents_.find(id);
  if (found == residents_.end()) return;
  Citizen& citizen = found->second->citizen;
  for (const Event* event : around_.bus->read(found->second->subscription)) {
    const Told& news = told(*event);
    if (news.body &&
        (news.everybody || std::ranges::find(news.concerned, id) != news.concerned.end()))
      hear(citizen, event->known_kind(), *news.body);
  }
}

// What every agent reads for itself costs the square of their number.
const Runtime::Told& Runtime::told(const Event& event) {
  told_.resize(kToldEvents);
  Told& news = told_[event.id.lamport % kToldEvents];
  if (news.id == event.id) return news;
  news = {};
  news.id = event.id;
  auto body = decode_message_pack(event.payload.bytes);
  if (!body) return news;
  news.body = std::move(*body);
  const auto fields = concerned_fields(event.known_kind());
  news.everybody = fields.empty();
  for (const std::string_view name : fields)
    news.concerned.push_back(field<AgentId>(*news.body, name));
  return news;
}

void Runtime::hear_bounty(Citizen& citizen, EventKind kind, const MessagePack& body) {
  RuntimeState& state = citizen.state;
  const auto id = field<Digest>(body, "bounty_id");
  if (kind == EventKind::kBountyCreated) {
    KnownBounty fresh;
    fresh.creator = field<AgentId>(body, "creator");
    fresh.reward = field<std::uint64_t>(body, "reward");
    fresh.difficulty = field<std::uint64_t>(body, "difficulty");
    fresh.deadline = field<std::uint64_t>(body, "deadline");
    fresh.expected = field<std::uint64_t>(body, "expected");
    fresh.tags = field<std::vector<std::string>>(body, "tags");
    state.bounties[id] = std::move(fresh);
    if (state.bounties.size() > kKnownBounties) forget_worst(state.bounties, citizen.id());
    return;
  }
  const auto known = state.bounties.find(id);
  if (known == state.bounties.end()) return;
  KnownBounty& bounty = known->second;
  const std::string tag = bounty.tags.empty() ? std::string() : bounty.tags.front();
  const bool mine = bounty.creator == citizen.id();
  const bool claimed = bounty.claimer == citizen.id();
  const std::uint64_t now = *around_.now;
  switch (kind) {
    case EventKind::kBountyClaimed:
      bounty.state = "claimed";
      bounty.claimer = field<AgentId>(body, "claimer");
      break;
    case EventKind::kBountySubmitted:
      bounty.state = "submitted";
      bounty.submission = field<Digest>(body, "submission_snap");
      break;
    case EventKind::kBountyCompleted:
      bounty.state = "completed";
      if (claimed) {
        met_peer(citizen.memory, bounty.creator, Outcome::kSuccess, true, tag, now);
        for (auto& notes : state.notes) {
          if (notes.second.kind == "bounty" && notes.second.subject == id)
            notes.second.earned += bounty.reward;
        }
      }
      if (mine) met_peer(citizen.memory, bounty.claimer, Outcome::kSuccess, true, tag, now);
      break;
    case EventKind::kBountyRejected:
      if (claimed) met_peer(citizen.memory, bounty.creator, Outcome::kFailure, true, tag, now);
      if (mine) met_peer(citizen.memory, bounty.claimer, Outcome::kFailure, false, tag, now);
      bounty.state = "open";
      bounty.claimer = {};
      break;
    default:
      bounty.state = "expired";
      break;
  }
  // What is over is needed only while a plan of its own waits for it.
  if ((bounty.state == "completed" && !claimed) || bounty.state == "expired")
    state.bounties.erase(known);
}

void Runtime::hear(Citizen& citizen, EventKind kind, const MessagePack& body) {
  RuntimeState& state = citizen.state;
  const AgentId& me = citizen.id();
  const std::uint64_t now = *around_.now;
  switch (kind) {
    case EventKind::kBountyCreated:
    case EventKind::kBountyClaimed:
    case EventKind::kBountySubmitted:
    case EventKind::kBountyCompleted:
    case EventKind::kBountyRejected:
    case EventKind::kBountyExpired:
      return hear_bounty(citizen, kind, body);
    case EventKind::kAgentStatusChange:
    case EventKind::kAgentKill:
      if (field<AgentId>(body, "agent_id") == me) state.status = field<AgentStatus>(body, "new");
      return;
    case EventKind::kReputationUpdated:
      if (field<AgentId>(body, "agent_id") == me) state.reputation = field<float>(body, "new");
      return;
    case EventKind::kTransferCompleted:
      if (field<AgentId>(body, "from") == me || field<AgentId>(body, "to") == me)
        state.asked_balance = 0;
      return;
    case EventKind::kProposalSubmitted:
      if (field<AgentId>(body, "proposer") == me) return;
      state.proposals[field<Digest>(body, "proposal_id")] = field<std::string>(body, "title");
      if (state.proposals.size() > kKnownProposals) state.proposals.erase(state.proposals.begin());
      return;
    case EventKind::kProposalDecided: {
      const auto decided = field<Digest>(body, "proposal_id");
      state.proposals.erase(decided);
      const auto own = state.results.find("proposal");
      if (own != state.results.end() && own->second == to_hex(decided)) state.results.erase(own);
      return;
    }
    case EventKind::kTagCreated: {
      const std::string repository = hex_of(body.find("repo"));
      const auto own = state.results.find("repo");
      if (own == state.results.end() || own->second != repository)
        state.results["other_repo"] = repository;
      return;
    }
    case EventKind::kEntryPublished:
      if (field<AgentId>(body, "author") == me) return;
      state.entries[field<Digest>(body, "entry_id")] = field<std::string>(body, "title");
      if (state.entries.size() > kKnownEntries) state.entries.erase(state.entries.begin());
      return;
    case EventKind::kEntryVerified:
      if (field<AgentId>(body, "verifier") == me)
        state.entries.erase(field<Digest>(body, "entry_id"));
      if (field<AgentId>(body, "author") == me)
        met_peer(citizen.memory, field<AgentId>(body, "verifier"), Outcome::kSuccess, true,
                 "knowledge", now);
      return;
    case EventKind::kSignalSent:
      if (field<AgentId>(body, "target") == me)
        met_peer(citizen.memory, field<AgentId>(body, "sender"), Outcome::kPartial, true, "", now);
      return;
    case EventKind::kReviewRequested: {
      const auto asked = field<std::vector<AgentId>>(body, "reviewers");
      if (std::find(asked.begin(), asked.end(), me) == asked.end()) return;
      GoalNotes notes;
      notes.kind = "asked_review";
      notes.tags = {"review"};
      notes.subject = field<Digest>(body, "review_id");
      notes.partner = field<AgentId>(body, "author");
      notes.social = 1.0;
      static_cast<void>(inject(citizen,
                               {GoalLayer::kTask,
                                GoalSource::kOpportunity,
                                "review for " + alias(*notes.partner),
                                {},
                                std::move(notes)},
                               now));
      return;
    }
    default:
      return;
  }
}

void Runtime::orient(Citizen& citizen) {
  const std::uint64_t now = *around_.now;
  if (citizen.state.asked_balance != citizen.state.cycle + 1) {
    ask_balance(citizen);
    citizen.state.asked_balance = citizen.state.cycle + 1;
  }
  drop_outdated(citizen, now);
  inject_from_sources(citizen, now);
  prioritise(citizen, now);
}

// The goal of the plan that is pursued, unless something urgent came up.
Goal* Runtime::pursue(Citizen& citizen) {
  const std::uint64_t now = *around_.now;
  const Goal* best = best_goal(citizen);
  if (best == nullptr) return nullptr;
  std::optional<Plan>& plan = citizen.memory.active_plan;
  Goal* goal = citizen.goals.find(best->id);
  if (plan) {
    Goal* planned = citizen.goals.find(plan->goal);
    const bool urgent = priority_terms(citizen, *goal, now).urgency >= 1 &&
                        goal->layer != GoalLayer::kTask && goal->id != plan->goal;
    if (planned != nullptr && (!urgent || priority_terms(citizen, *planned, now).urgency >= 1)) {
      goal = planned;
    } else {
      if (planned != nullptr) planned->status = GoalStatus::kPending;
      retire_plan(citizen.memory, PlanStatus::kAbandoned);
    }
  }
  goal->status = GoalStatus::kActive;
  return goal;
}

std::optional<AgentAction> Runtime::think(Citizen& citizen, const Goal* goal, bool plan_wanted) {
  ThinkContext context;
  context.involves_new_design = plan_wanted && goal->layer == GoalLayer::kAspiration;
  context.is_routine = citizen.memory.active_plan.has_value();
  context.is_simple_decision = !plan_wanted;
  const ThinkRequest request{citizen,
                             goal,
                             plan_wanted,
                             classify_think(context),
                             *around_.now,
                             [&citizen, goal, this] { return prompt_sections(citizen, goal, *around_.now); }};
  for (std::uint64_t attempt = 0; attempt <= kParseRetries; ++attempt) {
    ++counts_.thinks;
    const auto answer = around_.mind->think(request);
    if (!answer) continue;
    auto action = parse_action(*answer);
    if (action) return std::move(*action);
  }
  return std::nullopt;
}

Result<std::optional<AgentAction>> Runtime::tick(const AgentId& id) {
  ANIMA_ASSIGN(Resident* const here, resident(id));
  Citizen& citizen = here->citizen;
  RuntimeState& state = citizen.state;
  if (state.status != AgentStatus::kActive)
    return fail(ErrorCode::kConflict,
                fmt::format("agent is {}: {}",
                            state.status == AgentStatus::kDead      ? "dead"
                            : state.status == AgentStatus::kDormant ? "dormant"
                                                                    : "an embryo",
                            alias(id)));
  if (state.tick_budget == 0)
    return fail(ErrorCode::kLimitExceeded, "tick budget exhausted for agent: " + alias(id));
  observe(id);
  orient(citizen);
  Goal* goal = pursue(citizen);
  const std::optional<Plan>& plan = citizen.memory.active_plan;
  const bool plan_wanted = goal != nullptr && goal->layer != GoalLayer::kTask && !plan;
  std::optional<AgentAction> action = think(citizen, goal, plan_wanted);
  --state.tick_budget;
  const bool nop = !action || action->action == "nop";
  Outcome outcome = Outcome::kUnknown;
  if (goal != nullptr) ++state.notes[goal->id].effort;
  if (!nop) outcome = act(citizen, *action, goal);
  record(citizen, action ? &*action : nullptr, goal, outcome);
  if (action && action->memory_update) update_memory(citizen, *action);
  if (action && action->action != "create_plan") {
    const Digest pursued = goal == nullptr ? Digest{} : goal->id;
    advance_plan(citizen, *action, outcome);
    const Goal* still = citizen.goals.find(pursued);
    const auto notes = state.notes.find(pursued);
    if (still != nullptr && still->layer == GoalLayer::kTask && outcome == Outcome::kSuccess &&
        is_command(*action) && notes != state.notes.end() && notes->second.kind != "earn")
      end_goal(citizen, pursued, GoalStatus::kCompleted, Outcome::kSuccess, *around_.now);
  }
  count_nop(citizen, nop);
  if (nop) return std::optional<AgentAction>();
  return action;
}

Outcome Runtime::act(Citizen& citizen, const AgentAction& action, const Goal* goal) {
  if (action.action == "create_plan") return create_plan(citizen, action, goal);
  if (action.action == "recall") return Outcome::kSuccess;
  const MessageKind* kind = message_of_action(action.action);
  const auto body = message_body(*kind, action.params, citizen.id());
  if (!body) return Outcome::kFailure;
  const Reply reply = send(citizen, kind->code, *body);
  if (!reply.answered) return Outcome::kUnknown;
  if (!reply.good) {
    ++counts_.failures;
    return Outcome::kFailure;
  }
  learn_results(citizen, *kind, reply.body);
  return Outcome::kSuccess;
}

void Runtime::learn_results(Citizen& citizen, const MessageKind& kind, const MessagePack& body) {
  RuntimeState& state = citizen.state;
  if (kind.command) {
    for (const auto& member : *body.map()) {
      const std::string* name = member.first.text();
      if (name == nullptr || !name->ends_with("_id") || *name == "ref_msg_id") continue;
      state.results[name->substr(0, name->size() - 3)] = hex_of(&member.second);
    }
    if (kind.code == Message::kDependencyAdd) state.results["depends"] = "yes";
    return;
  }
  const MessagePack* data = body.find("data");
  if (data == nullptr) return;
  if (kind.code == Message::kSnapGet && data->find("root") != nullptr)
    state.results["root"] = hex_of(data->find("root"));
  if (kind.code == Message::kBalanceQuery) state.balance = field<std::int64_t>(*data, "balance");
  if (kind.code == Message::kWebRequest)
    state.results["page"] = quote_json(beginning_of(field<std::string>(*data, "content"), kPage));
  if (kind.code == Message::kAgentStatus) state.reputation = field<float>(*data, "reputation");
}

Outcome Runtime::create_plan(Citizen& citizen, const AgentAction& action, const Goal* goal) {
  const Json* steps = action.params.find("steps");
  if (goal == nullptr || steps == nullptr || !steps->is_array() || steps->as_array().empty() ||
      steps->as_array().size() > kMaxPlanSteps)
    return Outcome::kFailure;
  Plan plan;
  plan.goal = goal->id;
  for (const Json& each : steps->as_array()) {
    const Json* name = each.find("action");
    const Json* params = each.find("params");
    if (name == nullptr || message_of_action(name->as_string()) == nullptr)
      return Outcome::kFailure;
    PlanStep step;
    step.action = name->as_string();
    step.params = params == nullptr ? "{}" : params->dump();
    if (const Json* before = each.find("precondition"); before != nullptr && before->is_string())
      step.precondition = before->as_string();
    plan.estimated_ticks += step.estimated_ticks;
    plan.steps.push_back(std::move(step));
  }
  if (const Json* cost = action.params.find("estimated_cost"); cost != nullptr)
    plan.estimated_cost = static_cast<std::uint64_t>(std::max<std::int64_t>(0, cost->as_integer()));
  if (const Json* risk = action.params.find("risk"); risk != nullptr)
    plan.risk_assessment = static_cast<float>(std::clamp(risk->as_number(), 0.0, 1.0));
  plan.status = PlanStatus::kActive;
  retire_plan(citizen.memory, PlanStatus::kAbandoned);
  citizen.memory.active_plan = std::move(plan);
  return Outcome::kSuccess;
}

void Runtime::give_up_plan(Citizen& citizen) {
  const Digest id = citizen.memory.active_plan->goal;
  retire_plan(citizen.memory, PlanStatus::kAbandoned);
  Goal* goal = citizen.goals.find(id);
  if (goal == nullptr) return;
  if (++citizen.state.notes[id].abandoned_plans == 1) {
    goal->status = GoalStatus::kPending;
    return;
  }
  end_goal(citizen, id, GoalStatus::kAbandoned, Outcome::kFailure, *around_.now);
}

void Runtime::advance_plan(Citizen& citizen, const AgentAction& action, Outcome outcome) {
  std::optional<Plan>& plan = citizen.memory.active_plan;
  if (!plan) return;
  const PlanStep& step = plan->steps[plan->next_step];
  if (action.action != step.action) {
    // Something else was done: the step's precondition is not there yet.
    if (plan->waiting_since == 0) plan->waiting_since = *around_.now;
    if (*around_.now - plan->waiting_since > kTicksPerCycle) give_up_plan(citizen);
    return;
  }
  plan->waiting_since = 0;
  ++plan->ticks_used;
  if (outcome != Outcome::kSuccess) {
    if (++plan->failures >= kStepFailures || plan->ticks_used > 2 * plan->estimated_ticks)
      give_up_plan(citizen);
    return;
  }
  plan->failures = 0;
  if (++plan->next_step < plan->steps.size()) {
    if (plan->ticks_used > 2 * plan->estimated_ticks) give_up_plan(citizen);
    return;
  }
  const Digest goal = plan->goal;
  retire_plan(citizen.memory, PlanStatus::kCompleted);
  end_goal(citizen, goal, GoalStatus::kCompleted, Outcome::kSuccess, *around_.now);
}

void Runtime::record(Citizen& citizen, const AgentAction* action, const Goal* goal,
                     Outcome outcome) {
  ActionRecord record;
  record.kind = action == nullptr ? "nop" : action->action;
  const auto notes =
      goal == nullptr ? citizen.state.notes.end() : citizen.state.notes.find(goal->id);
  if (notes != citizen.state.notes.end() && !notes->second.tags.empty())
    record.tag = notes->second.tags.front();
  if (action != nullptr) record.parameters = sha256(action->params.dump());
  std::string lesson;
  if (action != nullptr && action->memory_update) {
    if (const Json* said = action->memory_update->find("lesson"); said != nullptr)
      lesson = said->as_string();
  }
  if (action != nullptr && experience_count(citizen, record.kind, record.tag) == 0)
    citizen.state.new_this_cycle = true;
  remember(citizen, *around_.now, record, outcome, lesson);
  citizen.state.recent.push_back(record.kind);
  if (citizen.state.recent.size() > kRecentActions)
    citizen.state.recent.erase(citizen.state.recent.begin());
}

void Runtime::update_memory(Citizen& citizen, const AgentAction& action) {
  const Json& update = *action.memory_update;
  const std::uint64_t now = *around_.now;
  if (const Json* working = update.find("working"); working != nullptr && working->is_string()) {
    if (const Status written = write_working(citizen, working->as_string()); !written)
      around_.warn(alias(citizen.id()) + ": " + written.error().message);
  }
  if (const Json* keep = update.find("refresh_working"); keep != nullptr && keep->as_bool())
    citizen.state.keep_working = true;
  if (const Json* beliefs = update.find("beliefs"); beliefs != nullptr) {
    for (const Json& each : beliefs->as_array()) {
      const Json* claim = each.find("claim");
      if (claim != nullptr && claim->is_string())
        support(citizen.memory, claim->as_string(), sha256(claim->as_string()), now);
    }
  }
  if (const Json* knowledge = update.find("knowledge"); knowledge != nullptr) {
    for (const Json& each : knowledge->as_array()) {
      const Json *label = each.find("label"), *content = each.find("content");
      if (label == nullptr || content == nullptr) continue;
      KnowledgeNode node;
      node.id = sha256(label->as_string());
      node.label = label->as_string();
      node.content = content->as_string();
      auto& nodes = citizen.memory.knowledge.nodes;
      std::erase_if(nodes, [&](const KnowledgeNode& known) { return known.id == node.id; });
      nodes.push_back(std::move(node));
    }
  }
  if (const Json* goals = update.find("goals"); goals != nullptr) {
    for (const Json& each : goals->as_array()) {
      const Json* text = each.find("description");
      if (text == nullptr || !text->is_string()) continue;
      GoalNotes notes;
      notes.kind = "own";
      static_cast<void>(inject(
          citizen,
          {GoalLayer::kObjective, GoalSource::kRole, text->as_string(), {}, std::move(notes)},
          now));
    }
  }
}

void Runtime::count_nop(Citizen& citizen, bool nop) {
  RuntimeState& state = citizen.state;
  if (!nop) {
    state.nop_count = 0;
    return;
  }
  ++counts_.nops;
  ++state.nop_count;
  if (state.nop_count == kNopWarning)
    around_.warn(
        fmt::format("{}: {} times in a row it did nothing", alias(citizen.id()), kNopWarning));
  if (state.nop_count < kNopDormancy || state.status != AgentStatus::kActive) return;
  state.status = AgentStatus::kDormant;
  MessagePack body;
  body.set("agent_id", pack(citizen.id())).set("status", pack(AgentStatus::kDormant));
  static_cast<void>(send(citizen, Message::kAgentStatus, body));
}

Status Runtime::run_cycle(const AgentId& id, std::uint64_t tick_budget) {
  ANIMA_ASSIGN(Resident* const here, resident(id));
  here->citizen.state.tick_budget = tick_budget;
  while (here->citizen.state.tick_budget > 0 &&
         here->citizen.state.status == AgentStatus::kActive) {
    const auto done = tick(id);
    if (!done) return fail(done.error());
  }
  return {};
}

void Runtime::end_cycle(const AgentId& id) {
  Citizen* citizen = find(id);
  if (citizen == nullptr) return;
  citizen->state.tick_budget = 0;
  std::erase_if(citizen->state.results,
                [](const auto& each) { return each.first.starts_with("exec:"); });
  if (citizen->state.status == AgentStatus::kActive) end_cycle_memory(*citizen, *around_.now);
}

Result<AgentStatus> Runtime::status(const AgentId& id) const {
  const Citizen* citizen = find(id);
  if (citizen == nullptr) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
  return citizen->state.status;
}

Status Runtime::set_status(const AgentId& id, AgentStatus status) {
  ANIMA_ASSIGN(Resident* const here, resident(id));
  RuntimeState& state = here->citizen.state;
  if (!may_become(state.status, status))
    return fail(ErrorCode::kConflict,
                fmt::format("an agent that is {} cannot become {}", to_string(state.status),
                            to_string(status)),
                alias(id));
  if (status == AgentStatus::kActive) state.nop_count = 0;
  state.status = status;
  return {};
}

Status Runtime::inject_goal(const AgentId& id, const Goal& goal) {
  ANIMA_ASSIGN(Resident* const here, resident(id));
  GoalNotes notes;
  notes.kind = "given";
  const auto added = inject(
      here->citizen, {goal.layer, goal.source, goal.description, goal.deadline, std::move(notes)},
      *around_.now);
  if (!added) return fail(added.error());
  return {};
}

Result<GoalStack> Runtime::goals(const AgentId& id) const {
  const Citizen* citizen = find(id);
  if (citizen == nullptr) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
  return citizen->goals;
}

Result<std::optional<Plan>> Runtime::active_plan(const AgentId& id) const {
  const Citizen* citizen = find(id);
  if (citizen == nullptr) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
  return citizen->memory.active_plan;
}

Result<std::optional<PeerModel>> Runtime::peer_model(const AgentId& id, const AgentId& peer) const {
  const Citizen* citizen = find(id);
  if (citizen == nullptr) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
  const auto found = citizen->memory.peer_model.find(peer);
  if (found == citizen->memory.peer_model.end()) return std::optional<PeerModel>();
  return std::optional(found->second);
}

Result<std::uint64_t> Runtime::nop_count(const AgentId& id) const {
  const Citizen* citizen = find(id);
  if (citizen == nullptr) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
  return citizen->state.nop_count;
}

Status Runtime::flush_memory(const AgentId& id) {
  ANIMA_ASSIGN(Resident* const here, resident(id));
  if (around_.store == nullptr) return fail(ErrorCode::kUnsupported, "this world is not kept");
  const bool own = !around_.store->in_batch();
  if (own) ANIMA_TRY(around_.store->begin());
  if (here->sealed.empty())
    here->sealed = seal_identity(here->citizen.identity, around_.seal, *around_.random);
  if (Status saved = around_.store->save_agent(here->citizen, here->sealed); !saved) {
    if (own) around_.store->roll_back();
    return saved;
  }
  return own ? around_.store->commit() : Status();
}

Result<Citizen> Runtime::load(const AgentId& id) {
  if (around_.store == nullptr) return fail(ErrorCode::kUnsupported, "this world is not kept");
  ANIMA_ASSIGN(StoredAgent stored, around_.store->load_agent(id));
  ANIMA_ASSIGN(stored.citizen.identity, unseal_identity(stored.sealed_key, around_.seal));
  return std::move(stored.citizen);
}

}  // namespace anima::world
