// Approvals: calls that wait for a person, what was answered, and that each answer is used once.
//
// An approval is bound to tool, agent and exact arguments (the hash of their sorted JSON), and to
// the trust that the call had: the same call made from less trusted material needs a new one. A
// request expires unanswered after `answer_milliseconds`. An answer counts for `use_milliseconds`:
// a grant lets the call run once, a rejection has it denied each time it is made by anybody but the
// operator, who is asked anew. While it counts it can be taken back: a grant by any approver, a
// rejection by who gave it and by the operator. Approvers: arbiter, overseer, operator; never the
// requester. Where the space has approvers (approvers.h), a grant is signed by one of the role that
// it is given in, and verified where it is read from the log and again before the call runs: a name
// alone grants nothing.
// With a Ledger the approvals are a fold over its records: any number of processes ask, answer and
// use. Whether a call waits already, and whether an approval is still there to be used, is decided
// in the writer's turn: the same call asked for from two processes is one request, and a use that
// came too late writes nothing. Waits end by the clock, and by the log's own time, so that a clock
// that is set back revives nothing. Thread-safety: from any thread. Source: governance
// specification 1.7, table rows 54-59, 64.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "bus/event_bus.h"
#include "govern/approve/approvers.h"
#include "govern/ledger/audit_chain.h"
#include "govern/rules/permissions.h"

