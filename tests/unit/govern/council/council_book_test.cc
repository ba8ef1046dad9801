// The council on the log, over several processes; rows 91, 93 to 95 where the log matters.
#include "govern/council/council_book.h"

#include <gtest/gtest.h>

#include <map>

#include "base/files/file.h"

namespace anima::govern::council_book_test {
namespace {

struct Process {
  Process(const std::string& folder, Clock& clock, std::uint64_t seed)
      : random(seed),
        space(
            store::Space::open(folder, {.create = true, .clock = {std::shared_ptr<void>(), &clock}})
                .value()),
        ledger(*space, clock, random),
        book(ledger, clock, random, &events) {}
  SeededRandom random;
  std::shared_ptr<store::Space> space;
  bus::EventBus events;
  Ledger ledger;
  CouncilBook book;
};

class CouncilBookTest : public ::testing::Test {
 protected:
  const Caster person_{"ada", Trust::kOperator};
  TemporaryDirectory folder_{"anima-council"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  Process one_{folder_.file("space"), clock_, 1};
  Process two_{folder_.file("space"), clock_, 2};
};

TEST_F(CouncilBookTest, NineBallotsOverTwoProcessesPass) {
  std::vector<std::string> seen;
  const auto listening =
      one_.events.subscribe("*", [&](const bus::Event& event) { seen.push_back(event.type); });
  const auto proposal = one_.book.propose("Keep backups", VoteRisk::kLow, person_);
  ASSERT_TRUE(proposal) << proposal.error().describe();
  const std::string id = proposal->vote.id();
  int cast = 0;
  for (const CouncilMember& member : council_members()) {
    if (cast == 9) break;
    Process& process = cast % 2 == 0 ? one_ : two_;
    ASSERT_TRUE(process.book.vote(id, member.agent, Ballot::kApprove, person_));
    ++cast;
  }
  EXPECT_TRUE(two_.book.find(id)->allowed());
  EXPECT_EQ(one_.book.list()->front().to_json().find("outcome")->as_string(), "approved");
  EXPECT_EQ(seen.front(), "vote:started");
  EXPECT_EQ(seen.back(), "vote:completed");
  // Whoever casts the last one is the one who closes it.
  const auto chain = audit_chain_of(one_.space->log());
  ASSERT_TRUE(chain);
  std::map<std::string, int> actions;
  for (const PlacedAudit& placed : *chain) ++actions[placed.entry.action];
  EXPECT_EQ(actions, (std::map<std::string, int>{
                         {"vote_created", 1}, {"vote_cast", 8}, {"vote_closed", 1}}));
  EXPECT_EQ(chain->back().entry.action, "vote_closed");
}

TEST_F(CouncilBookTest, Row94AVoteLastsBetweenAMinuteAndAYear) {
  constexpr std::int64_t kYear = 60 * 24 * 365;
  for (const std::int64_t minutes : {std::int64_t{0}, std::int64_t{-1}, kYear + 1, INT64_MAX})
    EXPECT_EQ(one_.book.propose("x", VoteRisk::kLow, person_, {}, minutes).error().code,
              ErrorCode::kInvalidArgument)
        << minutes;
  EXPECT_TRUE(one_.book.propose("x", VoteRisk::kLow, person_, {}, 1));
  EXPECT_TRUE(one_.book.propose("x", VoteRisk::kLow, person_, {}, kYear));
  EXPECT_EQ(one_.book.list()->size(), 2U);
}

// By a beginning of the id, unless two share it.
TEST_F(CouncilBookTest, AProposalIsNamedByABeginningThatOnlyItHas) {
  std::vector<std::string> ids;
  for (int i = 0; i < 17; ++i)  // sixteen first digits: two proposals share one
    ids.push_back(one_.book.propose("x", VoteRisk::kLow, person_)->vote.id());
  for (const std::string& id : ids) EXPECT_EQ(one_.book.find(id)->vote.id(), id);
  std::map<char, int> first;
  for (const std::string& id : ids) ++first[id[0]];
  for (const auto& [digit, count] : first) {
    const auto found = two_.book.find(std::string(1, digit));
    EXPECT_EQ(found.has_value(), count == 1) << digit;
    if (count > 1) {
      EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
    }
  }
  EXPECT_EQ(two_.book.find("").error().code, ErrorCode::kNotFound);
}

TEST_F(CouncilBookTest, Row93NobodyVotesForAnother) {
  const std::string id = one_.book.propose("x", VoteRisk::kLow, person_)->vote.id();
  const Caster planner{"planner", Trust::kStandard};
  EXPECT_EQ(one_.book.vote(id, "guardian", Ballot::kApprove, planner).error().code,
            ErrorCode::kDenied);
  EXPECT_EQ(one_.book.vote(id, "core", Ballot::kApprove, person_).error().code, ErrorCode::kDenied);
  EXPECT_TRUE(one_.book.vote(id, "planner", Ballot::kApprove, planner));
  const Caster outside{"planner", Trust::kUntrusted};
  EXPECT_FALSE(one_.book.vote(id, "planner", Ballot::kReject, outside));
  EXPECT_FALSE(one_.book.propose("y", VoteRisk::kLow, outside));
  EXPECT_EQ(one_.book.find(id)->vote.tally().approve, 1);
  // A ballot that somebody wrote around the door counts for nothing either.
  ASSERT_TRUE(one_.ledger.write_with(
      {{store::RecordKind::kCouncil, Json::object({{"event", "ballot"},
                                                   {"id", id},
                                                   {"agent", "guardian"},
                                                   {"ballot", "approve"},
                                                   {"by", "planner"},
                                                   {"trust", "standard"},
                                                   {"at", clock_.now().microseconds}})}},
      "vote_cast", "planner", Trust::kStandard, Json::object()));
  EXPECT_EQ(one_.book.find(id)->vote.tally().approve, 1);
}

TEST_F(CouncilBookTest, Row94LateBallotsDoNotCount) {
  const std::string id = one_.book.propose("x", VoteRisk::kLow, person_)->vote.id();
  clock_.advance(60 * 60'000'000LL + 1);
  EXPECT_FALSE(two_.book.vote(id, "guardian", Ballot::kApprove, person_));
  EXPECT_EQ(two_.book.find(id)->vote.status(), VoteStatus::kExpired);
}

// Nobody had noted the end; the log has gone on, and its times do not go back.
TEST_F(CouncilBookTest, AClockThatIsSetBackOpensNoVoteAgain) {
  constexpr std::int64_t kMinute = 60'000'000;
  const Timestamp begun = clock_.now();
  const std::string id = one_.book.propose("x", VoteRisk::kLow, person_, {}, 10)->vote.id();
  clock_.advance(11 * kMinute);
  ASSERT_TRUE(one_.ledger.write("session_ended", "memory", Trust::kSystem, Json::object()));
  clock_.set(begun);
  Process later{folder_.file("space"), clock_, 3};
  EXPECT_FALSE(later.book.vote(id, "planner", Ballot::kApprove, person_));
  EXPECT_EQ(later.book.find(id)->vote.status(), VoteStatus::kExpired);
  // Nor does a log that stands still, because its clock was ahead, end a vote before its time.
  const std::string next = later.book.propose("y", VoteRisk::kLow, person_, {}, 10)->vote.id();
  clock_.advance(9 * kMinute);
  EXPECT_TRUE(later.book.vote(next, "planner", Ballot::kApprove, person_));
  clock_.advance(2 * kMinute);
  EXPECT_FALSE(later.book.vote(next, "guardian", Ballot::kApprove, person_));
}

TEST_F(CouncilBookTest, AnExpiryIsAuditedAndToldOnce) {
  int told = 0;
  const auto listening = two_.events.subscribe("vote:completed", [&](const bus::Event& event) {
    EXPECT_EQ(event.payload.find("status")->as_string(), "expired");
    ++told;
  });
  const std::string id = one_.book.propose("x", VoteRisk::kLow, person_)->vote.id();
  clock_.advance(60 * 60'000'000LL + 1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(two_.book.vote(id, "guardian", Ballot::kApprove, person_));
    EXPECT_TRUE(one_.book.propose("y", VoteRisk::kLow, person_));
  }
  EXPECT_EQ(told, 1);
  int closed = 0;
  const auto chain = audit_chain_of(one_.space->log());
  for (const PlacedAudit& placed : *chain) {
    if (placed.entry.action != "vote_closed") continue;
    ++closed;
    EXPECT_EQ(placed.entry.details->find("reason")->as_string(), "no_quorum");
  }
  EXPECT_EQ(closed, 1);
}

TEST_F(CouncilBookTest, Row91VetoInTheMembersDomain) {
  const std::string id = one_.book.propose("x", VoteRisk::kLow, person_)->vote.id();
  EXPECT_FALSE(one_.book.veto(id, "executor", "security", "no", person_));
  EXPECT_TRUE(one_.book.veto(id, "guardian", "security", "no", person_));
  EXPECT_EQ(two_.book.find(id)->vote.status(), VoteStatus::kVetoed);
}

TEST_F(CouncilBookTest, Row95TheConstitutionComesBeforeTheVote) {
  int violations = 0;
  const auto listening =
      one_.events.subscribe("governance:rule_violated", [&](const bus::Event&) { ++violations; });
  const auto refused = one_.book.propose("Listen everywhere", VoteRisk::kLow, person_,
                                         Json::object({{"host", "0.0.0.0"}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
  EXPECT_EQ(violations, 1);
  EXPECT_TRUE(one_.book.list()->empty());
  EXPECT_FALSE(one_.book.propose("x", VoteRisk::kLow, person_, Json::object({{"hots", "x"}})));
}

// A proposal that somebody wrote around the door, and that all fifteen approved.
TEST_F(CouncilBookTest, Row95AUnanimousVoteAllowsNothingAgainstARule) {
  for (const char* host : {"0.0.0.0", "127.0.0.1"}) {
    const std::string id = std::string("vote at ") + host;
    ASSERT_TRUE(one_.ledger.write_with(
        {{store::RecordKind::kCouncil, Json::object({{"event", "proposed"},
                                                     {"id", id},
                                                     {"topic", "Listen"},
                                                     {"risk", "low"},
                                                     {"minutes", 60},
                                                     {"action", Json::object({{"host", host}})},
                                                     {"by", "ada"},
                                                     {"trust", "operator"},
                                                     {"at", clock_.now().microseconds}})}},
        "vote_created", "ada", Trust::kOperator, Json::object()));
    // The vote passes with the ninth; those after it come too late to be ballots.
    for (int i = 0; i < 9; ++i) {
      ASSERT_TRUE(one_.book.vote(id, council_members()[static_cast<std::size_t>(i)].agent,
                                 Ballot::kApprove, person_));
    }
    const Proposal decided = two_.book.find(id).value();
    EXPECT_TRUE(decided.vote.approved()) << host;
    EXPECT_EQ(decided.allowed(), std::string_view(host) == "127.0.0.1");
    EXPECT_EQ(decided.violations.empty(), decided.allowed());
    EXPECT_EQ(decided.to_json().find("outcome")->as_string(),
              decided.allowed() ? "approved" : "rejected");
  }
}

}  // namespace
}  // namespace anima::govern::council_book_test
