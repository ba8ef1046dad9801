// Rows 114, 115, 150, 154 and 158 at the nexus: who may spawn, sleep, propose and vote.
#include "world/daemons/nexus.h"

#include "support/daemon_test.h"

namespace anima::world::nexus_test {
namespace {

class NexusTest : public test::DaemonTest {
 protected:
  test::DaemonAnswer propose(std::size_t agent = 0) {
    return ask(agents_[agent], Message::kProposalSubmit, {{"kind", "Custom"}, {"title", "light"}});
  }
  std::string vote(std::size_t agent, const Digest& proposal, bool yes = true) {
    return ask(agents_[agent], Message::kProposalVote,
               {{"proposal_id", pack(proposal)}, {"vote", yes}, {"weight", 1000.0F}})
        .refusal();
  }
  std::string change(std::size_t agent, const AgentId& whom, const char* status) {
    return refused(agents_[agent], Message::kAgentStatus,
                   {{"agent_id", pack(whom)}, {"status", status}});
  }
  // Reputation by what was done, as the end of a cycle gives it.
  void give_reputation(const std::vector<std::uint64_t>& approved) {
    for (std::size_t i = 0; i < approved.size(); ++i) {
      for (std::uint64_t n = 0; n < approved[i]; ++n) nexus_.credit_quality(agents_[i].id);
    }
    nexus_.end_cycle();
  }
};

TEST_F(NexusTest, Row114SpawnsOnceWithinTheGrant) {
  const std::uint64_t agents = nexus_.agents().size();
  EXPECT_EQ(spawn(agents_[0]).refusal(), "Conflict: it has spawned already");
  const Identity fresh = identity_from_seed(sha256("fresh"));
  EXPECT_EQ(spawn(fresh, 101).refusal(), "QuotaExceeded: the grant is 100 at most");
  ASSERT_TRUE(nexus_.set_status(agents_[3].id, AgentStatus::kDormant));
  EXPECT_EQ(ask(fresh, Message::kAgentSpawnRequest,
                {{"role", "Explorer"}, {"initial_fund", 50}, {"parent", pack(agents_[3].id)}})
                .refusal(),
            "Unauthorized: no active sponsor");
  EXPECT_EQ(nexus_.agents().size(), agents);
  EXPECT_EQ(balance(fresh.id), 0);
  const auto spawned =
      ask(fresh, Message::kAgentSpawnRequest,
          {{"role", "Explorer"}, {"initial_fund", 50}, {"parent", pack(agents_[0].id)}});
  ASSERT_TRUE(spawned.good()) << spawned.refusal();
  EXPECT_EQ(nexus_.agents().at(fresh.id).status, AgentStatus::kEmbryo);
  EXPECT_EQ(nexus_.agents().at(fresh.id).role, AgentRole::kExplorer);
  EXPECT_EQ(balance(fresh.id), 50);
}

TEST_F(NexusTest, AnEmptyTreasuryGrantsNothing) {
  mint_.charge(mint_.id(), static_cast<std::uint64_t>(balance(mint_.id())));
  const auto treasury = static_cast<std::uint64_t>(balance(nexus_.id()));
  ASSERT_GT(treasury, kSupply / 2);
  for (std::uint64_t left = treasury; left >= 100; left -= 100)
    ASSERT_TRUE(mint_.grant(agents_[0].id, 100).has_value());
  const Identity fresh = identity_from_seed(sha256("fresh"));
  EXPECT_EQ(spawn(fresh).refusal(), "QuotaExceeded: the treasury is empty");
  EXPECT_FALSE(nexus_.agents().contains(fresh.id));
}

TEST_F(NexusTest, Row115EmbryosWaitForTheNextCycle) {
  const Identity fresh = identity_from_seed(sha256("fresh"));
  spawn(fresh);
  world_.begin_cycle(1);
  EXPECT_EQ(nexus_.agents().at(fresh.id).status, AgentStatus::kEmbryo) << "the cycle of its birth";
  world_.begin_cycle(2);
  EXPECT_TRUE(nexus_.is_active(fresh.id));
}

TEST_F(NexusTest, Row150AnAgentMayOnlyPutItselfToSleep) {
  EXPECT_EQ(change(0, agents_[0].id, "Asleep"), "InvalidRequest: there is no such status");
  EXPECT_EQ(change(0, sha256("nobody"), "Dormant"), "NotFound: there is no such agent");
  EXPECT_EQ(change(0, agents_[1].id, "Dormant"), "Unauthorized: only an agent itself may say that");
  EXPECT_EQ(change(0, agents_[0].id, "Dead"),
            "Unauthorized: an agent may only go to sleep by itself");
  const Identity young = identity_from_seed(sha256("young"));
  spawn(young);
  EXPECT_EQ(refused(young, Message::kAgentStatus,
                    {{"agent_id", pack(young.id)}, {"new_status", "Dormant"}}),
            "Conflict: no such transition");
  // What it is already, and what others are, may be asked.
  EXPECT_TRUE(ask(agents_[0], Message::kAgentStatus,
                  {{"agent_id", pack(agents_[0].id)}, {"status", "Active"}})
                  .good());
  EXPECT_EQ(
      *ask(agents_[0], Message::kAgentStatus, {{"agent_id", pack(young.id)}}).data("status").text(),
      "Embryo");
  EXPECT_TRUE(ask(agents_[0], Message::kAgentStatus,
                  {{"agent_id", pack(agents_[0].id)}, {"status", "Dormant"}})
                  .good());
  EXPECT_FALSE(nexus_.is_active(agents_[0].id));
  EXPECT_EQ(nexus_.set_status(sha256("nobody"), AgentStatus::kDead).error().code,
            ErrorCode::kNotFound);
  ASSERT_TRUE(nexus_.set_status(agents_[1].id, AgentStatus::kDead));
  EXPECT_EQ(nexus_.set_status(agents_[1].id, AgentStatus::kActive).error().code,
            ErrorCode::kConflict);
}

TEST_F(NexusTest, OneOpenProposalAnAgent) {
  const Digest first = propose().id("proposal_id");
  EXPECT_EQ(refused(agents_[0], Message::kProposalSubmit, {{"kind", "Custom"}, {"title", "more"}}),
            "Conflict: a proposal of this agent is open already");
  EXPECT_TRUE(propose(1).good());
  realm_.cycle = 3;
  nexus_.end_cycle();
  EXPECT_FALSE(nexus_.is_open(first));
  EXPECT_TRUE(propose().good()) << "the first one is decided";
}

TEST_F(NexusTest, Row158EveryAgentVotesOnceWithItsReputation) {
  give_reputation({67, 33});
  const Digest proposal = propose().id("proposal_id");
  EXPECT_EQ(refused(agents_[0], Message::kProposalVote,
                    {{"proposal_id", pack(sha256("none"))}, {"vote", true}}),
            "NotFound: there is no such proposal");
  EXPECT_EQ(vote(0, proposal), "granted");
  EXPECT_EQ(refused(agents_[0], Message::kProposalVote,
                    {{"proposal_id", pack(proposal)}, {"vote", false}}),
            "Conflict: this agent has voted");
  EXPECT_EQ(vote(1, proposal, false), "granted");
  world_.frames.clear();
  realm_.cycle = 2;
  nexus_.end_cycle();
  EXPECT_FALSE(nexus_.is_open(proposal));
  EXPECT_EQ(refused(agents_[2], Message::kProposalVote,
                    {{"proposal_id", pack(proposal)}, {"vote", true}}),
            "Conflict: it is decided");
  ASSERT_EQ(world_.frames.size(), 2U) << "who voted hears what came of it";
  const auto result = read(world_.frames[0], std::min(agents_[0].id, agents_[1].id));
  EXPECT_EQ(result.type, Message::kProposalResult);
  EXPECT_FALSE(*result.body.find("passed")->boolean()) << "two of four are not more than half";
  EXPECT_NEAR(*result.body.find("votes_for")->float32(), 0.4, 1e-6) << "not what the vote said";
  EXPECT_NEAR(*result.body.find("votes_against")->float32(), 0.4 * 33 / 67, 1e-6);
}

TEST_F(NexusTest, Row158ThreeOfFourAndTheWeightDecide) {
  give_reputation({90, 5, 5});
  const auto passes = [&](bool first, std::uint64_t cycle) {
    const Digest proposal = propose().id("proposal_id");
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(vote(i, proposal, i == 0 ? first : !first), "granted");
    realm_.cycle = cycle;
    nexus_.end_cycle();
    return *last_told(EventKind::kProposalDecided).find("passed")->boolean();
  };
  EXPECT_FALSE(passes(false, 3)) << "two voices of little weight";
  EXPECT_TRUE(passes(true, 6));
}

TEST_F(NexusTest, Row154FiveCyclesBelowZeroAreTheEnd) {
  const AgentId& poor = agents_[0].id;
  mint_.charge(poor, 101);
  std::vector<std::uint64_t> budgets;
  for (std::uint64_t cycle = 1; cycle <= 5; ++cycle) {
    EXPECT_TRUE(nexus_.is_active(poor)) << cycle;
    // The others stay awake.
    for (const Identity& each : agents_) nexus_.credit_contribution(each.id);
    nexus_.end_cycle();
    world_.frames.clear();
    world_.begin_cycle(cycle + 1);
    for (const std::string& frame : world_.frames) {
      ReplayGuard fresh;
      const Opened opened = open_envelope(frame, poor, world_.keys(), fresh);
      if (opened.envelope && opened.envelope->type == 0x0103)
        budgets.push_back(*decode_message_pack(opened.envelope->body)->find("budget")->natural());
    }
  }
  EXPECT_EQ(budgets, (std::vector<std::uint64_t>{32, 32, 32, 16}));
  EXPECT_EQ(nexus_.agents().at(poor).status, AgentStatus::kDead);
  EXPECT_EQ(told(EventKind::kAgentKill), 1U);
  EXPECT_TRUE(nexus_.is_active(agents_[1].id));
}

TEST_F(NexusTest, Row154TheCyclesBelowZeroAreInARow) {
  const AgentId& poor = agents_[0].id;
  mint_.charge(poor, 101);
  for (int i = 0; i < 4; ++i) nexus_.end_cycle();
  EXPECT_EQ(nexus_.agents().at(poor).negative_cycles, 4U);
  ASSERT_TRUE(mint_.grant(poor, 1).has_value());
  nexus_.end_cycle();
  EXPECT_EQ(nexus_.agents().at(poor).negative_cycles, 0U) << "zero is not below zero";
  EXPECT_TRUE(nexus_.is_active(poor));
}

TEST_F(NexusTest, ElevenIdleCyclesAreASleep) {
  realm_.cycle = 11;
  nexus_.credit_contribution(agents_[1].id);
  for (std::size_t i : {0U, 2U, 3U}) EXPECT_TRUE(nexus_.is_active(agents_[i].id));
  nexus_.end_cycle();
  EXPECT_TRUE(nexus_.is_active(agents_[0].id)) << "ten are not more than ten";
  realm_.cycle = 12;
  nexus_.end_cycle();
  EXPECT_FALSE(nexus_.is_active(agents_[0].id));
  EXPECT_TRUE(nexus_.is_active(agents_[1].id));
}

TEST_F(NexusTest, ReputationIsSharedByWhatWasDone) {
  for (int i = 0; i < 2; ++i) nexus_.credit_quality(agents_[0].id);
  nexus_.credit_quality(agents_[1].id);
  nexus_.credit_contribution(agents_[1].id);
  ASSERT_TRUE(mint_.transfer(agents_[0].id, agents_[2].id, 10, "test").has_value());
  ASSERT_TRUE(propose(3).good());
  nexus_.end_cycle();
  const float expected[] = {0.4F, 0.5F, 0.2F, 0.1F};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ(nexus_.agents().at(agents_[i].id).reputation, expected[i]) << i;
}

TEST_F(NexusTest, MilestonesOpenTheEpochs) {
  const auto after = [&] {
    nexus_.end_cycle();
    return nexus_.epoch();
  };
  EXPECT_EQ(after(), 0U);
  nexus_.bounty_paid();
  EXPECT_EQ(after(), 0U) << "one after the other";
  nexus_.program_ran();
  EXPECT_EQ(after(), 1U);
  EXPECT_EQ(after(), 1U);
  nexus_.dependency_made();
  EXPECT_EQ(after(), 2U);
  EXPECT_EQ(after(), 3U);
  EXPECT_EQ(after(), 3U) << "sixteen agents are needed";
  for (int i = 0; i < 12; ++i) spawn(identity_from_seed(sha256("more" + std::to_string(i))), 0);
  world_.begin_cycle(9);
  EXPECT_EQ(nexus_.active_count(), 16U);
  EXPECT_EQ(after(), 4U);
}

}  // namespace
}  // namespace anima::world::nexus_test
