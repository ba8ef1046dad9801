// Council: fifteen members, their votes and vetoes.
//
// Everything counts against all fifteen: a vote passes with at least nine ballots (abstentions
// included) and, by risk, nine (low, medium), ten (high) or fifteen (critical) approvals; else it
// fails. Members with a veto domain end a vote in it at once. Nothing here outvotes the
// constitution: ask it first. Thread-safety: one thread at a time. Source: governance
// specification 1.9, table rows 85-95.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"

namespace anima::govern {

struct CouncilMember {
  std::string_view name;
  std::string_view agent;
  std::string_view title;
  std::string_view pillar;
  std::string_view style;
  std::string_view veto_domain;  // empty: none
};
std::span<const CouncilMember> council_members();  // in the order of the source
const CouncilMember* council_member(std::string_view agent);

enum class VoteRisk : std::uint8_t { kLow, kMedium, kHigh, kCritical };
enum class Ballot : std::uint8_t { kApprove, kReject, kAbstain };
enum class VoteStatus : std::uint8_t { kOpen, kPassed, kFailed, kExpired, kVetoed };
std::string_view to_string(VoteRisk risk);
std::string_view to_string(Ballot ballot);
std::string_view to_string(VoteStatus status);
Result<VoteRisk> parse_vote_risk(std::string_view text);
Result<Ballot> parse_ballot(std::string_view text);

struct Tally {
  int approve = 0, reject = 0, abstain = 0;
  int ballots() const { return approve + reject + abstain; }
};

class Vote {
 public:
  static constexpr int kMembers = 15;
  static constexpr int kQuorum = 9;
  static constexpr std::int64_t kDefaultMinutes = 60;

  Vote(std::string id, std::string topic, VoteRisk risk, Timestamp opened,
       std::int64_t minutes = kDefaultMinutes);

  // A second ballot replaces the first. Errors: kDenied (no member), kConflict (closed), kTimeout
  // (late: the vote expires).
  Status cast(std::string_view agent, Ballot ballot, Timestamp now);
  // Errors: kDenied (no member, or not its domain), kConflict (closed).
  Status veto(std::string_view agent, std::string_view domain, std::string_view reason,
              Timestamp now);
  // Closes the vote when its deadline has passed.
  void expire(Timestamp now);

  const std::string& id() const { return id_; }
  const std::string& topic() const { return topic_; }
  VoteRisk risk() const { return risk_; }
  VoteStatus status() const { return status_; }
  bool approved() const { return status_ == VoteStatus::kPassed; }
  const std::string& reason() const {
    return reason_;
  }  // "no_quorum", "below_threshold", "vetoed by guardian: ..."
  int needed() const;
  Tally tally() const;
  Timestamp deadline() const { return deadline_; }

  Json to_json() const;

 private:
  Status require_open(std::string_view agent, Timestamp now);
  void close_early();
  void close(VoteStatus status, std::string reason);

  std::string id_, topic_, reason_;
  VoteRisk risk_;
  Timestamp deadline_;
  VoteStatus status_ = VoteStatus::kOpen;
  std::map<std::string, Ballot, std::less<>> ballots_;
};

}  // namespace anima::govern
