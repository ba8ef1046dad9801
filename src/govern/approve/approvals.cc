#include "govern/approve/approvals.h"

#include <algorithm>
#include <optional>

#include "govern/approve/call_token.h"
#include "govern/approve/detail/approval_events.h"
#include "govern/ledger/ledger.h"
#include "govern/ledger/sealed_members.h"

namespace anima::govern {
namespace {

// Runs when the scope ends, after what was declared behind it is gone.
template <typename Function>
class AtEnd {
 public:
  explicit AtEnd(Function run) : run_(std::move(run)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { run_(); }

 private:
  Function run_;
};

}  // namespace

std::string_view to_string(ApprovalStatus status) {
  switch (status) {
    case ApprovalStatus::kPending:
      return "pending";
    case ApprovalStatus::kApproved:
      return "approved";
    case ApprovalStatus::kRejected:
      return "rejected";
    case ApprovalStatus::kExpired:
      return "expired";
    case ApprovalStatus::kUsed:
      return "used";
  }
  return "pending";
}

Json Approval::to_json() const {
  Json json = Json::object({{"id", id},
                            {"tool", request.tool},
                            {"agent", request.agent},
                            {"trust", std::string(trust_name(request.trust))},
                            {"effective_trust", std::string(trust_name(effective_trust))},
                            {"arguments", request.arguments},
                            {"arguments_hash", hash},
                            {"status", std::string(to_string(status))},
                            {"reason", reason},
                            {"decided_by", decided_by},
                            {"asked", format_timestamp(asked)},
                            {"expires", format_timestamp(expires)}});
  if (!evidence.is_null()) json.set("evidence", evidence);
  if (signature) json.set("approver", signature->approver);
  if (erased) json.set("erased", true);
  return json;
}

Approvals::Approvals(Clock& clock, Random& random, AuditLog& audit, Ledger* ledger,
                     ApprovalOptions options, bus::EventBus* events)
    : clock_(clock),
      random_(random),
      audit_(audit),
      ledger_(ledger),
      options_(options),
      events_(events),
      fold_(std::make_unique<detail::ApprovalFold>()) {
  fold_->need_key = options.need_key;
}

Approvals::~Approvals() = default;

void Approvals::note(std::string_view type, const Approval& approval, std::string_view by,
                     std::string_view reason) {
  if (events_ == nullptr) return;
  untold_.push_back({std::string(type), Json::object({{"requestId", approval.id},
                                                      {"toolId", approval.request.tool},
                                                      {"agentId", approval.request.agent},
                                                      {"by", std::string(by)},
                                                      {"reason", std::string(reason)}})});
}

// Without the lock: who listens may ask what still waits.
void Approvals::tell() {
  std::vector<bus::Event> events;
  {
    const std::lock_guard lock(mutex_);
    events.swap(untold_);
  }
  for (bus::Event& event : events) events_->emit(std::move(event));
}

detail::Moment Approvals::now() const {
  const Timestamp now = clock_.now();
  if (ledger_ == nullptr) return {now, now};
  const auto head = ledger_->space().log().head();
  return {now, head ? head->time : now};
}

Status Approvals::catch_up() {
  if (ledger_ == nullptr) return {};
  if (fold_->approvers.space().empty()) {
    if (auto id = space_id(*ledger_)) fold_->approvers.of_space(*std::move(id));
  }
  ANIMA_ASSIGN(const store::Sequence last,
               ledger_->read(store::RecordKind::kApproval, store::Sequence{read_},
                             [&](const LedgerEntry& entry) -> Status {
                               Json event = entry.content;
                               ANIMA_TRY(unseal_members(ledger_->space(), event));
                               detail::apply_event(event, {entry.time, entry.sequence}, *fold_);
                               return {};
                             }));
  read_ = static_cast<std::uint64_t>(last);
  return {};
}

Status Approvals::commit(const Json& event, std::string_view action, std::string_view actor,
                         Trust trust, Json details, const EntryPart& part) {
  if (ledger_ == nullptr) {
    ANIMA_TRY(audit_.write(action, actor, trust, std::move(details), part));
    detail::apply_event(event, {clock_.now()}, *fold_);
    return {};
  }
  Json kept = event;
  ANIMA_TRY(seal_members(ledger_->space(), kAuditKey, kSealedOfApprovals, kept));
  ANIMA_TRY(ledger_->write_with({{store::RecordKind::kApproval, std::move(kept)}}, action, actor,
                                trust, std::move(details), part));
  return catch_up();
}

Result<Approval*> Approvals::place(std::string_view id) {
  Approval* found = nullptr;
  for (Approval& approval : fold_->approvals) {
    if (approval.id == id) return &approval;
    if (id.empty() || !approval.id.starts_with(id)) continue;
    if (found != nullptr) {
      return fail(ErrorCode::kInvalidArgument,
                  "several approvals begin with '" + std::string(id) + "'");
    }
    found = &approval;
  }
  if (found != nullptr) return found;
  return fail(ErrorCode::kNotFound, "there is no approval '" + std::string(id) + "'", {},
              "`anima approve list` shows what waits");
}

const Approval* Approvals::first_that_fits(const CallRequest& request, const std::string& hash,
                                           Trust effective_trust, ApprovalStatus status,
                                           const detail::Moment& moment) const {
  const auto found = std::ranges::find_if(fold_->approvals, [&](const Approval& approval) {
    return approval.status == status && !detail::is_over(approval, moment) &&
           fits(approval, request, hash, effective_trust);
  });
  return found == fold_->approvals.end() ? nullptr : &*found;
}

Status Approvals::room_for(const std::string& agent, const detail::Moment& moment) const {
  const auto waiting = std::ranges::count_if(fold_->approvals, [&](const Approval& each) {
    return each.status == ApprovalStatus::kPending && !detail::is_over(each, moment) &&
           each.request.agent == agent;
  });
  if (static_cast<std::size_t>(waiting) < options_.most_waiting) return {};
  return fail(ErrorCode::kLimitExceeded,
              std::to_string(waiting) + " calls of '" + agent + "' wait already", {},
              "answer them, or let them expire");
}

Result<Approvals::Asked> Approvals::ask(const CallRequest& request, const Decision& decision,
                                        const EntryPart& part) {
  const std::lock_guard lock(mutex_);
  Approval approval;
  approval.id = make_uuid(random_);
  approval.request = request;
  approval.request.confirmed = false;
  approval.hash = arguments_hash(request.arguments);
  approval.effective_trust = decision.effective_trust;
  approval.evidence = decision.evidence;
  approval.reason = decision.reason;
  const detail::Moment moment = now();
  approval.asked = moment.clock;
  approval.expires = {approval.asked.microseconds + options_.answer_milliseconds * 1000};
  std::optional<Approval> waits;
  const auto look = [&]() -> Status {
    ANIMA_TRY(catch_up());
    const Approval* found = first_that_fits(request, approval.hash, approval.effective_trust,
                                            ApprovalStatus::kPending, moment);
    if (found != nullptr) waits = *found;
    return found == nullptr ? room_for(request.agent, moment)
                            : fail(ErrorCode::kAlreadyExists, "the call waits already");
  };
  // Once more in the turn: another process may have been faster, or be in the same turn.
  const EntryPart when_still_new = [&](WriterTurn& turn) -> Result<std::vector<LedgerRecord>> {
    ANIMA_TRY(look());
    ANIMA_ASSIGN(const store::Sequence committed, turn.committed());
    turn.again =
        static_cast<std::uint64_t>(committed) + 1 != static_cast<std::uint64_t>(turn.place);
    if (turn.again) return fail(ErrorCode::kBusy, "other writers were faster");
    turn.approval_id = approval.id;
    return part ? part(turn) : std::vector<LedgerRecord>();
  };
  Status asked = look();
  if (asked) {
    asked =
        commit(detail::asked_event(approval), "approval_requested", request.agent, request.trust,
               Json::object({{"approvalId", approval.id},
                             {"tool", request.tool},
                             {"argumentsHash", approval.hash},
                             {"reason", decision.reason}}),
               when_still_new);
  }
  if (waits) return Asked{*std::move(waits), false};
  if (!asked) return fail(asked.error());
  return Asked{std::move(approval), true};
}

Status Approvals::expire_locked() {
  const detail::Moment moment = now();
  for (std::size_t i = 0; i < fold_->approvals.size(); ++i) {
    const Approval& approval = fold_->approvals[i];
    const bool waits =
        approval.status == ApprovalStatus::kPending || approval.status == ApprovalStatus::kApproved;
    if (!waits || !detail::is_over(approval, moment)) continue;
    const Json event = Json::object(
        {{"event", "expired"}, {"id", approval.id}, {"at", moment.clock.microseconds}});
    ANIMA_TRY(commit(event, "approval_expired", approval.request.agent, approval.request.trust,
                     Json::object({{"approvalId", approval.id}, {"tool", approval.request.tool}})));
    note("permission:expired", fold_->approvals[i], {}, "nobody answered in time");
  }
  return {};
}

Status Approvals::expire() {
  const AtEnd told([this] { tell(); });
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  return expire_locked();
}

namespace {

// Why an approval cannot be answered or used any more, and what to do then.
Unexpected<Error> too_late(const Approval& approval) {
  const std::string by = approval.decided_by.empty() ? "" : " by " + approval.decided_by;
  switch (approval.status) {
    case ApprovalStatus::kApproved:
      return fail(ErrorCode::kConflict, "the approval was granted" + by + " already", {},
                  "the same call may run once before " + format_timestamp(approval.expires));
    case ApprovalStatus::kRejected:
      return fail(ErrorCode::kConflict, "the approval was rejected" + by + " already", {},
                  "the same call is denied before " + format_timestamp(approval.expires) +
                      "; made after that it asks anew");
    case ApprovalStatus::kUsed:
      return fail(ErrorCode::kConflict, "the approval was granted" + by + " and is used up", {},
                  "the same call asks anew");
    case ApprovalStatus::kExpired:
      return fail(ErrorCode::kConflict, "the approval has expired", {}, "the same call asks anew");
    case ApprovalStatus::kPending:
      break;
  }
  return fail(ErrorCode::kConflict, "the approval was not answered");
}

}  // namespace

Status Approvals::answerable(const Approval& approval, ApprovalStatus answer,
                             std::string_view by) const {
  const Approval stands = as_of(now(), approval);
  const bool takes_back =
      (stands.status == ApprovalStatus::kApproved || stands.status == ApprovalStatus::kRejected) &&
      stands.status != answer && !detail::is_over(stands, now());
  if (stands.status != ApprovalStatus::kPending && !takes_back) return too_late(stands);
  if (detail::may_answer(stands, answer, by)) return {};
  return fail(
      ErrorCode::kDenied,
      stands.decided_by + " rejected it, and '" + std::string(by) + "' does not take that back", {},
      "the operator does, and " + stands.decided_by);
}

// Who may, and in which state: the approval that is answered.
Result<const Approval*> Approvals::answered_by(const Answer& answer) {
  ANIMA_TRY(catch_up());
  ANIMA_ASSIGN(const Approval* approval, place(answer.id));
  const std::string whole_id = approval->id;
  if (!detail::may_approve(answer.by)) {
    return fail(ErrorCode::kDenied, "'" + answer.by + "' approves nothing", {},
                "arbiter, overseer or operator do");
  }
  if (approval->request.agent == answer.by)
    return fail(ErrorCode::kDenied, "nobody approves a request of their own");
  ANIMA_TRY(expire_locked());
  ANIMA_ASSIGN(approval, place(whole_id));
  ANIMA_TRY(answerable(*approval, answer.status, answer.by));
  return approval;
}

Status Approvals::prepare(Answer& answer) {
  const AtEnd told([this] { tell(); });
  const std::lock_guard lock(mutex_);
  ANIMA_ASSIGN(const Approval* approval, answered_by(answer));
  answer.id = approval->id;
  answer.at = clock_.now().microseconds;
  answer.until = answer.at + options_.use_milliseconds * 1000;
  if (answer.status != ApprovalStatus::kApproved || !fold_->wants_signature()) return {};
  if (approval->erased)
    return fail(ErrorCode::kDenied, "what was asked is erased, so nobody can sign it");
  if (!fold_->approvers.any()) {
    return fail(ErrorCode::kDenied,
                "approvals need a key here (approvals.need), and there is no approver", {},
                "anima approver init NAME");
  }
  answer.statement = detail::grant_statement(*approval, fold_->approvers.space(), answer.by,
                                             answer.at, answer.until);
  return {};
}

Status Approvals::give(const Answer& answer) {
  const AtEnd told([this] { tell(); });
  const std::lock_guard lock(mutex_);
  ANIMA_ASSIGN(const Approval* approval, answered_by(answer));
  const bool grants = answer.status == ApprovalStatus::kApproved;
  Json details = Json::object({{"approvalId", answer.id}, {"tool", approval->request.tool}});
  if (!answer.reason.empty()) details.set("reason", answer.reason);
  Json event = Json::object({{"event", grants ? "granted" : "rejected"},
                             {"id", answer.id},
                             {"by", answer.by},
                             {"reason", answer.reason},
                             {"at", answer.at},
                             {"expires", answer.until}});
  if (answer.signature) {
    const std::string digest = digest_of(answer.statement->content);
    ANIMA_ASSIGN(const Approver* approver, fold_->approvers.check(answer.statement->what, digest,
                                                                  *answer.signature, answer.by));
    event.set("digest", digest);
    put_signature(*answer.signature, event);
    details.set("digest", digest);
    put_signature(*answer.signature, details);
    details.set("key", to_hex(approver->key));
  }
  ANIMA_TRY(commit(event, grants ? "approval_granted" : "approval_rejected", answer.by,
                   Trust::kOperator, std::move(details)));
  ANIMA_ASSIGN(approval, place(answer.id));
  // Another process may have answered first.
  if (approval->decided_by != answer.by || approval->status != answer.status)
    return too_late(as_of(now(), *approval));
  note(grants ? "permission:approved" : "permission:rejected", *approval, answer.by, answer.reason);
  return {};
}

Status Approvals::grant(std::string_view id, std::string_view by, const Signer& signer) {
  Answer answer{.id = std::string(id), .by = std::string(by)};
  ANIMA_TRY(prepare(answer));
  if (answer.statement && !signer) {
    return fail(ErrorCode::kDenied,
                "approvals of this space are signed with a key: a role alone grants nothing", {},
                "`anima approve grant ID` asks an approver for the passphrase");
  }
  if (answer.statement) {
    ANIMA_ASSIGN(answer.signature, signer(*answer.statement));
  }
  return give(answer);
}

Status Approvals::reject(std::string_view id, std::string_view by, std::string_view reason) {
  Answer answer{.id = std::string(id),
                .by = std::string(by),
                .status = ApprovalStatus::kRejected,
                .reason = std::string(reason)};
  ANIMA_TRY(prepare(answer));
  return give(answer);
}

// What a registered approver answers in their role, with the statement to be signed for it.
Result<Approvals::Answer> Approvals::signed_answer(std::string_view id, const SignedElsewhere& by,
                                                   std::optional<Timestamp> at) {
  const AtEnd told([this] { tell(); });
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  const Approver* approver = fold_->approvers.find(by.approver);
  if (approver == nullptr)
    return fail(ErrorCode::kDenied, "this space has no approver '" + by.approver + "'", {},
                "`anima approver list` shows who is");
  Answer answer{.id = std::string(id), .by = approver->role, .status = by.status};
  answer.reason = by.reason;
  ANIMA_ASSIGN(const Approval* approval, answered_by(answer));
  if (approval->erased)
    return fail(ErrorCode::kDenied, "what was asked is erased, so nobody can sign it");
  const std::int64_t counts = options_.use_milliseconds * 1000, now = clock_.now().microseconds;
  answer.id = approval->id;
  answer.at = at ? at->microseconds : now;
  answer.until = answer.at + counts;
  if (answer.at > now || answer.until <= now)
    return fail(ErrorCode::kConflict, "what was signed is too old, or not of this clock", {},
                "ask anew for what is to be signed");
  answer.statement = detail::grant_statement(*approval, fold_->approvers.space(), answer.by,
                                             answer.at, answer.until);
  if (by.status == ApprovalStatus::kRejected) {
    answer.statement->what = "deny";
    answer.statement->content.set("reason", by.reason);
  }
  return answer;
}

Result<Approvals::ToSign> Approvals::to_sign(std::string_view id, const SignedElsewhere& answer) {
  ANIMA_ASSIGN(Answer made, signed_answer(id, answer, std::nullopt));
  return ToSign{*std::move(made.statement), Timestamp{made.at}};
}

Status Approvals::answer_signed(std::string_view id, const SignedElsewhere& answer, Timestamp at,
                                const Signature& signature) {
  ANIMA_ASSIGN(Answer made, signed_answer(id, answer, at));
  made.signature = StatementSignature{answer.approver, signature};
  return give(made);
}

Result<bool> Approvals::needs_signature() {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  return fold_->wants_signature();
}

bool Approvals::fits(const Approval& approval, const CallRequest& request, const std::string& hash,
                     Trust effective_trust) const {
  return approval.request.tool == request.tool && approval.request.agent == request.agent &&
         approval.hash == hash && at_least(effective_trust, approval.effective_trust);
}

Status Approvals::still_granted(std::string_view id, const detail::Moment& moment) {
  ANIMA_ASSIGN(const Approval* approval, place(id));
  const ApprovalStatus status = as_of(moment, *approval).status;
  if (status == ApprovalStatus::kApproved) return {};
  return too_late(as_of(moment, *approval));
}

// Once more, against the call itself: who signed is an approver still, and signed this.
Status Approvals::still_signed(std::string_view id, const CallRequest& request) {
  if (!fold_->wants_signature()) return {};
  ANIMA_ASSIGN(const Approval* found, place(id));
  if (!found->signature)
    return fail(ErrorCode::kDenied, "the approval is not signed, and this space needs a key");
  if (found->erased) return fail(ErrorCode::kDenied, "what was approved is erased");
  Approval approval = *found;
  approval.request.tool = request.tool;
  approval.request.agent = request.agent;
  approval.request.arguments = request.arguments;
  const Statement statement =
      detail::grant_statement(approval, fold_->approvers.space(), approval.decided_by,
                              approval.answered.microseconds, approval.expires.microseconds);
  ANIMA_TRY(fold_->approvers.check(statement.what, digest_of(statement.content),
                                   *approval.signature, approval.decided_by));
  return {};
}

Status Approvals::redeem(std::string_view id, const CallRequest& request, Trust effective_trust,
                         const EntryPart& part) {
  const AtEnd told([this] { tell(); });
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  ANIMA_ASSIGN(const Approval* approval, place(id));
  const std::string whole_id = approval->id;
  if (!fits(*approval, request, arguments_hash(request.arguments), effective_trust)) {
    return fail(ErrorCode::kDenied,
                "the approval is for another call: tool, agent and arguments must be exactly those "
                "approved, from nothing less trusted");
  }
  ANIMA_TRY(expire_locked());
  const detail::Moment moment = now();
  ANIMA_TRY(still_granted(whole_id, moment));
  ANIMA_TRY(still_signed(whole_id, request));
  const EntryPart when_still_granted = [&](WriterTurn& turn) -> Result<std::vector<LedgerRecord>> {
    ANIMA_TRY(catch_up());
    ANIMA_TRY(still_granted(whole_id, moment));
    ANIMA_TRY(still_signed(whole_id, request));
    return part ? part(turn) : std::vector<LedgerRecord>();
  };
  const std::string use = make_uuid(random_);
  ANIMA_TRY(commit(
      Json::object(
          {{"event", "used"}, {"id", whole_id}, {"use", use}, {"at", clock_.now().microseconds}}),
      "approval_used", request.agent, request.trust,
      Json::object({{"approvalId", whole_id}, {"tool", request.tool}}), when_still_granted));
  ANIMA_ASSIGN(approval, place(whole_id));
  if (approval->used_by != use)
    return fail(ErrorCode::kConflict, "the approval was used by another process");
  return {};
}

Result<std::string> Approvals::granted_for(const CallRequest& request, Trust effective_trust) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  const Approval* found = first_that_fits(request, arguments_hash(request.arguments),
                                          effective_trust, ApprovalStatus::kApproved, now());
  return found == nullptr ? std::string() : found->id;
}

Result<std::optional<Approval>> Approvals::pending_for(const CallRequest& request,
                                                       Trust effective_trust) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  const Approval* found = first_that_fits(request, arguments_hash(request.arguments),
                                          effective_trust, ApprovalStatus::kPending, now());
  return found == nullptr ? std::nullopt : std::optional<Approval>(*found);
}

