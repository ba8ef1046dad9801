// Row 157 and the refusals of the mint: nobody pays what he has not, and nothing is made or lost.
#include "world/daemons/mint.h"

#include "support/daemon_test.h"

namespace anima::world::mint_test {
namespace {

class MintTest : public test::DaemonTest {
 protected:
  void TearDown() override { EXPECT_EQ(mint_.total(), static_cast<std::int64_t>(mint_.supply())); }
  std::string transfer(const AgentId& to, std::uint64_t amount) {
    return refused(agents_[0], Message::kTransfer, {{"to", pack(to)}, {"amount", amount}});
  }
  std::string escrow(std::uint64_t amount, std::uint64_t deadline) {
    return refused(agents_[0], Message::kEscrowCreate,
                   {{"payee", pack(agents_[1].id)}, {"amount", amount}, {"deadline", deadline}});
  }
  std::string stake(std::size_t agent, const Digest& proposal, std::uint64_t amount, bool side) {
    return ask(agents_[agent], Message::kStakeCreate,
               {{"proposal_id", pack(proposal)}, {"amount", amount}, {"side", side}})
        .refusal();
  }
  std::uint64_t locked(std::size_t agent) { return mint_.account(agents_[agent].id).locked; }
  std::int64_t has(std::size_t agent) { return balance(agents_[agent].id); }
};

TEST_F(MintTest, Row157APaymentNeedsItsTaxToo) {
  EXPECT_EQ(transfer(agents_[1].id, 0), "InvalidRequest: there is no such payment");
  EXPECT_EQ(transfer(agents_[1].id, kSupply + 1), "InvalidRequest: there is no such payment");
  EXPECT_EQ(transfer(sha256("nobody"), 10), "InvalidRequest: there is no such payment");
  EXPECT_EQ(transfer(agents_[1].id, 97), "QuotaExceeded: the balance does not reach")
      << "97 and a tax of 4";
  const std::int64_t treasury = balance(nexus_.id());
  const auto paid =
      ask(agents_[0], Message::kTransfer, {{"to", pack(agents_[1].id)}, {"amount", 96}});
  ASSERT_TRUE(paid.good()) << paid.refusal();
  EXPECT_EQ(*paid.body.find("tax")->natural(), 4U);
  EXPECT_EQ(has(0), 0);
  EXPECT_EQ(has(1), 196);
  EXPECT_EQ(balance(nexus_.id()), treasury + 4);
  EXPECT_EQ(mint_.account(agents_[1].id).total_earned, 96U);
  EXPECT_EQ(mint_.account(agents_[0].id).total_spent, 100U);
}

TEST_F(MintTest, KnowsItsAccountsAlone) {
  EXPECT_EQ(refused(agents_[0], Message::kBalanceQuery, {{"agent_id", pack(sha256("nobody"))}}),
            "NotFound: there is no such account");
  EXPECT_EQ(*ask(agents_[0], Message::kBalanceQuery, {{"agent_id", pack(agents_[0].id)}})
                 .data("balance")
                 .natural(),
            100U);
}

TEST_F(MintTest, EscrowLocksUntilItsDeadline) {
  const std::uint64_t later = realm_.tick + 10;
  EXPECT_EQ(escrow(0, later), "InvalidRequest: a wrong amount");
  EXPECT_EQ(escrow(kSupply + 1, later), "InvalidRequest: a wrong amount");
  EXPECT_EQ(escrow(10, realm_.tick), "InvalidRequest: the deadline is over");
  EXPECT_EQ(escrow(97, later), "QuotaExceeded: the balance does not reach");
  const Digest held = ask(agents_[0], Message::kEscrowCreate,
                          {{"payee", pack(agents_[1].id)}, {"amount", 60}, {"deadline", later}})
                          .id("escrow_id");
  EXPECT_EQ(locked(0), 63U);
  EXPECT_EQ(transfer(agents_[1].id, 37), "QuotaExceeded: the balance does not reach");
  EXPECT_EQ(escrow(37, later), "QuotaExceeded: the balance does not reach");
  realm_.tick = later;
  mint_.refund_overdue();
  EXPECT_EQ(locked(0), 63U) << "on its last tick";
  ++realm_.tick;
  mint_.refund_overdue();
  EXPECT_EQ(locked(0), 0U);
  EXPECT_EQ(mint_.release(held, agents_[1].id).error().message, "the escrow is not open");
  EXPECT_EQ(has(1), 100);
}

TEST_F(MintTest, AnEscrowIsReleasedOnce) {
  const Digest held = *mint_.hold(agents_[0].id, agents_[1].id, 60, realm_.tick + 10);
  ASSERT_TRUE(mint_.release(held, agents_[1].id).has_value());
  EXPECT_EQ(has(1), 160);
  EXPECT_FALSE(mint_.release(held, agents_[1].id).has_value());
  mint_.refund(held);
  EXPECT_EQ(locked(0), 0U);
  EXPECT_EQ(told(EventKind::kEscrowRefunded), 0U);
}

TEST_F(MintTest, StakesAreLockedAndGoToWhoWasRight) {
  const Digest none = sha256("none");
  EXPECT_EQ(refused(agents_[0], Message::kStakeCreate,
                    {{"proposal_id", pack(none)}, {"amount", 10}, {"side", true}}),
            "NotFound: the proposal is not open");
  const Digest proposal =
      ask(agents_[3], Message::kProposalSubmit, {{"kind", "Custom"}, {"title", "light"}})
          .id("proposal_id");
  for (const std::uint64_t amount : {std::uint64_t{0}, std::uint64_t{101}, ~std::uint64_t{0}})
    EXPECT_EQ(refused(agents_[0], Message::kStakeCreate,
                      {{"proposal_id", pack(proposal)}, {"amount", amount}, {"side", true}}),
              "QuotaExceeded: the balance does not reach");
  EXPECT_EQ(stake(0, proposal, 30, true), "granted");
  EXPECT_EQ(stake(1, proposal, 10, true), "granted");
  EXPECT_EQ(stake(2, proposal, 41, false), "granted");
  EXPECT_EQ(stake(0, proposal, 71, true), "QuotaExceeded: the balance does not reach");
  const std::int64_t treasury = balance(nexus_.id());
  mint_.resolve_stakes(proposal, true);
  EXPECT_EQ(has(0), 130);
  EXPECT_EQ(has(1), 110);
  EXPECT_EQ(has(2), 59);
  EXPECT_EQ(balance(nexus_.id()), treasury + 1) << "what does not divide";
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(locked(i), 0U);
  mint_.resolve_stakes(proposal, true);
  EXPECT_EQ(told(EventKind::kStakeResolved), 1U) << "once";
}

}  // namespace
}  // namespace anima::world::mint_test
