#include "world/daemons/nexus.h"

#include <algorithm>

#include "world/daemons/mint.h"

namespace anima::world {

std::uint64_t budget_after(std::uint64_t budget, std::uint64_t negative_cycles) {
  if (negative_cycles == 0) return budget;
  if (negative_cycles >= kBankruptCycles) return 0;
  return negative_cycles + 1 == kBankruptCycles ? budget / 4 : budget / 2;
}

bool passes(std::uint64_t voters, std::uint64_t active, double weight_for, double weight_against) {
  const double all = weight_for + weight_against;
  return 2 * voters > active && all > 0 && weight_for / all > 0.66;
}

Nexus::Nexus(Realm& realm, std::string_view secret) : Daemon(realm, System::kNexus, secret) {
  introduced_[id()] = identity().key.public_key;
}

std::optional<PublicKey> Nexus::key_of(const AgentId& id) const {
  if (const auto known = agents_.find(id); known != agents_.end()) return known->second.public_key;
  if (const auto known = introduced_.find(id); known != introduced_.end()) return known->second;
  return std::nullopt;
}

bool Nexus::is_active(const AgentId& id) const {
  const auto known = agents_.find(id);
  return known != agents_.end() && known->second.status == AgentStatus::kActive;
}

bool Nexus::is_open(const Digest& proposal) const {
  const auto known = proposals_.find(proposal);
  return known != proposals_.end() && known->second.open;
}

std::uint64_t Nexus::active_count() const {
  return static_cast<std::uint64_t>(
      std::count_if(agents_.begin(), agents_.end(),
                    [](const auto& each) { return each.second.status == AgentStatus::kActive; }));
}

Status Nexus::set_status(const AgentId& id, AgentStatus status) {
  const auto known = agents_.find(id);
  if (known == agents_.end()) return fail(ErrorCode::kNotFound, "no such agent", alias(id));
  Registered& agent = known->second;
  if (!may_become(agent.status, status))
    return fail(ErrorCode::kConflict,
                "an agent that is " + std::string(to_string(agent.status)) + " cannot become " +
                    std::string(to_string(status)),
                alias(id));
  tell(status == AgentStatus::kDead ? EventKind::kAgentKill : EventKind::kAgentStatusChange,
       body_of({{"agent_id", pack(id)},
                {"old", pack(agent.status)},
                {"new", pack(status)},
                {"tick", realm_.tick}}));
  agent.status = status;
  agent.last_write_cycle = realm_.cycle;
  return {};
}

void Nexus::credit_quality(const AgentId& id) {
  if (const auto known = agents_.find(id); known != agents_.end()) ++known->second.quality;
}

void Nexus::credit_contribution(const AgentId& id) {
  const auto known = agents_.find(id);
  if (known == agents_.end()) return;
  ++known->second.contribution;
  known->second.last_write_cycle = realm_.cycle;
}

Answer Nexus::handle(const Request& request) {
  switch (request.type) {
    case Message::kAgentSpawnRequest:
      return spawn(request);
    case Message::kAgentStatus:
      return status(request);
    case Message::kProposalSubmit:
      return submit(request);
    case Message::kProposalVote:
      return vote(request);
    default:
      return refuse(Category::kInvalidRequest, "the nexus does not answer that");
  }
}

Answer Nexus::spawn(const Request& request) {
  Fields fields(request.body);
  const auto role = fields.need<AgentRole>("role");
  const auto fund = fields.need<std::uint64_t>("initial_fund");
  const auto parent = fields.take<std::optional<AgentId>>("parent");
  if (fields.fault()) return fields.refusal();
  if (agents_.contains(request.sender))
    return refuse(Category::kConflict, "it has spawned already");
  if (fund > kGrant) return refuse(Category::kQuotaExceeded, "the grant is 100 at most");
  if (parent && !is_active(*parent)) return refuse(Category::kUnauthorized, "no active sponsor");
  const Or<bool> granted = realm_.mint->grant(request.sender, fund);
  if (!granted) return Unexpected<Refusal>(granted.error());
  Registered agent;
  agent.public_key = *key_of(request.sender);
  agent.role = role;
  agent.spawned_cycle = realm_.cycle;
  agent.last_write_cycle = realm_.cycle;
  introduced_.erase(request.sender);
  agents_[request.sender] = agent;
  tell(EventKind::kAgentSpawn,
       body_of({{"agent_id", pack(request.sender)}, {"role", pack(role)}, {"tick", realm_.tick}}));
  notify(request.sender, Message::kAgentSpawnAck,
         body_of({{"agent_id", pack(request.sender)}, {"status", pack(agent.status)}}));
  return body_of({{"agent_id", pack(request.sender)}});
}

Answer Nexus::status(const Request& request) {
  Fields fields(request.body);
  const auto who = fields.need<AgentId>("agent_id");
  // A question has no status; "new_status" is its name in another document of the source.
  const MessagePack* said = request.body.find("status");
  if (said == nullptr || said->is_nil()) said = request.body.find("new_status");
  const bool asked = said != nullptr && !said->is_nil();
  AgentStatus wanted = AgentStatus::kEmbryo;
  if (asked && !unpack_to(*said, wanted))
    return refuse(Category::kInvalidRequest, "there is no such status");
  if (fields.fault()) return fields.refusal();
  const auto known = agents_.find(who);
  if (known == agents_.end()) return refuse(Category::kNotFound, "there is no such agent");
  if (asked && wanted != known->second.status) {
    if (who != request.sender)
      return refuse(Category::kUnauthorized, "only an agent itself may say that");
    if (wanted != AgentStatus::kDormant)
      return refuse(Category::kUnauthorized, "an agent may only go to sleep by itself");
    if (!set_status(who, wanted)) return refuse(Category::kConflict, "no such transition");
  }
  return body_of({{"agent_id", pack(who)},
                  {"status", pack(known->second.status)},
                  {"reputation", known->second.reputation}});
}

Answer Nexus::submit(const Request& request) {
  Fields fields(request.body);
  Proposal proposal;
  proposal.proposer = request.sender;
  proposal.kind = fields.need<ProposalKind>("kind");
  proposal.title = fields.need<std::string>("title");
  proposal.cycle = realm_.cycle;
  if (fields.fault()) return fields.refusal();
  const bool open = std::any_of(proposals_.begin(), proposals_.end(), [&](const auto& each) {
    return each.second.open && each.second.proposer == request.sender;
  });
  if (open) return refuse(Category::kConflict, "a proposal of this agent is open already");
  const Digest id = fresh_id("proposal", request.sender);
  ++agents_[request.sender].governance;
  tell(EventKind::kProposalSubmitted, body_of({{"proposal_id", pack(id)},
                                               {"proposer", pack(request.sender)},
                                               {"title", proposal.title}}));
  proposals_[id] = std::move(proposal);
  return body_of({{"proposal_id", pack(id)}});
}

Answer Nexus::vote(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("proposal_id");
  const auto yes = fields.need<bool>("vote");
  if (fields.fault()) return fields.refusal();
  const auto found = proposals_.find(id);
  if (found == proposals_.end()) return refuse(Category::kNotFound, "there is no such proposal");
  if (!found->second.open) return refuse(Category::kConflict, "it is decided");
  Registered& voter = agents_[request.sender];
  // The weight is the voter's reputation, whatever the message says.
  if (!found->second.votes.emplace(request.sender, Ballot{yes, voter.reputation}).second)
    return refuse(Category::kConflict, "this agent has voted");
  ++voter.governance;
  tell(EventKind::kProposalVoted,
       body_of({{"proposal_id", pack(id)}, {"voter", pack(request.sender)}, {"vote", yes}}));
  return MessagePack(MessagePack::Map());
}

void Nexus::begin_cycle(const Digest& world_hash) {
  std::vector<AgentId> ready;
  for (const auto& each : agents_) {
    if (each.second.status == AgentStatus::kEmbryo && realm_.cycle > each.second.spawned_cycle)
      ready.push_back(each.first);
  }
  for (const AgentId& id : ready) static_cast<void>(set_status(id, AgentStatus::kActive));
  for (const auto& each : agents_) {
    if (each.second.status != AgentStatus::kActive) continue;
    const std::uint64_t budget = budget_after(kBaseTickBudget, each.second.negative_cycles);
    notify(each.first, Message::kTickAlloc,
           body_of({{"agent_id", pack(each.first)}, {"budget", budget}, {"cycle", realm_.cycle}}));
    notify(each.first, Message::kWorldState,
           body_of({{"cycle", realm_.cycle},
                    {"world_hash", pack(world_hash)},
                    {"epoch", std::uint64_t{epoch_}}}));
  }
}

void Nexus::end_cycle() {
  decide_proposals();
  update_reputation();
  check_balances();
  std::vector<AgentId> idle;
  for (const auto& each : agents_) {
    if (each.second.status == AgentStatus::kActive &&
        realm_.cycle - each.second.last_write_cycle > kIdleCyclesToDormancy)
      idle.push_back(each.first);
  }
  for (const AgentId& id : idle) static_cast<void>(set_status(id, AgentStatus::kDormant));
  advance_epoch();
  tell(EventKind::kCycleEnd, body_of({{"cycle", realm_.cycle}, {"tick", realm_.tick}}));
}

void Nexus::update_reputation() {
  double best[4] = {0, 0, 0, 0};
  const auto parts = [&](const AgentId& id, const Registered& agent) {
    return std::array<double, 4>{static_cast<double>(agent.quality),
                                 static_cast<double>(agent.contribution),
                                 static_cast<double>(realm_.mint->account(id).total_earned),
                                 static_cast<double>(agent.governance)};
  };
  for (const auto& each : agents_) {
    const auto values = parts(each.first, each.second);
    for (std::size_t i = 0; i < 4; ++i) best[i] = std::max(best[i], values[i]);
  }
  constexpr double kShares[4] = {0.4, 0.3, 0.2, 0.1};
  for (auto& each : agents_) {
    const auto values = parts(each.first, each.second);
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += best[i] > 0 ? kShares[i] * values[i] / best[i] : 0;
    const auto fresh = static_cast<float>(sum);
    if (fresh == each.second.reputation) continue;
    tell(
        EventKind::kReputationUpdated,
        body_of({{"agent_id", pack(each.first)}, {"old", each.second.reputation}, {"new", fresh}}));
    each.second.reputation = fresh;
  }
}

void Nexus::check_balances() {
  std::vector<AgentId> bankrupt;
  for (auto& each : agents_) {
    Registered& agent = each.second;
    if (agent.status == AgentStatus::kDead || agent.status == AgentStatus::kEmbryo) continue;
    agent.negative_cycles =
        realm_.mint->account(each.first).balance < 0 ? agent.negative_cycles + 1 : 0;
    if (agent.negative_cycles >= kBankruptCycles) bankrupt.push_back(each.first);
  }
  for (const AgentId& id : bankrupt) static_cast<void>(set_status(id, AgentStatus::kDead));
}

void Nexus::decide_proposals() {
  for (auto& each : proposals_) {
    Proposal& proposal = each.second;
    if (!proposal.open || realm_.cycle < proposal.cycle + kProposalCycles) continue;
    double yes = 0, no = 0;
    for (const auto& vote : proposal.votes)
      (vote.second.yes ? yes : no) += static_cast<double>(vote.second.weight);
    proposal.open = false;
    proposal.passed = passes(proposal.votes.size(), active_count(), yes, no);
    realm_.mint->resolve_stakes(each.first, proposal.passed);
    tell(EventKind::kProposalDecided,
         body_of({{"proposal_id", pack(each.first)}, {"passed", proposal.passed}}));
    const MessagePack result = body_of({{"proposal_id", pack(each.first)},
                                        {"passed", proposal.passed},
                                        {"votes_for", static_cast<float>(yes)},
                                        {"votes_against", static_cast<float>(no)},
                                        {"total_voters", proposal.votes.size()}});
    for (const auto& vote : proposal.votes) notify(vote.first, Message::kProposalResult, result);
    proposal.votes.clear();  // they have counted; as many as agents for each proposal
  }
}

void Nexus::advance_epoch() {
  const bool reached = (epoch_ == 0 && program_ran_) || (epoch_ == 1 && dependency_made_) ||
                       (epoch_ == 2 && bounty_paid_) || (epoch_ == 3 && active_count() >= 16);
  if (!reached) return;
  tell(EventKind::kEpochChange, body_of({{"old", std::uint64_t{epoch_}},
                                         {"new", std::uint64_t{epoch_} + 1},
                                         {"tick", realm_.tick}}));
  ++epoch_;
}

MessagePack Nexus::state() const {
  return body_of({{"agents", pack(agents_)},
                  {"proposals", pack(proposals_)},
                  {"epoch", std::uint64_t{epoch_}},
                  {"program_ran", program_ran_},
                  {"dependency_made", dependency_made_},
                  {"bounty_paid", bounty_paid_}});
}

Status Nexus::restore(const MessagePack& state) {
  Fields fields(state);
  agents_ = fields.need<std::map<AgentId, Registered>>("agents");
  proposals_ = fields.need<std::map<Digest, Proposal>>("proposals");
  epoch_ = fields.need<Epoch>("epoch");
  program_ran_ = fields.need<bool>("program_ran");
  dependency_made_ = fields.need<bool>("dependency_made");
  bounty_paid_ = fields.need<bool>("bounty_paid");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of the nexus cannot be read");
  return {};
}

}  // namespace anima::world