Result<std::optional<Approval>> Approvals::rejected_for(const CallRequest& request,
                                                        Trust effective_trust) {
  if (at_least(effective_trust, Trust::kOperator)) return std::optional<Approval>();
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  const std::string hash = arguments_hash(request.arguments);
  const detail::Moment moment = now();
  const auto found =
      std::find_if(fold_->approvals.rbegin(), fold_->approvals.rend(), [&](const Approval& a) {
        return a.status == ApprovalStatus::kRejected && !detail::is_over(a, moment) &&
               a.request.tool == request.tool && a.request.agent == request.agent &&
               a.hash == hash && at_least(a.effective_trust, effective_trust);
      });
  return found == fold_->approvals.rend() ? std::nullopt : std::optional<Approval>(*found);
}

// Past its time it is shown as expired, also before somebody writes that down.
Approval Approvals::as_of(const detail::Moment& moment, Approval approval) {
  const bool waits =
      approval.status == ApprovalStatus::kPending || approval.status == ApprovalStatus::kApproved;
  if (waits && detail::is_over(approval, moment)) approval.status = ApprovalStatus::kExpired;
  return approval;
}

Result<std::vector<Approval>> Approvals::list() {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  std::vector<Approval> list;
  const detail::Moment moment = now();
  for (const Approval& approval : fold_->approvals) list.push_back(as_of(moment, approval));
  std::ranges::stable_sort(list, {},
                           [](const Approval& a) { return a.status != ApprovalStatus::kPending; });
  return list;
}

Result<Approval> Approvals::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  ANIMA_ASSIGN(const Approval* approval, place(id));
  return as_of(now(), *approval);
}

}  // namespace anima::govern
