#include "govern/executor.h"

#include <algorithm>

namespace anima::govern {

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
  }
  return "pending";
}

std::string_view to_string(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kDone:
      return "done";
    case Outcome::Kind::kFailed:
      return "failed";
    case Outcome::Kind::kDenied:
      return "denied";
    case Outcome::Kind::kWaiting:
      return "waiting";
    case Outcome::Kind::kHalted:
      return "halted";
    case Outcome::Kind::kBusy:
      return "busy";
  }
  return "denied";
}

Json Approval::to_json() const {
  return Json::object({{"id", id},
                       {"tool", request.tool},
                       {"agent", request.agent},
                       {"trust", std::string(trust_name(request.trust))},
                       {"arguments", request.arguments},
                       {"arguments_hash", hash},
                       {"status", std::string(to_string(status))},
                       {"reason", reason},
                       {"decided_by", decided_by},
                       {"asked", format_timestamp(asked)},
                       {"expires", format_timestamp(expires)}});
}

Executor::Executor(PermissionTable permissions, ToolRunner& tools, AuditChain& audit,
                   StopSwitch& line, bus::EventBus& events, Clock& clock, Random& random,
                   Options options)
    : permissions_(std::move(permissions)),
      tools_(tools),
      audit_(audit),
      line_(line),
      events_(events),
      clock_(clock),
      random_(random),
      options_(options),
      tokens_(clock, random) {}

void Executor::audit(std::string_view action, const CallRequest& request, Json details) {
  details.set("tool", request.tool);
  details.set("argumentsHash", arguments_hash(request.arguments));
  const std::lock_guard lock(mutex_);
  audit_.append(action, request.agent, request.trust, std::move(details));
}

Outcome Executor::refuse(const CallRequest& request, Outcome::Kind kind, Decision decision,
                         std::string reason) {
  audit("permission_denied", request,
        Json::object({{"layer", std::string(to_string(decision.layer))}, {"reason", reason}}));
  events_.emit(
      {"permission:denied", Json::object({{"toolId", request.tool},
                                          {"agentId", request.agent},
                                          {"reason", reason},
                                          {"layer", std::string(to_string(decision.layer))}})});
  return {kind, std::move(decision), {}, std::move(reason), {}};
}

Outcome Executor::ask(const CallRequest& request, Decision decision) {
  Approval approval;
  approval.request = request;
  approval.hash = arguments_hash(request.arguments);
  approval.reason = decision.reason;
  approval.asked = clock_.now();
  approval.expires = {approval.asked.microseconds + options_.approval_milliseconds * 1000};
  {
    const std::lock_guard lock(mutex_);
    approval.id = make_uuid(random_);
    approvals_.push_back(approval);
  }
  audit("approval_requested", request,
        Json::object({{"approvalId", approval.id}, {"reason", decision.reason}}));
  events_.emit({"permission:approval_required", approval.to_json()});
  std::string reason = decision.reason;
  return {Outcome::Kind::kWaiting, std::move(decision), {}, std::move(reason), approval.id};
}

Outcome Executor::execute(const CallRequest& request) {
  if (line_.halted()) return refuse(request, Outcome::Kind::kHalted, {}, "the line is stopped");
  Decision decision = permissions_.decide(request);
  switch (decision.permission) {
    case Permission::kDenied: {
      std::string reason = decision.reason;
      return refuse(request, Outcome::Kind::kDenied, std::move(decision), std::move(reason));
    }
    case Permission::kNeedsApproval:
      return ask(request, std::move(decision));
    case Permission::kAllowed:
      break;
  }
  // `confirmed` is for approve() alone: a caller's own claim counts for nothing.
  if (request.confirmed)
    return refuse(request, Outcome::Kind::kDenied, std::move(decision),
                  "a call cannot confirm itself");
  return run(request, std::move(decision));
}

