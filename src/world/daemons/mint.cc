#include "world/daemons/mint.h"

#include <algorithm>

#include "world/daemons/nexus.h"

namespace anima::world {

std::uint64_t tax_of(std::uint64_t amount) { return std::max<std::uint64_t>(1, amount / 20); }

void Mint::found(std::size_t agents) {
  supply_ = std::max<std::uint64_t>(kSupply, kTreasury + kGrant * agents);
  accounts_[realm_.nexus->id()].balance = static_cast<std::int64_t>(kTreasury);
  accounts_[id()].balance = static_cast<std::int64_t>(supply_ - kTreasury);
}

const Account& Mint::account(const AgentId& id) const {
  static const Account kNone;
  const auto found = accounts_.find(id);
  return found == accounts_.end() ? kNone : found->second;
}

std::int64_t Mint::total() const {
  std::int64_t sum = 0;
  for (const auto& each : accounts_) sum += each.second.balance;
  return sum;
}

std::int64_t Mint::available(const AgentId& id) const {
  const Account& owner = account(id);
  return owner.balance - static_cast<std::int64_t>(owner.locked);
}

Or<bool> Mint::grant(const AgentId& to, std::uint64_t amount) {
  // The agents of the beginning are paid from the reserve, later ones from the treasury.
  const auto wanted = static_cast<std::int64_t>(amount);
  const AgentId& source = available(id()) >= wanted ? id() : realm_.nexus->id();
  if (available(source) < wanted) return refuse(Category::kQuotaExceeded, "the treasury is empty");
  accounts_[source].balance -= wanted;
  accounts_[to].balance += wanted;
  return true;
}

Or<Digest> Mint::transfer(const AgentId& from, const AgentId& to, std::uint64_t amount,
                          std::string_view kind) {
  const std::uint64_t tax = tax_of(amount);
  if (amount == 0 || amount > supply_ || !accounts_.contains(to))
    return refuse(Category::kInvalidRequest, "there is no such payment");
  if (available(from) < static_cast<std::int64_t>(amount + tax))
    return refuse(Category::kQuotaExceeded, "the balance does not reach");
  Account& payer = accounts_[from];
  payer.balance -= static_cast<std::int64_t>(amount + tax);
  payer.total_spent += amount + tax;
  accounts_[to].balance += static_cast<std::int64_t>(amount);
  accounts_[to].total_earned += amount;
  accounts_[realm_.nexus->id()].balance += static_cast<std::int64_t>(tax);
  const Digest tx = fresh_id("transfer", from);
  tell(EventKind::kTransferCompleted, body_of({{"tx_id", pack(tx)},
                                               {"from", pack(from)},
                                               {"to", pack(to)},
                                               {"amount", amount},
                                               {"tax", tax},
                                               {"kind", kind}}));
  return tx;
}

Or<Digest> Mint::hold(const AgentId& payer, std::optional<AgentId> payee, std::uint64_t amount,
                      std::uint64_t deadline) {
  if (amount == 0 || amount > supply_) return refuse(Category::kInvalidRequest, "a wrong amount");
  if (deadline <= realm_.tick) return refuse(Category::kInvalidRequest, "the deadline is over");
  if (available(payer) < static_cast<std::int64_t>(amount + tax_of(amount)))
    return refuse(Category::kQuotaExceeded, "the balance does not reach");
  accounts_[payer].locked += amount + tax_of(amount);
  const Digest id = fresh_id("escrow", payer);
  escrows_[id] = {payer, payee, amount, deadline, true};
  tell(EventKind::kEscrowCreated,
       body_of({{"escrow_id", pack(id)}, {"payer", pack(payer)}, {"amount", amount}}));
  return id;
}

Or<bool> Mint::release(const Digest& escrow, const AgentId& payee) {
  const auto found = escrows_.find(escrow);
  if (found == escrows_.end() || !found->second.open)
    return refuse(Category::kNotFound, "the escrow is not open");
  Escrow& held = found->second;
  const std::uint64_t whole = held.amount + tax_of(held.amount);
  accounts_[held.payer].locked -= whole;
  const auto paid = transfer(held.payer, payee, held.amount, "escrow");
  if (!paid) {
    accounts_[held.payer].locked += whole;
    return Unexpected<Refusal>(paid.error());
  }
  held.open = false;
  tell(EventKind::kEscrowReleased,
       body_of({{"escrow_id", pack(escrow)}, {"payee", pack(payee)}, {"amount", held.amount}}));
  return true;
}

void Mint::refund(const Digest& escrow) {
  const auto found = escrows_.find(escrow);
  if (found == escrows_.end() || !found->second.open) return;
  found->second.open = false;
  accounts_[found->second.payer].locked -= found->second.amount + tax_of(found->second.amount);
  tell(EventKind::kEscrowRefunded, body_of({{"escrow_id", pack(escrow)},
                                            {"payer", pack(found->second.payer)},
                                            {"amount", found->second.amount}}));
}

void Mint::refund_overdue() {
  std::vector<Digest> overdue;
  for (const auto& each : escrows_) {
    if (each.second.open && each.second.deadline < realm_.tick) overdue.push_back(each.first);
  }
  for (const Digest& id : overdue) refund(id);
  std::erase_if(escrows_, [](const auto& each) { return !each.second.open; });
}

void Mint::charge(const AgentId& from, std::uint64_t amount) {
  accounts_[from].balance -= static_cast<std::int64_t>(amount);
  accounts_[from].total_spent += amount;
  accounts_[realm_.nexus->id()].balance += static_cast<std::int64_t>(amount);
}

void Mint::resolve_stakes(const Digest& proposal, bool passed) {
  std::uint64_t won = 0, lost = 0;
  std::vector<Stake*> winners;
  for (auto& each : stakes_) {
    Stake& stake = each.second;
    if (!stake.open || stake.proposal != proposal) continue;
    stake.open = false;
    accounts_[stake.owner].locked -= stake.amount;
    if (stake.side == passed) {
      won += stake.amount;
      winners.push_back(&stake);
    } else {
      lost += stake.amount;
      charge(stake.owner, stake.amount);
    }
  }
  for (const Stake* winner : winners) {
    const std::uint64_t share = lost * winner->amount / won;  // what does not divide stays there
    accounts_[realm_.nexus->id()].balance -= static_cast<std::int64_t>(share);
    accounts_[winner->owner].balance += static_cast<std::int64_t>(share);
    accounts_[winner->owner].total_earned += share;
  }
  if (won + lost > 0)
    tell(EventKind::kStakeResolved,
         body_of({{"proposal_id", pack(proposal)}, {"passed", passed}, {"lost", lost}}));
  std::erase_if(stakes_, [](const auto& each) { return !each.second.open; });
}

Answer Mint::handle(const Request& request) {
  Fields fields(request.body);
  switch (request.type) {
    case Message::kTransfer: {
      const auto to = fields.need<AgentId>("to");
      const auto amount = fields.need<std::uint64_t>("amount");
      if (fields.fault()) return fields.refusal();
      const auto tx = transfer(request.sender, to, amount, "transfer");
      if (!tx) return Unexpected<Refusal>(tx.error());
      return body_of({{"tx_id", pack(*tx)}, {"tax", tax_of(amount)}});
    }
    case Message::kBalanceQuery: {
      const auto who = fields.need<AgentId>("agent_id");
      if (fields.fault()) return fields.refusal();
      if (!accounts_.contains(who)) return refuse(Category::kNotFound, "there is no such account");
      return pack(account(who));
    }
    case Message::kEscrowCreate: {
      const auto payee = fields.need<AgentId>("payee");
      const auto amount = fields.need<std::uint64_t>("amount");
      const auto deadline = fields.need<std::uint64_t>("deadline");
      if (fields.fault()) return fields.refusal();
      const auto escrow = hold(request.sender, payee, amount, deadline);
      if (!escrow) return Unexpected<Refusal>(escrow.error());
      return body_of({{"escrow_id", pack(*escrow)}});
    }
    case Message::kStakeCreate: {
      const auto proposal = fields.need<Digest>("proposal_id");
      const auto amount = fields.need<std::uint64_t>("amount");
      const auto side = fields.need<bool>("side");
      if (fields.fault()) return fields.refusal();
      if (amount == 0 ||
          available(request.sender) < static_cast<std::int64_t>(std::min(amount, supply_ + 1)))
        return refuse(Category::kQuotaExceeded, "the balance does not reach");
      if (!realm_.nexus->is_open(proposal))
        return refuse(Category::kNotFound, "the proposal is not open");
      const Digest id = fresh_id("stake", request.sender);
      accounts_[request.sender].locked += amount;
      stakes_[id] = {request.sender, proposal, amount, side, true};
      tell(EventKind::kStakeCreated, body_of({{"stake_id", pack(id)}, {"amount", amount}}));
      return body_of({{"stake_id", pack(id)}});
    }
    default:
      return refuse(Category::kInvalidRequest, "the mint does not answer that");
  }
}

MessagePack Mint::state() const {
  return body_of({{"supply", supply_},
                  {"accounts", pack(accounts_)},
                  {"escrows", pack(escrows_)},
                  {"stakes", pack(stakes_)}});
}

Status Mint::restore(const MessagePack& state) {
  Fields fields(state);
  supply_ = fields.need<std::uint64_t>("supply");
  accounts_ = fields.need<std::map<AgentId, Account>>("accounts");
  escrows_ = fields.need<std::map<Digest, Escrow>>("escrows");
  stakes_ = fields.need<std::map<Digest, Stake>>("stakes");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of the mint cannot be read");
  return {};
}

}  // namespace anima::world
