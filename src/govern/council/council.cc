#include "govern/council/council.h"

#include <algorithm>

namespace anima::govern {
namespace {

constexpr std::array<CouncilMember, Vote::kMembers> kCouncil = {{
    {"ATLAS", "router", "Navigator", "infrastructure", "balanced", ""},
    {"BOLT", "executor", "Executor", "infrastructure", "progressive", ""},
    {"ECHO", "memory_keeper", "Archivist", "infrastructure", "cautious", "memory"},
    {"AEGIS", "guardian", "Guardian", "protection", "cautious", "security"},
    {"SCOUT", "risk_assessor", "Risk scout", "protection", "cautious", "high_risk"},
    {"TRUE", "planner", "Strategist", "strategy", "progressive", ""},
    {"TEMPO", "scheduler", "Timekeeper", "strategy", "balanced", "time_conflict"},
    {"OPAL", "resource_manager", "Resource guardian", "strategy", "balanced", "resource_depletion"},
    {"PULSE", "wellness", "Health guardian", "domains", "balanced", "health_harm"},
    {"EMBER", "relationships", "Connection keeper", "domains", "balanced", ""},
    {"PRISM", "creative", "Creative spark", "domains", "progressive", ""},
    {"MINT", "wealth", "Wealth guardian", "domains", "balanced", "major_financial"},
    {"BLOOM", "growth", "Growth guide", "domains", "progressive", ""},
    {"VERA", "ethics", "Truth speaker", "meta", "cautious", "ethics_violation"},
    {"NEXUS", "integrator", "Integrator", "meta", "balanced", ""},
}};

constexpr std::array<std::string_view, 4> kRisks = {"low", "medium", "high", "critical"};
constexpr std::array<std::string_view, 3> kBallots = {"approve", "reject", "abstain"};
constexpr std::array<std::string_view, 5> kStatuses = {"open", "passed", "failed", "expired",
                                                       "vetoed"};

template <typename Enum, std::size_t N>
Result<Enum> parse(const std::array<std::string_view, N>& names, std::string_view text,
                   const char* what) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  std::string hint = "one of";
  for (const std::string_view name : names) hint += " " + std::string(name);
  return fail(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is no " + what, {},
              std::move(hint));
}

}  // namespace

std::span<const CouncilMember> council_members() { return kCouncil; }

const CouncilMember* council_member(std::string_view agent) {
  const auto* found = std::ranges::find(kCouncil, agent, &CouncilMember::agent);
  return found == kCouncil.end() ? nullptr : found;
}

std::string_view to_string(VoteRisk risk) { return kRisks[static_cast<std::size_t>(risk)]; }
std::string_view to_string(Ballot ballot) { return kBallots[static_cast<std::size_t>(ballot)]; }
std::string_view to_string(VoteStatus status) {
  return kStatuses[static_cast<std::size_t>(status)];
}
Result<VoteRisk> parse_vote_risk(std::string_view text) {
  return parse<VoteRisk>(kRisks, text, "risk");
}
Result<Ballot> parse_ballot(std::string_view text) {
  return parse<Ballot>(kBallots, text, "ballot");
}

Vote::Vote(std::string id, std::string topic, VoteRisk risk, Timestamp opened, std::int64_t minutes)
    : id_(std::move(id)),
      topic_(std::move(topic)),
      risk_(risk),
      deadline_{opened.microseconds + minutes * 60'000'000} {}

int Vote::needed() const {
  switch (risk_) {
    case VoteRisk::kLow:
    case VoteRisk::kMedium:
      return 9;
    case VoteRisk::kHigh:
      return 10;
    case VoteRisk::kCritical:
      return kMembers;
  }
  return kMembers;
}

Tally Vote::tally() const {
  Tally tally;
  for (const auto& [agent, ballot] : ballots_) {
    ++(ballot == Ballot::kApprove  ? tally.approve
       : ballot == Ballot::kReject ? tally.reject
                                   : tally.abstain);
  }
  return tally;
}

void Vote::close(VoteStatus status, std::string reason) {
  status_ = status;
  reason_ = std::move(reason);
}

void Vote::expire(Timestamp now) {
  if (status_ != VoteStatus::kOpen || now <= deadline_) return;
  close(VoteStatus::kExpired, tally().ballots() < kQuorum ? "no_quorum" : "below_threshold");
}

Status Vote::require_open(std::string_view agent, Timestamp now) {
  if (council_member(agent) == nullptr) {
    return fail(ErrorCode::kDenied, "'" + std::string(agent) + "' is no member of the council");
  }
  if (status_ == VoteStatus::kOpen && now > deadline_) {
    expire(now);
    return fail(ErrorCode::kTimeout, "the vote ended at " + format_timestamp(deadline_));
  }
  if (status_ != VoteStatus::kOpen) {
    return fail(ErrorCode::kConflict, "the vote is closed: " + std::string(to_string(status_)));
  }
  return {};
}

// A vote ends as soon as no further ballot can change it.
void Vote::close_early() {
  const Tally counted = tally();
  const int open = kMembers - counted.ballots();
  if (counted.approve >= needed() && counted.ballots() >= kQuorum)
    return close(VoteStatus::kPassed, "approved");
  if (counted.approve + open < needed()) close(VoteStatus::kFailed, "below_threshold");
}

Status Vote::cast(std::string_view agent, Ballot ballot, Timestamp now) {
  ANIMA_TRY(require_open(agent, now));
  ballots_.insert_or_assign(std::string(agent), ballot);
  close_early();
  return {};
}

Status Vote::veto(std::string_view agent, std::string_view domain, std::string_view reason,
                  Timestamp now) {
  ANIMA_TRY(require_open(agent, now));
  const CouncilMember& member = *council_member(agent);
  if (member.veto_domain.empty() || member.veto_domain != domain) {
    return fail(ErrorCode::kDenied,
                "'" + std::string(agent) + "' has no veto in '" + std::string(domain) + "'");
  }
  close(VoteStatus::kVetoed, "vetoed by " + std::string(agent) + ": " + std::string(reason));
  return {};
}

Json Vote::to_json() const {
  Json ballots = Json::object();
  for (const auto& [agent, ballot] : ballots_) ballots.set(agent, std::string(to_string(ballot)));
  const Tally counted = tally();
  return Json::object({{"id", id_},
                       {"topic", topic_},
                       {"risk", std::string(to_string(risk_))},
                       {"status", std::string(to_string(status_))},
                       {"reason", reason_},
                       {"deadline", format_timestamp(deadline_)},
                       {"needed", needed()},
                       {"quorum", kQuorum},
                       {"approve", counted.approve},
                       {"reject", counted.reject},
                       {"abstain", counted.abstain},
                       {"ballots", std::move(ballots)}});
}

}  // namespace anima::govern
