#include "govern/approve/detail/approval_events.h"

#include <algorithm>

#include "base/json/json_member.h"

namespace anima::govern::detail {
namespace {

Timestamp time_member(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return {value != nullptr && value->is_integer() ? value->as_integer() : 0};
}

Trust trust_member(const Json& json, std::string_view key) {
  return parse_trust(text_member(json, key)).value_or(Trust::kUntrusted);
}

// What the arguments were made from, as the approver sees it.
std::vector<ArgumentOrigin> origins_in(const Json& evidence) {
  std::vector<ArgumentOrigin> origins;
  const Json* labels = evidence.find("labels");
  if (labels == nullptr || !labels->is_array()) return origins;
  for (const Json& label : labels->as_array())
    origins.push_back({text_member(label, "argument"), text_member(label, "source"),
                       trust_member(label, "trust")});
  return origins;
}

Approval asked_from(const Json& event) {
  Approval approval;
  approval.id = text_member(event, "id");
  approval.request.tool = text_member(event, "tool");
  approval.request.agent = text_member(event, "agent");
  approval.request.trust = trust_member(event, "trust");
  const Json* arguments = event.find("arguments");
  approval.erased = arguments == nullptr;
  if (arguments != nullptr) approval.request.arguments = *arguments;
  approval.hash = text_member(event, "hash");
  approval.effective_trust = trust_member(event, "effective_trust");
  if (const Json* evidence = event.find("evidence")) approval.evidence = *evidence;
  approval.request.origins = origins_in(approval.evidence);
  approval.request.argument_labels = {approval.effective_trust};
  if (const Json* values = event.find("values")) {
    // Without them it is judged by its labels, which allows no more.
    if (auto read = CallValues::from_json(*values))
      approval.request.values = std::make_shared<const CallValues>(*std::move(read));
  }
  approval.reason = text_member(event, "reason");
  approval.asked = time_member(event, "at");
  approval.expires = time_member(event, "expires");
  return approval;
}

// Whether a grant is what this space asks for. Of what was erased nobody can tell any more what was
// signed but by its digest, which the grant names; it is not run again (Approvals::redeem).
bool is_signed(const Json& event, const Place& place, const ApprovalFold& fold,
               Approval& approval) {
  const auto signature = signature_in(event);
  if (!signature) return !fold.wants_signature(place.entry);
  const std::string by = text_member(event, "by");
  const Statement statement =
      grant_statement(approval, fold.approvers.space(), by, time_member(event, "at").microseconds,
                      time_member(event, "expires").microseconds);
  const std::string digest =
      approval.erased ? text_member(event, "digest") : digest_of(statement.content);
  if (!fold.approvers.check(statement.what, digest, *signature, by, place.entry)) return false;
  approval.signature = *signature;
  return true;
}

}  // namespace

bool may_approve(std::string_view by) {
  return by == "arbiter" || by == "overseer" || by == "operator";
}

// An answer can be taken back while it counts: a grant by any approver, a rejection by who gave it
// and by the operator.
bool may_answer(const Approval& approval, ApprovalStatus answer, std::string_view by) {
  if (!may_approve(by) || by == approval.request.agent) return false;
  if (approval.status == ApprovalStatus::kPending) return true;
  if (answer == ApprovalStatus::kRejected) return approval.status == ApprovalStatus::kApproved;
  return approval.status == ApprovalStatus::kRejected &&
         (by == "operator" || by == approval.decided_by);
}

Json asked_event(const Approval& approval) {
  Json event = Json::object({{"event", "asked"},
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
  if (approval.request.values != nullptr) event.set("values", approval.request.values->to_json());
  return event;
}

Statement grant_statement(const Approval& approval, std::string_view space, std::string_view by,
                          std::int64_t at, std::int64_t until) {
  const CallRequest& request = approval.request;
  Json content =
      Json::object({{"approval", approval.id},
                    {"tool", request.tool},
                    {"agent", request.agent},
                    {"trust", std::string(trust_name(request.trust))},
                    {"effective_trust", std::string(trust_name(approval.effective_trust))},
                    {"arguments", request.arguments},
                    {"evidence", approval.evidence},
                    {"asked", approval.asked.microseconds},
                    {"by", std::string(by)},
                    {"at", at},
                    {"until", until},
                    {"space", std::string(space)}});
  if (request.values != nullptr) content.set("values", request.values->to_json());
  return {"grant", std::move(content)};
}

// A clock can be set back; the times of the log never go back, and may stand still instead.
bool is_over(const Approval& approval, const Moment& at) {
  return at.clock >= approval.expires ||
         at.log.microseconds - approval.logged.microseconds >= approval.lasts;
}

void apply_event(const Json& event, const Place& place, ApprovalFold& fold) {
  const std::string name = text_member(event, "event");
  std::vector<Approval>& approvals = fold.approvals;
  const auto begin = [&](Approval& approval, Timestamp from) {
    approval.logged = place.time;
    approval.lasts = approval.expires.microseconds - from.microseconds;
  };
  const std::string id = text_member(event, "id");
  if (name == "asked") {
    // An id is given out once: what was granted under it is used once.
    if (!fold.ids.insert(id).second) return;
    approvals.push_back(asked_from(event));
    begin(approvals.back(), approvals.back().asked);
    return;
  }
  fold.approvers.apply(event, place.time, place.entry);
  // What still waits was asked lately: thousands that are long answered are not looked at.
  const auto found = std::find_if(approvals.rbegin(), approvals.rend(),
                                  [&](const Approval& each) { return each.id == id; });
  if (found == approvals.rend()) return;
  Approval& approval = *found;
  const Timestamp at = time_member(event, "at");
  const bool over = is_over(approval, {at, place.time});
  const std::string by = text_member(event, "by");
  const bool pending = approval.status == ApprovalStatus::kPending;
  if (name == "granted" || name == "rejected") {
    const ApprovalStatus answer =
        name == "granted" ? ApprovalStatus::kApproved : ApprovalStatus::kRejected;
    if (over || !may_answer(approval, answer, by)) return;
    if (name == "granted" && !is_signed(event, place, fold, approval)) return;
    approval.decided_by = by;
    approval.answered = at;
    approval.status = answer;
    approval.expires = time_member(event, "expires");
    begin(approval, at);
    if (answer == ApprovalStatus::kRejected) approval.reason = text_member(event, "reason");
  } else if (name == "used") {
    if (approval.status != ApprovalStatus::kApproved || over) return;
    approval.status = ApprovalStatus::kUsed;
    approval.used_by = text_member(event, "use");
  } else if (name == "expired") {
    const bool waits = pending || approval.status == ApprovalStatus::kApproved;
    if (waits && over) approval.status = ApprovalStatus::kExpired;
  }
}

}  // namespace anima::govern::detail