namespace anima::govern {

class Ledger;
namespace detail {
struct ApprovalFold;
struct Moment;
}  // namespace detail

enum class ApprovalStatus : std::uint8_t { kPending, kApproved, kRejected, kExpired, kUsed };
std::string_view to_string(ApprovalStatus status);

struct Approval {
  std::string id;
  CallRequest request;  // with its exact arguments
  std::string hash;     // of the arguments
  Trust effective_trust = Trust::kUntrusted;
  Json evidence;  // what the approver should see: judged parts of a command, labels
  ApprovalStatus status = ApprovalStatus::kPending;
  std::string reason;  // why it is needed; then why it was rejected
  std::string decided_by;
  std::string used_by;                          // the use that counted
  std::optional<StatementSignature> signature;  // of the grant, where there was one
  bool erased = false;                          // its contents are not to be had any more
  Timestamp asked, expires;
  Timestamp answered = {};
  Timestamp logged;        // the time of the log when its present wait began
  std::int64_t lasts = 0;  // the wait, in microseconds
  Json to_json() const;
};

struct ApprovalOptions {
  std::int64_t answer_milliseconds = 30'000;
  std::int64_t use_milliseconds = 300'000;
  std::size_t most_waiting = 256;  // of one agent at a time: nobody reads more
  // Nothing is granted without a signature, also while the space has no approver.
  bool need_key = false;
};

// For calls that a person at another terminal answers.
inline constexpr ApprovalOptions kPersonAnswers{.answer_milliseconds = 900'000};

class Approvals {
 public:
  // `ledger` null: in memory, for as long as this object lives. `events` is told of each answer
  // given here: permission:approved, permission:rejected, permission:expired.
  Approvals(Clock& clock, Random& random, AuditLog& audit, Ledger* ledger = nullptr,
            ApprovalOptions options = {}, bus::EventBus* events = nullptr);
  ~Approvals();

  struct Asked {
    Approval approval;
    bool is_new = true;  // false: the call waits already; nothing was written
  };
  // `part` goes into the entry of a new request. Errors: kLimitExceeded (most_waiting).
  Result<Asked> ask(const CallRequest& request, const Decision& decision,
                    const EntryPart& part = nullptr);
  // Errors: kNotFound, kDenied (no approver, the requester, or another's rejection; a signature
  // that is missing or does not do), kConflict (answered so already, used, expired), those of the
  // signer, who is asked when one is needed, without a lock.
  Status grant(std::string_view id, std::string_view by, const Signer& signer = nullptr);
  Status reject(std::string_view id, std::string_view by, std::string_view reason);
  // For approvers who sign elsewhere, in two steps: what one of that name is to sign for this
  // answer (kApproved, kRejected), and the answer with the signature, which says when it was asked
  // for. Only a registered approver answers so, in the role that they have. Errors: as grant();
  // kDenied (no such approver), kConflict (what was signed is older than an answer counts: ask
  // anew).
  struct SignedElsewhere {
    std::string approver;  // a name
    ApprovalStatus status = ApprovalStatus::kApproved;
    std::string reason = {};
  };
  struct ToSign {
    Statement statement;
    Timestamp at;
  };
  Result<ToSign> to_sign(std::string_view id, const SignedElsewhere& answer);
  Status answer_signed(std::string_view id, const SignedElsewhere& answer, Timestamp at,
                       const Signature& signature);
  // Whether a grant needs a signature. Errors: those of the log.
  Result<bool> needs_signature();
  // Uses a granted approval up for this call; `part` goes into the entry that says so. Errors:
  // kNotFound; kDenied (other tool, agent, arguments, or less trusted; not signed for exactly this
  // by who is an approver now); kConflict (not granted,
  // expired, used before); those of `part`.
  Status redeem(std::string_view id, const CallRequest& request, Trust effective_trust,
                const EntryPart& part = nullptr);
  // The granted, unused approval that fits this call; empty when there is none.
  Result<std::string> granted_for(const CallRequest& request, Trust effective_trust);
  // The request that this call waits with already.
  Result<std::optional<Approval>> pending_for(const CallRequest& request, Trust effective_trust);

  // The rejection that this call meets, from material as far trusted as its own or further. What
  // has the operator's trust meets none.
  Result<std::optional<Approval>> rejected_for(const CallRequest& request, Trust effective_trust);

  Result<std::vector<Approval>> list();  // pending first, in the order asked
  // By id, or by a beginning of it that only one has. Errors: kNotFound, kInvalidArgument.
  Result<Approval> find(std::string_view id);
  // What waited too long is expired, each with its audit entry.
  Status expire();

 private:
  Result<Approval*> place(std::string_view id);
  Status answerable(const Approval& approval, ApprovalStatus answer, std::string_view by) const;
  Status catch_up();
  detail::Moment now() const;
  Status commit(const Json& event, std::string_view action, std::string_view actor, Trust trust,
                Json details, const EntryPart& part = nullptr);
  // What somebody answers.
  struct Answer {
    std::string id;  // whole, once it is prepared
    std::string by;
    ApprovalStatus status = ApprovalStatus::kApproved;
    std::string reason = {};
    std::int64_t at = 0, until = 0;
    std::optional<Statement> statement = {};  // to be signed
    std::optional<StatementSignature> signature = {};
  };
  Result<const Approval*> answered_by(const Answer& answer);
  Result<Answer> signed_answer(std::string_view id, const SignedElsewhere& by,
                               std::optional<Timestamp> at);
  Status prepare(Answer& answer);
  Status give(const Answer& answer);
  Status still_signed(std::string_view id, const CallRequest& request);
  Status expire_locked();
  void note(std::string_view type, const Approval& approval, std::string_view by,
            std::string_view reason);
  void tell();
  static Approval as_of(const detail::Moment& moment, Approval approval);
  const Approval* first_that_fits(const CallRequest& request, const std::string& hash,
                                  Trust effective_trust, ApprovalStatus status,
                                  const detail::Moment& moment) const;
  Status room_for(const std::string& agent, const detail::Moment& moment) const;
  Status still_granted(std::string_view id, const detail::Moment& moment);
  bool fits(const Approval& approval, const CallRequest& request, const std::string& hash,
            Trust effective_trust) const;

  Clock& clock_;
  Random& random_;
  AuditLog& audit_;
  Ledger* ledger_;
  ApprovalOptions options_;
  bus::EventBus* events_;
  std::mutex mutex_;
  std::vector<bus::Event> untold_;  // until the lock is given back
  std::uint64_t read_ = 0;          // sequence of the log
  std::unique_ptr<detail::ApprovalFold> fold_;
};

}  // namespace anima::govern
