#include "govern/decide/executor.h"

#include <algorithm>

#include "base/json/text_array.h"
#include "govern/decide/detail/constitution_of_calls.h"
#include "govern/decide/detail/grants.h"
#include "govern/ledger/ledger.h"
#include "store/act.h"

namespace anima::govern {
namespace {

// The tool and the hash of its arguments: an audit entry shows no contents.
Json call_details(const CallRequest& request) {
  return Json::object(
      {{"tool", request.tool}, {"argumentsHash", arguments_hash(request.arguments)}});
}

// Whether a call only waits because of its tier: what it would change is known once it is
// rehearsed.
bool waits_for_its_tier(const Decision& decision) {
  return decision.permission == Permission::kNeedsApproval && decision.layer == Layer::kTier;
}

void allow(Decision& decision) {
  decision.permission = Permission::kAllowed;
  decision.layer = Layer::kNone;
  decision.reason.clear();
  decision.missing.clear();
}

// The call waits since it was made before, for what it waited for then.
void wait_as_before(const Approval& approval, Decision& decision) {
  if (decision.permission == Permission::kAllowed) decision.layer = Layer::kApproval;
  decision.permission = Permission::kNeedsApproval;
  if (decision.reason.empty()) decision.reason = approval.reason;
  decision.evidence = approval.evidence;
}

std::string_view id_of_changes(const Approval& approval) {
  const Json* changes = approval.evidence.find("changes");
  const Json* id = changes == nullptr ? nullptr : changes->find("id");
  return id == nullptr ? std::string_view() : std::string_view(id->as_string());
}

// Nobody is asked, so the paths of what a call would change are enough.
Json without_contents(Json evidence) {
  if (Json* changes = evidence.find("changes"); changes != nullptr && changes->is_object())
    std::erase_if(changes->as_object(),
                  [](const JsonMember& each) { return each.first == "text"; });
  return evidence;
}

// Of a call that failed, where what it wrote could not be taken back.
std::string what_stays(const Result<bool>& taken) {
  if (taken) return *taken ? "" : "; what it wrote to the space stays";
  return "; it is not known whether a part of it stays: " + taken.error().describe();
}

// The line is stopped, or nobody can tell: what the next call finds may be otherwise.
Decision line_decision(const CallRequest& request, const StopSwitch& line) {
  Decision decision;
  decision.layer = Layer::kLine;
  decision.effective_trust = request.trust;
  const auto state = line.state();
  if (!state) {
    decision.reason = "whether the line is stopped cannot be told, for the log cannot be read: " +
                      state.error().describe();
    decision.missing = {"a log that can be read; nothing was done, make the call again"};
    return decision;
  }
  decision.reason = "the line is stopped";
  decision.missing = {"the operator resumes the line (anima guard resume)"};
  if (!state->by.empty()) decision.reason += " by " + state->by;
  if (!state->reason.empty()) decision.reason += ": " + state->reason;
  if (state->emergency) {
    decision.missing = {
        "the operator and the arbiter, two persons, lift the emergency stop (anima guard resume)"};
  }
  return decision;
}

// A log that takes nothing now may take it later; a part of the entry that its maker refuses stays
// refused.
Outcome::Kind kind_of_failed_entry(const Error& error) {
  switch (error.code) {
    case ErrorCode::kIo:
    case ErrorCode::kDiskFull:
    case ErrorCode::kBusy:
    case ErrorCode::kTimeout:
      return Outcome::Kind::kBusy;
    default:
      return Outcome::Kind::kDenied;
  }
}

void deny_for_want_of_tool(const CallRequest& request, Decision& decision) {
  decision.permission = Permission::kDenied;
  decision.layer = Layer::kUnknownTool;
  decision.reason = "there is no tool '" + request.tool + "' here";
  decision.missing = {"a program that brings the tool '" + request.tool + "'"};
}

// Values are judged by rules; where there are none, a person does it.
void ask_for_want_of_rules(const CallRequest& request, Decision& decision) {
  if (request.values == nullptr) return;
  detail::apply_verdict(
      {Permission::kNeedsApproval, "no rules judge where its arguments came from", {}}, request,
      decision);
}

// What a person is asked: the exact call, and what an answer should rest on.
Json question(const Approval& approval, const PermissionTable& permissions) {
  const ToolPolicy* tool = permissions.find(approval.request);
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

// What who asked is told of the answer.
std::string rejection(const Approval& approval) {
  std::string reason = approval.decided_by + " rejected it";
  if (!approval.reason.empty()) reason += ": " + approval.reason;
  return reason + " (made again after " + format_timestamp(approval.expires) + " it asks anew)";
}

// The records of one part and then those of the other.
EntryPart both(EntryPart first, EntryPart second) {
  if (!first || !second) return first ? first : second;
  return [first = std::move(first),
          second = std::move(second)](WriterTurn& turn) -> Result<std::vector<LedgerRecord>> {
    ANIMA_ASSIGN(std::vector<LedgerRecord> records, first(turn));
    ANIMA_ASSIGN(const std::vector<LedgerRecord> more, second(turn));
    records.insert(records.end(), more.begin(), more.end());
    return records;
  };
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
      call_prefix_(make_uuid(random).substr(0, 8) + "-"),
      slots_(options.ledger != nullptr ? options.ledger->space().folder() : std::string(),
             options.max_concurrent),
      trace_(options.policy, options.ledger, clock) {}

std::string Executor::next_call_id() { return call_prefix_ + std::to_string(++calls_); }

// What a door does is done by whoever stands behind it, once it was let through.
bool Executor::has(const CallRequest& request) const {
  return request.door != nullptr || tools_.has(request.tool);
}

Rehearser* Executor::rehearser_of(const CallRequest& request) const {
  return request.door != nullptr ? nullptr : tools_.rehearser(request.tool);
}

// The confirmation of a tier is for effects that nobody sees before.
void Executor::lift_tier(const CallRequest& request, Decision& decision) const {
  if (waits_for_its_tier(decision) && rehearser_of(request) != nullptr) allow(decision);
}

// The three layers, then the policy; a policy that asks turns a permitted call into one that waits.
Decision Executor::judge(Call& call) {
  Decision decision = permissions_.decide(call.request);
  lift_tier(call.request, decision);
  if (call.tool != nullptr) detail::apply_verdict(trace_.decide(call), call.request, decision);
  if (options_.policy == nullptr) ask_for_want_of_rules(call.request, decision);
  detail::apply_constitution(call.request, call.tool, rehearser_of(call.request) != nullptr,
                             decision);
  return decision;
}

Decision Executor::decide(const CallRequest& request) const {
  if (line_.look() != LineLook::kRuns) return line_decision(request, line_);
  Decision decision = permissions_.decide(request);
  lift_tier(request, decision);
  const ToolPolicy* tool = permissions_.find(request);
  if (tool != nullptr)
    detail::apply_verdict(trace_.would_decide(request, *tool), request, decision);
  if (options_.policy == nullptr) ask_for_want_of_rules(request, decision);
  detail::apply_constitution(request, tool, rehearser_of(request) != nullptr, decision);
  if (decision.permission == Permission::kDenied) {
    if (decision.layer != Layer::kUnknownTool && decision.layer != Layer::kConstitution)
      decision.missing = what_would_allow(request);
  } else if (!has(request)) {
    deny_for_want_of_tool(request, decision);
  }
  return decision;
}

std::vector<std::string> Executor::what_would_allow(const CallRequest& request) const {
  return detail::missing_grants(permissions_, options_.policy, request);
}

Outcome Executor::refuse(Call& call, Decision decision) {
  std::string reason = decision.reason;
  return refuse(call, Outcome::Kind::kDenied, std::move(decision), std::move(reason));
}

EntryPart Executor::ending(Call& call, const Outcome& outcome) {
  const bool ran = outcome.kind == Outcome::Kind::kDone || outcome.kind == Outcome::Kind::kFailed;
  EntryPart traced = trace_.ending(call, ran ? to_string(outcome.kind) : "denied");
  if (call.parts == nullptr || !call.parts->ended) return traced;
  return both(std::move(traced), call.parts->ended(outcome));
}

Outcome Executor::refuse(Call& call, Outcome::Kind kind, Decision decision, std::string reason) {
  const CallRequest& request = call.request;
  if (decision.layer != Layer::kLine && decision.layer != Layer::kUnknownTool &&
      decision.layer != Layer::kConstitution)
    decision.missing = what_would_allow(request);
  Json details = call_details(request);
  details.set("layer", std::string(to_string(decision.layer)));
  details.set("reason", reason);
  details.set("effectiveTrust", std::string(trust_name(decision.effective_trust)));
  if (!decision.rule.empty()) details.set("rule", decision.rule);
  if (decision.evidence.is_object() && !decision.evidence.as_object().empty())
    details.set("evidence", without_contents(decision.evidence));
  details.set("missing", text_array(decision.missing));
  Outcome outcome;
  outcome.kind = kind;
  outcome.reason = reason;
  // Denied stays denied when the log cannot be written.
  const auto audited = audit_.write("permission_denied", request.agent, request.trust,
                                    std::move(details), ending(call, outcome));
  trace_.entered(call, audited.has_value());
  trace_.ended(call, "denied");
  outcome.audit_id = audited.value_or(std::string());
  events_.emit(
      {"permission:denied", Json::object({{"callId", call.id},
                                          {"toolId", request.tool},
                                          {"agentId", request.agent},
                                          {"reason", reason},
                                          {"violations", text_array(decision.missing)},
                                          {"layer", std::string(to_string(decision.layer))},
                                          {"auditId", outcome.audit_id}})});
  outcome.call = call.number;
  outcome.decision = std::move(decision);
  return outcome;
}

Outcome Executor::line_stopped(Call& call) {
  Decision decision = line_decision(call.request, line_);
  std::string reason = decision.reason;
  const auto kind = call.line == LineLook::kStopped ? Outcome::Kind::kHalted : Outcome::Kind::kBusy;
  return refuse(call, kind, std::move(decision), std::move(reason));
}

// Nothing was judged, and no rule needs to see it.
Outcome Executor::line_stopped(const CallRequest& request, LineLook line) {
  Call call(request, nullptr);
  call.id = next_call_id();
  call.line = line;
  return line_stopped(call);
}

// What is announced in the writer's turn comes after every halt that stands in the log.
EntryPart Executor::announcing(Call& call) {
  EntryPart all =
      both(trace_.announcing(call), call.parts == nullptr ? nullptr : call.parts->starting);
  return
      [this, &call, part = std::move(all)](WriterTurn& turn) -> Result<std::vector<LedgerRecord>> {
        call.announcement = turn.place;
        call.line = line_.look_in(turn);
        if (call.line != LineLook::kRuns) return fail(ErrorCode::kDenied, "the line does not run");
        return part ? part(turn) : std::vector<LedgerRecord>();
      };
}

void Executor::announced(Call& call, bool written) {
  trace_.entered(call, written);
  if (written && call.announcement != store::Sequence::kNone) line_.pass(call.announcement);
}

// A call that waits already is not asked for twice, and is in the trace as often as it is made.
Outcome Executor::wait(Call& call, Decision decision) {
  const CallRequest& request = call.request;
  // A log that cannot be read lets nobody ask either, below.
  const auto rejected = approvals_->rejected_for(request, decision.effective_trust);
  if (rejected && *rejected) {
    decision.layer = Layer::kApproval;
    return refuse(call, Outcome::Kind::kDenied, std::move(decision), rejection(**rejected));
  }
  const auto asked = approvals_->ask(
      request, decision,
      both(trace_.ending(call, "waiting"), call.parts == nullptr ? nullptr : call.parts->asking));
  trace_.entered(call, asked && asked->is_new);
  if (!asked) {
    return refuse(call, Outcome::Kind::kDenied, std::move(decision),
                  "an approval cannot be asked for: " + asked.error().describe());
  }
  if (asked->is_new) {
    Json asks = question(asked->approval, permissions_);
    asks.set("callId", call.id);
    events_.emit({"permission:approval_required", std::move(asks)});
  } else if (trace_.is_recording()) {
    trace_.entered(
        call, options_.ledger->write_part("executor", request.trust, trace_.ending(call, "waiting"))
                  .has_value());
  }
  trace_.ended(call, "waiting");
  std::string reason = decision.reason;
  return {.kind = Outcome::Kind::kWaiting,
          .decision = std::move(decision),
          .result = {},
          .reason = std::move(reason),
          .approval_id = asked->approval.id,
          .audit_id = {},
          .call = call.number};
}

Outcome Executor::execute(const CallRequest& request, const CallParts& parts) {
  if (const LineLook line = line_.look(); line != LineLook::kRuns)
    return line_stopped(request, line);
  Call call(request, permissions_.find(request), &parts);
  call.id = next_call_id();
  Decision decision = judge(call);
  if (decision.permission == Permission::kDenied) return refuse(call, std::move(decision));
  // `confirmed` is for approvals alone: a caller's own claim counts for nothing.
  if (request.confirmed) {
    decision.layer = Layer::kTier;
    return refuse(call, Outcome::Kind::kDenied, std::move(decision),
                  "a call cannot confirm itself");
  }
  if (!has(request)) {
    deny_for_want_of_tool(request, decision);
    return refuse(call, std::move(decision));
  }
  std::string approval_id;
  const bool is_rehearsed = rehearser_of(request) != nullptr;
  if (decision.permission != Permission::kAllowed || is_rehearsed) {
    const Trust trust = decision.effective_trust;
    approval_id = approvals_->granted_for(request, trust).value_or("");
    if (approval_id.empty() && !is_rehearsed) return wait(call, std::move(decision));
    if (approval_id.empty()) {
      // What waits is not rehearsed again, nor what was rejected.
      const auto waiting = approvals_->pending_for(request, trust);
      const auto rejected = approvals_->rejected_for(request, trust);
      if (waiting && *waiting) wait_as_before(**waiting, decision);
      if ((waiting && *waiting) || (rejected && *rejected)) return wait(call, std::move(decision));
    }
  }
  const auto slot = slots_.take();
  if (!slot) return crowded(call, std::move(decision), slot.error());
  if (approval_id.empty() && is_rehearsed) return rehearse(call, std::move(decision));
  if (approval_id.empty()) return enter(call, std::move(decision));
  return run_approved(call, std::move(decision), approval_id);
}

void Executor::judge_changes(const CallRequest& request, std::uint64_t number,
                             const Rehearsal& rehearsal, Decision& decision) const {
  if (!rehearsal.shown.is_null()) decision.evidence.set("changes", rehearsal.shown);
  const ToolPolicy* tool = permissions_.find(request);
  if (rehearsal.changes.all.empty() || tool == nullptr) return;
  PolicyVerdict verdict{Permission::kNeedsApproval, "no rules judge what it changes", {}};
  if (options_.policy != nullptr) {
    CallRequest rehearsed = request;
    rehearsed.changes = std::make_shared<const CallChanges>(rehearsal.changes);
    verdict = options_.policy->decide_changes(rehearsed, *tool, number);
  }
  detail::apply_verdict(verdict, request, decision);
}

// Holds a slot, for it runs. What it leaves is in the log as every call is, once it is known
// whether anything is changed.
Outcome Executor::rehearse(Call& call, Decision decision) {
  if (call.line = line_.look(); call.line != LineLook::kRuns) return line_stopped(call);
  const CallRequest& request = call.request;
  Rehearser& rehearser = *rehearser_of(request);
  call.rehearsal = rehearser.rehearse(request.stop, request.tool, request.arguments,
                                      call.tool->timeout_milliseconds);
  const Result<Rehearsal>& rehearsal = *call.rehearsal;
  if (!rehearsal) return enter(call, std::move(decision));
  judge_changes(request, call.number, *rehearsal, decision);
  if (decision.permission == Permission::kNeedsApproval) return wait(call, std::move(decision));
  if (decision.permission == Permission::kAllowed) return enter(call, std::move(decision));
  rehearser.forget(request.tool, *rehearsal);
  return refuse(call, std::move(decision));
}

Decision Executor::preview(const CallRequest& request) {
  Decision decision = decide(request);
  Rehearser* rehearser = rehearser_of(request);
  const ToolPolicy* tool = permissions_.find(request);
  if (rehearser == nullptr || tool == nullptr || decision.permission == Permission::kDenied)
    return decision;
  const auto slot = slots_.take();
  if (!slot) return decision;
  const auto rehearsal = rehearser->rehearse(request.stop, request.tool, request.arguments,
                                             tool->timeout_milliseconds);
  if (!rehearsal) {
    decision.evidence.set("rehearsal", rehearsal.error().describe());
    return decision;
  }
  judge_changes(request, 0, *rehearsal, decision);
  rehearser->forget(request.tool, *rehearsal);
  return decision;
}

Outcome Executor::crowded(Call& call, Decision decision, const Error& error) {
  decision.layer = Layer::kLine;
  if (error.code == ErrorCode::kBusy) {
    decision.missing = {"another call ends"};
    return refuse(call, Outcome::Kind::kBusy, std::move(decision), error.message);
  }
  decision.missing = {"a space whose folder can be written"};
  return refuse(call, Outcome::Kind::kDenied, std::move(decision),
                "whether too many calls run cannot be told: " + error.describe());
}

Outcome Executor::run_approved(Call& call, Decision decision, std::string_view approval_id) {
  call.may_be_asked = false;
  if (rehearser_of(call.request) != nullptr) {
    const auto approval = approvals_->find(approval_id);
    if (!approval)
      return refuse(call, Outcome::Kind::kDenied, std::move(decision), approval.error().describe());
    call.rehearsal = Rehearsal{.id = std::string(id_of_changes(*approval)), .changes = {}};
  }
  const auto used =
      approvals_->redeem(approval_id, call.request, decision.effective_trust, announcing(call));
  announced(call, used.has_value());
  if (call.line != LineLook::kRuns) return line_stopped(call);
  if (call.overruled) return overruled(call);
  if (!used) {
    return refuse(call, Outcome::Kind::kDenied, std::move(decision), used.error().describe());
  }
  allow(decision);
  return run(call, std::move(decision), approval_id);
}

// What changes something stands in the log before it runs, as the use of an approval does: a log
// that takes no entry lets nothing happen, and a crash leaves a trace. What only reads is entered
// once, with what it gave; without the entry nobody gets it.
Outcome Executor::enter(Call& call, Decision decision) {
  if (call.tool->tier > Tier::kReadOnly) {
    const Status entered = audit_.announce(call.request.agent, call.request.trust,
                                           call_details(call.request), announcing(call));
    announced(call, entered.has_value());
    if (call.line != LineLook::kRuns) return line_stopped(call);
    if (call.overruled) return overruled(call);
    if (!entered) {
      decision.layer = Layer::kLine;
      decision.missing = {"a log that can be written; nothing was done, make the call again"};
      return refuse(call, kind_of_failed_entry(entered.error()), std::move(decision),
                    "the call cannot be audited: " + entered.error().describe());
    }
  }
  return run(call, std::move(decision));
}

Outcome Executor::overruled(Call& call) {
  Decision decision = permissions_.decide(call.request);
  const bool was_rehearsed = call.rehearsal && call.rehearsal->has_value();
  if (was_rehearsed && waits_for_its_tier(decision)) allow(decision);
  detail::apply_verdict(*std::exchange(call.overruled, std::nullopt), call.request, decision);
  if (was_rehearsed) judge_changes(call.request, call.number, **call.rehearsal, decision);
  if (decision.permission == Permission::kDenied) return refuse(call, std::move(decision));
  const std::string approval_id =
      approvals_->granted_for(call.request, decision.effective_trust).value_or("");
  if (approval_id.empty()) return wait(call, std::move(decision));
  return run_approved(call, std::move(decision), approval_id);
}

Result<Json> Executor::run_tool(Call& call) {
  const CallRequest& request = call.request;
  const std::int64_t timeout = call.tool->timeout_milliseconds;
  if (request.door != nullptr) return Json::object({{"let_in", true}});
  if (!call.rehearsal)
    return tools_.run_until(request.stop, request.tool, request.arguments, timeout);
  if (!*call.rehearsal) return fail(call.rehearsal->error());
  return rehearser_of(request)->conclude(request.stop, request.tool, request.arguments,
                                         **call.rehearsal, timeout);
}

Outcome Executor::run(Call& call, Decision decision, std::string_view approval_id) {
  // Once more, for what only reads, and for a halt that was written in the same turn.
  if (call.line = line_.look(); call.line != LineLook::kRuns) return line_stopped(call);
  const CallRequest& request = call.request;
  events_.emit({"permission:granted", Json::object({{"callId", call.id},
                                                    {"requestId", std::string(approval_id)},
                                                    {"toolId", request.tool},
                                                    {"agentId", request.agent},
                                                    {"autoApproved", approval_id.empty()}})});
  events_.emit(
      {"tool:start",
       Json::object({{"callId", call.id}, {"toolId", request.tool}, {"agentId", request.agent}})});
  std::optional<store::ActStep> step;  // what the tool writes to the space
  if (options_.ledger != nullptr && request.door == nullptr) step.emplace(options_.ledger->space());
  Result<Json> result = request.stop.stop_requested()
                            ? fail(ErrorCode::kCancelled, "the call was taken back before it ran")
                            : run_tool(call);
  const Result<bool> taken = step && !result ? step->take_back() : Result<bool>(true);
  const bool done = result.has_value();
  std::string reason = done ? std::string() : result.error().describe() + what_stays(taken);
  Outcome outcome;
  outcome.kind = done ? Outcome::Kind::kDone : Outcome::Kind::kFailed;
  outcome.output_trust = lowest(decision.effective_trust, call.tool->output_trust);
  if (done) outcome.output_trust = label_of(*result, outcome.output_trust);
  if (done) outcome.result = std::move(*result);
  outcome.reason = reason;
  Json details = call_details(request);
  details.set("success", done);
  details.set("error", reason);
  details.set("outputTrust", std::string(trust_name(outcome.output_trust)));
  const auto audited = audit_.write("tool_executed", request.agent, request.trust,
                                    std::move(details), ending(call, outcome));
  trace_.entered(call, audited.has_value());
  if (!audited) {
    outcome.kind = Outcome::Kind::kFailed;
    outcome.result = {};
    outcome.reason = "the call ran but could not be audited, so its result is withheld: " +
                     audited.error().describe() +
                     what_stays(step ? step->take_back() : Result<bool>(true));
  } else {
    outcome.audit_id = *audited;
  }
  trace_.ended(call, to_string(outcome.kind));
  outcome.call = call.number;
  events_.emit({"tool:end", Json::object({{"callId", call.id},
                                          {"toolId", request.tool},
                                          {"success", done},
                                          {"auditId", outcome.audit_id}})});
  outcome.decision = std::move(decision);
  return outcome;
}

std::vector<Approval> Executor::approvals() const {
  return approvals_->list().value_or(std::vector<Approval>());
}

void Executor::expire() { (void)approvals_->expire(); }

Result<Outcome> Executor::approve(std::string_view approval_id, std::string_view by,
                                  const Signer& signer) {
  ANIMA_TRY(approvals_->grant(approval_id, by, signer));
  ANIMA_ASSIGN(const Approval approval, approvals_->find(approval_id));
  CallRequest request = approval.request;
  if (const LineLook line = line_.look(); line != LineLook::kRuns)
    return line_stopped(request, line);
  const CallToken token = tokens_.issue(request.tool, request.agent, request.arguments, by);
  request.confirmed = true;
  Call call(request, permissions_.find(request));
  call.id = next_call_id();
  Decision decision = judge(call);
  if (decision.permission == Permission::kDenied) return refuse(call, std::move(decision));
  const auto slot = slots_.take();
  if (!slot) return crowded(call, std::move(decision), slot.error());
  ANIMA_TRY(tokens_.redeem(token, request.tool, request.agent, request.arguments));
  decision.effective_trust = approval.effective_trust;
  return run_approved(call, std::move(decision), approval.id);
}

Status Executor::reject(std::string_view approval_id, std::string_view by,
                        std::string_view reason) {
  return approvals_->reject(approval_id, by, reason);
}

}  // namespace anima::govern
