#include "govern/executor.h"

#include <algorithm>

#include "govern/detail/grants.h"
#include "govern/ledger.h"

namespace anima::govern {
namespace {

Json word_list(const std::vector<std::string>& words) {
  Json list = Json::array();
  for (const std::string& word : words) list.push_back(word);
  return list;
}

// The tool and the hash of its arguments: an audit entry shows no contents.
Json call_details(const CallRequest& request) {
  return Json::object(
      {{"tool", request.tool}, {"argumentsHash", arguments_hash(request.arguments)}});
}

Decision halted_decision(const CallRequest& request) {
  Decision decision;
  decision.layer = Layer::kLine;
  decision.reason = "the line is stopped";
  decision.effective_trust = request.trust;
  decision.missing = {"the operator resumes the line (anima guard resume)"};
  return decision;
}

void deny_for_want_of_tool(const CallRequest& request, Decision& decision) {
  decision.permission = Permission::kDenied;
  decision.layer = Layer::kUnknownTool;
  decision.reason = "there is no tool '" + request.tool + "' here";
  decision.missing = {"a program that brings the tool '" + request.tool + "'"};
}

// What a person is asked: the exact call, and what an answer should rest on.
Json question(const Approval& approval, const PermissionTable& permissions) {
  const ToolPolicy* tool = permissions.find(approval.request.tool);
  Json payload = Json::object(
      {{"requestId", approval.id},
       {"toolId", approval.request.tool},
       {"agentId", approval.request.agent},
       {"parameters", approval.request.arguments},
       {"permissionTier", tool == nullptr ? std::string() : std::string(to_string(tool->tier))},
       {"trustLevel", std::string(trust_name(approval.effective_trust))},
       {"reason", approval.reason},
       {"expires", format_timestamp(approval.expires)}});
  if (!approval.evidence.is_null()) payload.set("evidence", approval.evidence);
  return payload;
}

// What a tool says of its own output ({"trust":"untrusted"}) can only lower its label.
Trust label_of(const Json& result, Trust most) {
  const Json* named = result.find("trust");
  if (named == nullptr || !named->is_string()) return most;
  return lowest(most, parse_trust(named->as_string()).value_or(Trust::kUntrusted));
}

}  // namespace

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

Executor::Executor(PermissionTable permissions, ToolRunner& tools, AuditLog& audit,
                   StopSwitch& line, bus::EventBus& events, Clock& clock, Random& random,
                   Options options)
    : permissions_(std::move(permissions)),
      tools_(tools),
      audit_(audit),
      line_(line),
      events_(events),
      options_(options),
      own_approvals_(
          options.approvals != nullptr
              ? nullptr
              : std::make_unique<Approvals>(
                    clock, random, audit, nullptr,
                    ApprovalOptions{.answer_milliseconds = options.approval_milliseconds},
                    &events)),
      approvals_(options.approvals != nullptr ? options.approvals : own_approvals_.get()),
      tokens_(clock, random),
      slots_(options.ledger != nullptr ? options.ledger->space().folder() : std::string(),
             options.max_concurrent) {}

// The three layers, then the policy; a policy that asks turns a permitted call into one that waits.
Decision Executor::judge(const CallRequest& request, std::uint64_t& call) const {
  Decision decision = permissions_.decide(request);
  const ToolPolicy* tool = permissions_.find(request.tool);
  if (options_.policy == nullptr || tool == nullptr) return decision;
  detail::apply_verdict(options_.policy->decide(request, *tool, call), request, decision);
  return decision;
}

Decision Executor::decide(const CallRequest& request) const {
  if (line_.halted()) return halted_decision(request);
  Decision decision = permissions_.decide(request);
  const ToolPolicy* tool = permissions_.find(request.tool);
  if (options_.policy != nullptr && tool != nullptr)
    detail::apply_verdict(options_.policy->would_decide(request, *tool), request, decision);
  if (decision.permission == Permission::kDenied) {
    if (decision.layer != Layer::kUnknownTool) decision.missing = what_would_allow(request);
  } else if (!tools_.has(request.tool)) {
    deny_for_want_of_tool(request, decision);
  }
  return decision;
}

std::vector<std::string> Executor::what_would_allow(const CallRequest& request) const {
  return detail::missing_grants(permissions_, options_.policy, request);
}

Outcome Executor::refuse(const CallRequest& request, Outcome::Kind kind, Decision decision,
                         std::string reason, std::uint64_t call) {
  if (decision.layer != Layer::kLine && decision.layer != Layer::kUnknownTool)
    decision.missing = what_would_allow(request);
  Json details = call_details(request);
  details.set("layer", std::string(to_string(decision.layer)));
  details.set("reason", reason);
  details.set("effectiveTrust", std::string(trust_name(decision.effective_trust)));
  if (!decision.rule.empty()) details.set("rule", decision.rule);
  if (decision.evidence.is_object() && !decision.evidence.as_object().empty())
    details.set("evidence", decision.evidence);
  details.set("missing", word_list(decision.missing));
  // Denied stays denied when the log cannot be written.
  const auto audited =
      audit_.write("permission_denied", request.agent, request.trust, std::move(details));
  const std::string audit_id = audited.value_or(std::string());
  events_.emit(
      {"permission:denied", Json::object({{"toolId", request.tool},
                                          {"agentId", request.agent},
                                          {"reason", reason},
                                          {"violations", word_list(decision.missing)},
                                          {"layer", std::string(to_string(decision.layer))},
                                          {"auditId", audit_id}})});
  if (call != 0) options_.policy->finished(call, "denied");
  return {.kind = kind,
          .decision = std::move(decision),
          .result = {},
          .reason = std::move(reason),
          .approval_id = {},
          .audit_id = audit_id,
          .call = call};
}

Outcome Executor::line_stopped(const CallRequest& request) {
  Decision decision = halted_decision(request);
  std::string reason = decision.reason;
  return refuse(request, Outcome::Kind::kHalted, std::move(decision), std::move(reason));
}

Outcome Executor::wait(const CallRequest& request, Decision decision, std::uint64_t call) {
  const auto asked = approvals_->ask(request, decision);
  if (!asked) {
    return refuse(request, Outcome::Kind::kDenied, std::move(decision),
                  "an approval cannot be asked for: " + asked.error().describe(), call);
  }
  if (asked->is_new)
    events_.emit({"permission:approval_required", question(asked->approval, permissions_)});
  if (call != 0) options_.policy->finished(call, "waiting");
  std::string reason = decision.reason;
  return {.kind = Outcome::Kind::kWaiting,
          .decision = std::move(decision),
          .result = {},
          .reason = std::move(reason),
          .approval_id = asked->approval.id,
          .audit_id = {},
          .call = call};
}

Outcome Executor::execute(const CallRequest& request) {
  if (line_.halted()) return line_stopped(request);
  std::uint64_t call = 0;
  Decision decision = judge(request, call);
  if (decision.permission == Permission::kDenied) {
    std::string reason = decision.reason;
    return refuse(request, Outcome::Kind::kDenied, std::move(decision), std::move(reason), call);
  }
  // `confirmed` is for approvals alone: a caller's own claim counts for nothing.
  if (request.confirmed) {
    decision.layer = Layer::kTier;
    return refuse(request, Outcome::Kind::kDenied, std::move(decision),
                  "a call cannot confirm itself", call);
  }
  if (!tools_.has(request.tool)) {
    deny_for_want_of_tool(request, decision);
    std::string reason = decision.reason;
    return refuse(request, Outcome::Kind::kDenied, std::move(decision), std::move(reason), call);
  }
  std::string approval_id;
  if (decision.permission != Permission::kAllowed) {
    approval_id = approvals_->granted_for(request, decision.effective_trust).value_or("");
    if (approval_id.empty()) return wait(request, std::move(decision), call);
  }
  const auto slot = slots_.take();
  if (!slot) return crowded(request, std::move(decision), slot.error(), call);
  if (approval_id.empty()) return enter(request, std::move(decision), call);
  return run_approved(request, std::move(decision), call, approval_id);
}

Outcome Executor::crowded(const CallRequest& request, Decision decision, const Error& error,
                          std::uint64_t call) {
  decision.layer = Layer::kLine;
  if (error.code == ErrorCode::kBusy) {
    decision.missing = {"another call ends"};
    return refuse(request, Outcome::Kind::kBusy, std::move(decision), error.message, call);
  }
  decision.missing = {"a space whose folder can be written"};
  return refuse(request, Outcome::Kind::kDenied, std::move(decision),
                "whether too many calls run cannot be told: " + error.describe(), call);
}

Outcome Executor::run_approved(const CallRequest& request, Decision decision, std::uint64_t call,
                               std::string_view approval_id) {
  const auto used = approvals_->redeem(approval_id, request, decision.effective_trust);
  if (!used) {
    std::string reason = used.error().describe();
    return refuse(request, Outcome::Kind::kDenied, std::move(decision), std::move(reason), call);
  }
  decision.permission = Permission::kAllowed;
  decision.layer = Layer::kNone;
  decision.reason.clear();
  decision.missing.clear();
  return run(request, std::move(decision), call, approval_id);
}

// What changes something stands in the log before it runs, as the use of an approval does: a log
// that takes no entry lets nothing happen, and a crash leaves a trace. What only reads is entered
// once, with what it gave; without the entry nobody gets it.
Outcome Executor::enter(const CallRequest& request, Decision decision, std::uint64_t call) {
  if (permissions_.find(request.tool)->tier > Tier::kReadOnly) {
    const Status entered = audit_.announce(request.agent, request.trust, call_details(request));
    if (!entered) {
      std::string reason = "the call cannot be audited: " + entered.error().describe();
      decision.layer = Layer::kLine;
      decision.missing = {"a log that can be written"};
      return refuse(request, Outcome::Kind::kDenied, std::move(decision), std::move(reason), call);
    }
  }
  return run(request, std::move(decision), call);
}

Outcome Executor::run(const CallRequest& request, Decision decision, std::uint64_t call,
                      std::string_view approval_id) {
  events_.emit({"permission:granted", Json::object({{"requestId", std::string(approval_id)},
                                                    {"toolId", request.tool},
                                                    {"agentId", request.agent},
                                                    {"autoApproved", approval_id.empty()}})});
  events_.emit(
      {"tool:start", Json::object({{"toolId", request.tool}, {"agentId", request.agent}})});
  const ToolPolicy& tool = *permissions_.find(request.tool);
  Result<Json> result = tools_.run(request.tool, request.arguments, tool.timeout_milliseconds);
  const bool done = result.has_value();
  std::string reason = done ? std::string() : result.error().describe();
  Outcome outcome;
  outcome.kind = done ? Outcome::Kind::kDone : Outcome::Kind::kFailed;
  outcome.output_trust = lowest(decision.effective_trust, tool.output_trust);
  if (done) outcome.output_trust = label_of(*result, outcome.output_trust);
  outcome.call = call;
  Json details = call_details(request);
  details.set("success", done);
  details.set("error", reason);
  details.set("outputTrust", std::string(trust_name(outcome.output_trust)));
  const auto audited =
      audit_.write("tool_executed", request.agent, request.trust, std::move(details));
  if (!audited) {
    (void)line_.halt("guardian", "a call that ran could not be audited");
    outcome.kind = Outcome::Kind::kFailed;
    reason = "the call ran but could not be audited, so the line is stopped: " +
             audited.error().describe();
  } else {
    outcome.audit_id = *audited;
  }
  if (call != 0) options_.policy->finished(call, to_string(outcome.kind));
  events_.emit({"tool:end", Json::object({{"toolId", request.tool}, {"success", done}})});
  outcome.decision = std::move(decision);
  if (outcome.kind == Outcome::Kind::kDone) outcome.result = std::move(*result);
  outcome.reason = std::move(reason);
  return outcome;
}

std::vector<Approval> Executor::approvals() const {
  return approvals_->list().value_or(std::vector<Approval>());
}

void Executor::expire() { (void)approvals_->expire(); }

Result<Outcome> Executor::approve(std::string_view approval_id, std::string_view by) {
  ANIMA_TRY(approvals_->grant(approval_id, by));
  ANIMA_ASSIGN(const Approval approval, approvals_->find(approval_id));
  CallRequest request = approval.request;
  if (line_.halted()) return line_stopped(request);
  const CallToken token = tokens_.issue(request.tool, request.agent, request.arguments, by);
  request.confirmed = true;
  std::uint64_t call = 0;
  Decision decision = judge(request, call);
  if (decision.permission == Permission::kDenied) {
    std::string reason = decision.reason;
    return refuse(request, Outcome::Kind::kDenied, std::move(decision), std::move(reason), call);
  }
  const auto slot = slots_.take();
  if (!slot) return crowded(request, std::move(decision), slot.error(), call);
  ANIMA_TRY(approvals_->redeem(approval.id, request, approval.effective_trust));
  ANIMA_TRY(tokens_.redeem(token, request.tool, request.agent, request.arguments));
  return run(request, std::move(decision), call, approval.id);
}

Status Executor::reject(std::string_view approval_id, std::string_view by,
                        std::string_view reason) {
  return approvals_->reject(approval_id, by, reason);
}

}  // namespace anima::govern
