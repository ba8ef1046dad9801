#include "govern/approvals.h"

#include <algorithm>

#include "govern/call_token.h"
#include "govern/ledger.h"

namespace anima::govern {
namespace {

bool may_approve(std::string_view by) {
  return by == "arbiter" || by == "overseer" || by == "operator";
}

std::string text_member(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value != nullptr && value->is_string() ? value->as_string() : std::string();
}

Timestamp time_member(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return {value != nullptr && value->is_integer() ? value->as_integer() : 0};
}

Trust trust_member(const Json& json, std::string_view key) {
  return parse_trust(text_member(json, key)).value_or(Trust::kUntrusted);
}

Json asked_event(const Approval& approval) {
  return Json::object({{"event", "asked"},
                       {"id", approval.id},
                       {"tool", approval.request.tool},
                       {"agent", approval.request.agent},
                       {"trust", std::string(trust_name(approval.request.trust))},
                       {"effective_trust", std::string(trust_name(approval.effective_trust))},
                       {"arguments", approval.request.arguments},
                       {"hash", approval.hash},
                       {"evidence", approval.evidence},
                       {"reason", approval.reason},
                       {"at", approval.asked.microseconds},
                       {"expires", approval.expires.microseconds}});
}

Approval asked_from(const Json& event) {
  Approval approval;
  approval.id = text_member(event, "id");
  approval.request.tool = text_member(event, "tool");
  approval.request.agent = text_member(event, "agent");
  approval.request.trust = trust_member(event, "trust");
  if (const Json* arguments = event.find("arguments")) approval.request.arguments = *arguments;
  approval.hash = text_member(event, "hash");
  approval.effective_trust = trust_member(event, "effective_trust");
  if (const Json* evidence = event.find("evidence")) approval.evidence = *evidence;
  approval.reason = text_member(event, "reason");
  approval.asked = time_member(event, "at");
  approval.expires = time_member(event, "expires");
  return approval;
}

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
  return json;
}

Approvals::Approvals(Clock& clock, Random& random, AuditLog& audit, Ledger* ledger,
                     ApprovalOptions options, bus::EventBus* events)
    : clock_(clock),
      random_(random),
      audit_(audit),
      ledger_(ledger),
      options_(options),
      events_(events) {}

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

// The rules are here, not at the writers: whoever wrote what, the fold decides what counts.
void Approvals::apply(const Json& event) {
  const std::string name = text_member(event, "event");
  if (name == "asked") {
    approvals_.push_back(asked_from(event));
    return;
  }
  const auto found = std::ranges::find(approvals_, text_member(event, "id"), &Approval::id);
  if (found == approvals_.end()) return;
  Approval& approval = *found;
  const Timestamp at = time_member(event, "at");
  const std::string by = text_member(event, "by");
  const bool pending = approval.status == ApprovalStatus::kPending;
  if (name == "granted" || name == "rejected") {
    if (!pending || at >= approval.expires || !may_approve(by) || by == approval.request.agent)
      return;
    approval.decided_by = by;
    if (name == "granted") {
      approval.status = ApprovalStatus::kApproved;
      approval.expires = time_member(event, "expires");
    } else {
      approval.status = ApprovalStatus::kRejected;
      approval.reason = text_member(event, "reason");
    }
  } else if (name == "used") {
    if (approval.status != ApprovalStatus::kApproved || at >= approval.expires) return;
    approval.status = ApprovalStatus::kUsed;
    approval.used_by = text_member(event, "use");
  } else if (name == "expired") {
    const bool waits = pending || approval.status == ApprovalStatus::kApproved;
    if (waits && at >= approval.expires) approval.status = ApprovalStatus::kExpired;
  }
}

Status Approvals::catch_up() {
  if (ledger_ == nullptr) return {};
  ANIMA_ASSIGN(const store::Sequence last,
               ledger_->read(store::RecordKind::kApproval, store::Sequence{read_},
                             [&](const LedgerEntry& entry) -> Status {
                               apply(entry.content);
                               return {};
                             }));
  read_ = static_cast<std::uint64_t>(last);
  return {};
}

Status Approvals::commit(const Json& event, std::string_view action, std::string_view actor,
                         Trust trust, Json details) {
  if (ledger_ == nullptr) {
    ANIMA_TRY(audit_.write(action, actor, trust, std::move(details)));
    apply(event);
    return {};
  }
  ANIMA_TRY(ledger_->write_with({{store::RecordKind::kApproval, event}}, action, actor, trust,
                                std::move(details)));
  return catch_up();
}

Result<Approval*> Approvals::place(std::string_view id) {
  Approval* found = nullptr;
  for (Approval& approval : approvals_) {
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

Result<Approval> Approvals::ask(const CallRequest& request, const Decision& decision) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  const Timestamp now = clock_.now();
  const auto waiting = std::ranges::count_if(approvals_, [&](const Approval& each) {
    return each.status == ApprovalStatus::kPending && now < each.expires &&
           each.request.agent == request.agent;
  });
  if (static_cast<std::size_t>(waiting) >= options_.most_waiting) {
    return fail(ErrorCode::kLimitExceeded,
                std::to_string(waiting) + " calls of '" + request.agent + "' wait already", {},
                "answer them, or let them expire");
  }
  Approval approval;
  approval.id = make_uuid(random_);
  approval.request = request;
  approval.request.confirmed = false;
  approval.hash = arguments_hash(request.arguments);
  approval.effective_trust = decision.effective_trust;
  approval.evidence = decision.evidence;
  approval.reason = decision.reason;
  approval.asked = now;
  approval.expires = {approval.asked.microseconds + options_.answer_milliseconds * 1000};
  ANIMA_TRY(commit(asked_event(approval), "approval_requested", request.agent, request.trust,
                   Json::object({{"approvalId", approval.id},
                                 {"tool", request.tool},
                                 {"argumentsHash", approval.hash},
                                 {"reason", decision.reason}})));
  return approval;
}

Status Approvals::expire_locked() {
  const Timestamp now = clock_.now();
  for (std::size_t i = 0; i < approvals_.size(); ++i) {
    const Approval& approval = approvals_[i];
    const bool waits =
        approval.status == ApprovalStatus::kPending || approval.status == ApprovalStatus::kApproved;
    if (!waits || now < approval.expires) continue;
    const Json event =
        Json::object({{"event", "expired"}, {"id", approval.id}, {"at", now.microseconds}});
    ANIMA_TRY(commit(event, "approval_expired", approval.request.agent, approval.request.trust,
                     Json::object({{"approvalId", approval.id}, {"tool", approval.request.tool}})));
    note("permission:expired", approvals_[i], {}, "nobody answered in time");
  }
  return {};
}

Status Approvals::expire() {
  const AtEnd told([this] { tell(); });
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  return expire_locked();
}

Status Approvals::decide(std::string_view id, std::string_view by, std::string_view event,
                         std::string_view action, std::string_view reason) {
  const AtEnd told([this] { tell(); });
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  ANIMA_ASSIGN(const Approval* approval, place(id));
  const std::string whole_id = approval->id;
  if (!may_approve(by)) {
    return fail(ErrorCode::kDenied, "'" + std::string(by) + "' approves nothing", {},
                "arbiter, overseer or operator do");
  }
  if (approval->request.agent == by)
    return fail(ErrorCode::kDenied, "nobody approves a request of their own");
  ANIMA_TRY(expire_locked());
  ANIMA_ASSIGN(approval, place(whole_id));
  if (approval->status != ApprovalStatus::kPending) {
    return fail(ErrorCode::kConflict,
                "the approval is " + std::string(to_string(approval->status)));
  }
  Json details = Json::object({{"approvalId", whole_id}, {"tool", approval->request.tool}});
  if (!reason.empty()) details.set("reason", std::string(reason));
  const std::int64_t now = clock_.now().microseconds;
  ANIMA_TRY(commit(Json::object({{"event", std::string(event)},
                                 {"id", whole_id},
                                 {"by", std::string(by)},
                                 {"reason", std::string(reason)},
                                 {"at", now},
                                 {"expires", now + options_.use_milliseconds * 1000}}),
                   action, by, Trust::kOperator, std::move(details)));
  ANIMA_ASSIGN(approval, place(whole_id));
  // Another process may have answered first.
  if (approval->decided_by != by)
    return fail(ErrorCode::kConflict,
                "the approval is " + std::string(to_string(approval->status)));
  note(event == "granted" ? "permission:approved" : "permission:rejected", *approval, by, reason);
  return {};
}

Status Approvals::grant(std::string_view id, std::string_view by) {
  return decide(id, by, "granted", "approval_granted", {});
}

Status Approvals::reject(std::string_view id, std::string_view by, std::string_view reason) {
  return decide(id, by, "rejected", "approval_rejected", reason);
}

bool Approvals::fits(const Approval& approval, const CallRequest& request, const std::string& hash,
                     Trust effective_trust) const {
  return approval.request.tool == request.tool && approval.request.agent == request.agent &&
         approval.hash == hash && at_least(effective_trust, approval.effective_trust);
}

Status Approvals::redeem(std::string_view id, const CallRequest& request, Trust effective_trust) {
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
  ANIMA_ASSIGN(approval, place(whole_id));
  if (approval->status != ApprovalStatus::kApproved) {
    return fail(ErrorCode::kConflict,
                "the approval is " + std::string(to_string(approval->status)));
  }
  const std::string use = make_uuid(random_);
  ANIMA_TRY(commit(
      Json::object(
          {{"event", "used"}, {"id", whole_id}, {"use", use}, {"at", clock_.now().microseconds}}),
      "approval_used", request.agent, request.trust,
      Json::object({{"approvalId", whole_id}, {"tool", request.tool}})));
  ANIMA_ASSIGN(approval, place(whole_id));
  if (approval->used_by != use)
    return fail(ErrorCode::kConflict, "the approval was used by another process");
  return {};
}

Result<std::string> Approvals::pending_for(const CallRequest& request, Trust effective_trust) {
  return first_that_fits(request, effective_trust, ApprovalStatus::kPending);
}

Result<std::string> Approvals::granted_for(const CallRequest& request, Trust effective_trust) {
  return first_that_fits(request, effective_trust, ApprovalStatus::kApproved);
}

Result<std::string> Approvals::first_that_fits(const CallRequest& request, Trust effective_trust,
                                               ApprovalStatus status) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  const Timestamp now = clock_.now();
  const std::string hash = arguments_hash(request.arguments);
  for (const Approval& approval : approvals_) {
    if (approval.status == status && now < approval.expires &&
        fits(approval, request, hash, effective_trust))
      return approval.id;
  }
  return std::string();
}

// Past its time it is shown as expired, also before somebody writes that down.
Approval Approvals::as_of_now(Approval approval) const {
  const bool waits =
      approval.status == ApprovalStatus::kPending || approval.status == ApprovalStatus::kApproved;
  if (waits && clock_.now() >= approval.expires) approval.status = ApprovalStatus::kExpired;
  return approval;
}

Result<std::vector<Approval>> Approvals::list() {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  std::vector<Approval> list;
  for (const Approval& approval : approvals_) list.push_back(as_of_now(approval));
  std::ranges::stable_sort(list, {},
                           [](const Approval& a) { return a.status != ApprovalStatus::kPending; });
  return list;
}

Result<Approval> Approvals::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  ANIMA_ASSIGN(const Approval* approval, place(id));
  return as_of_now(*approval);
}

}  // namespace anima::govern