Outcome Executor::run(const CallRequest& request, Decision decision) {
  {
    std::unique_lock lock(mutex_);
    if (running_ >= options_.max_concurrent) {
      lock.unlock();
      return refuse(request, Outcome::Kind::kBusy, std::move(decision),
                    std::to_string(options_.max_concurrent) + " calls are running already");
    }
    ++running_;
  }
  events_.emit(
      {"tool:start", Json::object({{"toolId", request.tool}, {"agentId", request.agent}})});
  const std::int64_t timeout = permissions_.find(request.tool)->timeout_milliseconds;
  Result<Json> result = tools_.run(request.tool, request.arguments, timeout);
  {
    const std::lock_guard lock(mutex_);
    --running_;
  }
  const bool done = result.has_value();
  const std::string reason = done ? std::string() : result.error().describe();
  audit("tool_executed", request, Json::object({{"success", done}, {"error", reason}}));
  events_.emit({"tool:end", Json::object({{"toolId", request.tool}, {"success", done}})});
  if (!done) return {Outcome::Kind::kFailed, std::move(decision), {}, reason, {}};
  return {Outcome::Kind::kDone, std::move(decision), std::move(*result), {}, {}};
}

std::vector<Approval> Executor::approvals() const {
  const std::lock_guard lock(mutex_);
  std::vector<Approval> list = approvals_;
  std::ranges::stable_sort(list, {},
                           [](const Approval& a) { return a.status != ApprovalStatus::kPending; });
  return list;
}

void Executor::expire_locked() {
  const Timestamp now = clock_.now();
  for (Approval& approval : approvals_) {
    if (approval.status != ApprovalStatus::kPending || now < approval.expires) continue;
    approval.status = ApprovalStatus::kExpired;
    audit_.append("approval_expired", approval.request.agent, approval.request.trust,
                  Json::object({{"approvalId", approval.id}, {"tool", approval.request.tool}}));
  }
}

void Executor::expire() {
  const std::lock_guard lock(mutex_);
  expire_locked();
}

Result<Approval*> Executor::decidable(std::string_view id, std::string_view by) {
  const auto found = std::ranges::find(approvals_, id, &Approval::id);
  if (found == approvals_.end())
    return fail(ErrorCode::kNotFound, "there is no approval '" + std::string(id) + "'");
  if (by != "arbiter" && by != "overseer" && by != "operator") {
    return fail(ErrorCode::kDenied, "'" + std::string(by) + "' approves nothing", {},
                "arbiter, overseer or operator do");
  }
  if (found->request.agent == by)
    return fail(ErrorCode::kDenied, "nobody approves a request of their own");
  expire_locked();
  if (found->status != ApprovalStatus::kPending) {
    return fail(ErrorCode::kConflict, "the approval is " + std::string(to_string(found->status)));
  }
  return &*found;
}

Result<Outcome> Executor::approve(std::string_view approval_id, std::string_view by) {
  CallRequest request;
  {
    const std::lock_guard lock(mutex_);
    ANIMA_ASSIGN(Approval * approval, decidable(approval_id, by));
    approval->status = ApprovalStatus::kApproved;
    approval->decided_by = by;
    request = approval->request;
    audit_.append("approval_granted", by, Trust::kOperator,
                  Json::object({{"approvalId", std::string(approval_id)}}));
  }
  if (line_.halted()) return refuse(request, Outcome::Kind::kHalted, {}, "the line is stopped");
  const CallToken token = tokens_.issue(request.tool, request.agent, request.arguments, by);
  request.confirmed = true;
  Decision decision = permissions_.decide(request);
  if (decision.permission != Permission::kAllowed) {
    std::string reason = decision.reason;
    return refuse(request, Outcome::Kind::kDenied, std::move(decision), std::move(reason));
  }
  ANIMA_TRY(tokens_.redeem(token, request.tool, request.agent, request.arguments));
  return run(request, std::move(decision));
}

Status Executor::reject(std::string_view approval_id, std::string_view by,
                        std::string_view reason) {
  const std::lock_guard lock(mutex_);
  ANIMA_ASSIGN(Approval * approval, decidable(approval_id, by));
  approval->status = ApprovalStatus::kRejected;
  approval->decided_by = by;
  approval->reason = reason;
  audit_.append(
      "approval_rejected", by, Trust::kOperator,
      Json::object({{"approvalId", std::string(approval_id)}, {"reason", std::string(reason)}}));
  return {};
}

}  // namespace anima::govern
