// The council on the log: proposals, ballots and vetoes are records; what stands is their fold in
// log order, so every process sees the same votes and a late, foreign or forged ballot counts for
// nothing wherever it was written. A vote ends by the clock, and by the time of the log that has
// passed since it was opened, so that a clock that is set back opens none again.
//
// A ballot counts when its member wrote it, or somebody of at least operator trust in its name. The
// constitution comes first: a proposal whose action breaks a rule is refused, and one that was
// approved all the same is blocked. Thread-safety: from any thread. Ownership: what is passed in
// outlives it. Errors: those of council.h and of the space.
// Source: governance specification 1.9, table rows 85-95.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bus/event_bus.h"
#include "govern/council/council.h"
#include "govern/ledger/ledger.h"
#include "govern/rules/constitution.h"

namespace anima::govern {

struct Proposal {
  Vote vote;  // id, topic, risk, ballots
  std::string by;
  Json action;  // what would be done, as read_action() reads it; null: nothing to check
  Timestamp opened;
  Timestamp logged;                   // the time of the log when it was opened
  std::vector<Violation> violations;  // of the constitution
  bool expiry_noted = false;          // there is an entry that says so
  bool allowed() const { return vote.approved() && violations.empty(); }
  Json to_json() const;
};

// Who casts: an agent, or a person in an agent's name.
struct Caster {
  std::string name;
  Trust trust = Trust::kStandard;
};

// {"host","against_creator","external","treat_as_command","operation","target","destructive",
// "sensitive","approved","trust"}; `approved` when it does not say. Its trust is at most `trust`.
// Errors: kInvalidArgument (unknown member, wrong kind).
Result<ActionContext> read_action(const Json& action, Trust trust, bool approved);

class CouncilBook {
 public:
  CouncilBook(Ledger& ledger, Clock& clock, Random& random, bus::EventBus* events = nullptr);

  // Errors: kDenied: the caster is below standard trust, or the action breaks the constitution.
  Result<Proposal> propose(std::string_view topic, VoteRisk risk, const Caster& caster,
                           const Json& action = {}, std::int64_t minutes = Vote::kDefaultMinutes);
  Status vote(std::string_view id, std::string_view agent, Ballot ballot, const Caster& caster);
  Status veto(std::string_view id, std::string_view agent, std::string_view domain,
              std::string_view reason, const Caster& caster);
  // Votes past their deadline are closed in what is returned; who next writes here notes it.
  Result<std::vector<Proposal>> list();
  // By id, or by a beginning of it that only one has.
  Result<Proposal> find(std::string_view id);

 private:
  Status catch_up();
  Status note_expiries();
  Status apply(const LedgerEntry& entry);
  Result<Timestamp> now_for(const Proposal& proposal) const;
  Result<Proposal*> place(std::string_view id);
  // The same for a member to `act` ("vote", "veto") on, by somebody who speaks for him.
  Result<Proposal*> place_for(std::string_view act, std::string_view id, std::string_view agent,
                              const Caster& caster);
  Status write(const Json& event, std::string_view action, const Caster& caster, Json details);
  void announce(const Proposal& proposal);

  Ledger& ledger_;
  Clock& clock_;
  Random& random_;
  bus::EventBus* events_;
  std::mutex mutex_;
  store::Sequence read_ = store::Sequence::kNone;
  std::vector<Proposal> proposals_;  // in the order opened
};

}  // namespace anima::govern
