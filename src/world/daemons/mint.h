// The mint: accounts, escrow and stakes. Nothing is made or lost: the sum of all accounts is the
// supply, always. The treasury is the account of the nexus, the reserve that of the mint.
// Source: governance_and_runtime 2.8. Thread-safety: one thread at a time.
#pragma once

#include <map>
#include <string>

#include "world/daemons/daemon.h"

namespace anima::world {

inline constexpr std::uint64_t kSupply = 10'000;
inline constexpr std::uint64_t kTreasury = 5'000;
inline constexpr std::uint64_t kGrant = 100;

// One in twenty, rounded down, at least 1.
std::uint64_t tax_of(std::uint64_t amount);

struct Account {
  std::int64_t balance = 0;
  std::uint64_t locked = 0;  // of the balance
  std::uint64_t total_earned = 0;
  std::uint64_t total_spent = 0;
  ANIMA_FIELDS(ANIMA_FIELD(balance) ANIMA_FIELD(locked) ANIMA_FIELD(total_earned)
                   ANIMA_FIELD(total_spent))
};
struct Escrow {
  AgentId payer{};
  std::optional<AgentId> payee;
  std::uint64_t amount = 0;
  std::uint64_t deadline = 0;
  bool open = true;
  ANIMA_FIELDS(ANIMA_FIELD(payer) ANIMA_FIELD(payee) ANIMA_FIELD(amount) ANIMA_FIELD(deadline)
                   ANIMA_FIELD(open))
};
struct Stake {
  AgentId owner{};
  Digest proposal{};
  std::uint64_t amount = 0;
  bool side = false;
  bool open = true;
  ANIMA_FIELDS(ANIMA_FIELD(owner) ANIMA_FIELD(proposal) ANIMA_FIELD(amount) ANIMA_FIELD(side)
                   ANIMA_FIELD(open))
};

class Mint final : public Daemon {
 public:
  Mint(Realm& realm, std::string_view secret) : Daemon(realm, System::kMint, secret) {}

  // The supply for a world of so many agents, all of it in treasury and reserve.
  void found(std::size_t agents);
  // From the treasury, without tax: a grant for a new agent.
  Or<bool> grant(const AgentId& to, std::uint64_t amount);
  // The payer pays the amount and the tax. Refusals: kQuotaExceeded.
  Or<Digest> transfer(const AgentId& from, const AgentId& to, std::uint64_t amount,
                      std::string_view kind);
  // Locks amount and tax until release, refund or the deadline.
  Or<Digest> hold(const AgentId& payer, std::optional<AgentId> payee, std::uint64_t amount,
                  std::uint64_t deadline);
  Or<bool> release(const Digest& escrow, const AgentId& payee);
  void refund(const Digest& escrow);
  void refund_overdue();
  // To the treasury, whatever the balance: it may go below zero.
  void charge(const AgentId& from, std::uint64_t amount);
  // The stakes of a proposal: the losers pay the winners in proportion.
  void resolve_stakes(const Digest& proposal, bool passed);

  const Account& account(const AgentId& id) const;
  std::int64_t total() const;  // of all accounts
  std::uint64_t supply() const { return supply_; }

  MessagePack state() const override;
  Status restore(const MessagePack& state) override;

 protected:
  Answer handle(const Request& request) override;

 private:
  std::int64_t available(const AgentId& id) const;

  std::uint64_t supply_ = kSupply;
  std::map<AgentId, Account> accounts_;
  std::map<Digest, Escrow> escrows_;
  std::map<Digest, Stake> stakes_;
};

}  // namespace anima::world
