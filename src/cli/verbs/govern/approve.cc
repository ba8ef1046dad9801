// anima approve: answer the calls that wait for a person.
#include <fmt/format.h>

#include "agent/learnings/own_learnings.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/approval_view.h"
#include "cli/render/plan_view.h"
#include "cli/render/table.h"
#include "cli/verbs/govern/signing.h"
#include "govern/approve/approver_book.h"

namespace anima::cli {
namespace {

using govern::Approval;
using govern::ApprovalStatus;
using Which = agent::PlanBook::Which;

std::string shortened(const std::string& text, std::size_t columns) {
  if (count_code_points(text) <= columns) return text;
  return std::string(substring_by_code_points(text, 0, columns - 2)) + "..";
}

// With the plans that wait for it.
Json approval_json(const Approval& approval, const std::vector<agent::KeptPlan>& plans) {
  Json json = approval.to_json();
  Json steps = Json::array();
  for (const WaitingStep& each : waiting_for(plans, approval.id))
    steps.push_back(step_json(*each.plan, each.step));
  if (!steps.as_array().empty()) json.set("plans", std::move(steps));
  return json;
}

std::string plan_ids(const Approval& approval, const std::vector<agent::KeptPlan>& plans) {
  std::string ids;
  for (const WaitingStep& each : waiting_for(plans, approval.id))
    ids += (ids.empty() ? "" : ", ") + each.plan->id.substr(0, 8);
  return ids;
}

int run_approve_list(Context& context, Arguments arguments) {
  bool all = false;
  Options options;
  options.flag("--all", all, "the answered and expired ones too");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return context.fail(governance.error());
  const auto approvals = (*governance)->approvals.list();
  if (!approvals) return context.fail(approvals.error());
  Json list = Json::array();
  const auto plans = (*governance)->plans.list(all ? Which::kAll : Which::kOpen);
  if (!plans) return context.fail(plans.error());
  Table table({"id", "status", "agent", "tool", "arguments", "plan", "expires"});
  for (const Approval& approval : *approvals) {
    if (!all && approval.status != ApprovalStatus::kPending) continue;
    list.push_back(approval_json(approval, *plans));
    table.add({approval.id.substr(0, 8), std::string(to_string(approval.status)),
               approval.request.agent, approval.request.tool,
               shortened(visible_text(approval.request.arguments.dump()), 60),
               plan_ids(approval, *plans), format_timestamp(approval.expires)});
  }
  if (context.json) {
    context.print_json(Json::object({{"approvals", std::move(list)}}));
  } else if (table.empty()) {
    context.print("Nothing waits for an approval.\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_approve_show(Context& context, Arguments arguments) {
  std::string id;
  Options options;
  options.positional("ID", id, "the approval, or the beginning of its id").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return context.fail(governance.error());
  const auto approval = (*governance)->approvals.find(id);
  if (!approval) return context.fail(approval.error());
  const auto plans = (*governance)->plans.list(Which::kAll);
  if (!plans) return context.fail(plans.error());
  if (context.json) {
    context.print_json(approval_json(*approval, *plans));
    return kDone;
  }
  context.print(approval_text(*approval));
  for (const WaitingStep& each : waiting_for(*plans, approval->id))
    context.print("  plan       " + step_text(*each.plan, each.step) + "\n");
  return kDone;
}

// The answer stands, whatever becomes of what it teaches.
void learn_answers(Context& context, Governance& governance) {
  const auto learn = [&]() -> Status {
    ANIMA_ASSIGN(const auto own, agent::OwnLearnings::open(*governance.space, governance.clock,
                                                           learning_thresholds(context)));
    return own == nullptr ? Status() : own->catch_up(governance.approvals);
  };
  if (const Status learnt = learn(); !learnt)
    context.warn("the answer was not learnt from: " + learnt.error().describe());
}

int say_answer(Context& context, Governance& governance, const std::string& id,
               std::string_view what) {
  const auto approval = governance.approvals.find(id);
  if (!approval) return context.fail(approval.error());
  const auto plans = governance.plans.list(Which::kAll);
  if (!plans) return context.fail(plans.error());
  if (context.json) {
    context.print_json(approval_json(*approval, *plans));
    return kDone;
  }
  context.print(fmt::format("{}: {} {}\n", what, approval->request.tool,
                            visible_text(approval->request.arguments.dump())));
  const bool granted = approval->status == ApprovalStatus::kApproved;
  for (const WaitingStep& each : waiting_for(*plans, approval->id)) {
    const std::string next = granted ? "anima plan continue " + each.plan->id.substr(0, 8) + "   "
                                     : std::string("over: ");
    context.note(next + step_text(*each.plan, each.step));
  }
  return kDone;
}

int run_grant(Context& context, Arguments arguments) {
  std::string id;
  std::optional<std::string> as;
  SigningWishes wishes;
  Options options;
  options.positional("ID", id, "the approval, or the beginning of its id").required();
  options.value("--as ROLE", as, "who answers; whoever signs has a role of their own")
      .choices({"operator", "arbiter", "overseer"});
  wishes.declare(options);
  options.epilogue(
      "Where the space has approvers (`anima approver list`), one of them signs: the passphrase "
      "is\n"
      "asked for at the terminal, or the process at --socket is asked.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  govern::ApproverBook book((*governance)->ledger);
  const auto approvers = book.now();
  if (!approvers) return context.fail(approvers.error());
  // What cannot be granted is said before anybody is asked for a passphrase.
  const auto approval = (*governance)->approvals.find(id);
  if (!approval) return context.fail(approval.error());
  const auto signer = choose_signer(context, **approvers, wishes, as.value_or(""));
  if (!signer) return context.fail(signer.error());
  const std::string role = !signer->role.empty() ? signer->role : as.value_or("operator");
  const Status granted = (*governance)->approvals.grant(id, role, signer->sign);
  if (!granted) return context.fail(granted.error());
  learn_answers(context, **governance);
  return say_answer(context, **governance, id, "granted, once and for five minutes");
}

int run_deny(Context& context, Arguments arguments) {
  std::string id;
  std::string as = "operator";
  std::string reason;
  Options options;
  options.positional("ID", id, "the approval, or the beginning of its id").required();
  options.value("--as ROLE", as, "who answers").choices({"operator", "arbiter", "overseer"});
  options.value("--reason TEXT", reason, "what the agent is told");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  const Status denied = (*governance)->approvals.reject(id, as, reason);
  if (!denied) return context.fail(denied.error());
  learn_answers(context, **governance);
  return say_answer(context, **governance, id, "denied");
}

}  // namespace

extern const Verb kApproveList;
extern const Verb kApproveShow;
extern const Verb kApproveGrant;
extern const Verb kApproveDeny;
const Verb kApproveList{
    "approve list",     Group::kActing,       "the calls that wait for an approval",
    "[--all] [--json]", "anima approve list", run_approve_list};
const Verb kApproveShow{"approve show",
                        Group::kActing,
                        "one waiting call: whole, with what it would do",
                        "ID [--json]",
                        "anima approve show 3f2a",
                        run_approve_show};
const Verb kApproveGrant{
    "approve grant",
    Group::kActing,
    "lets a waiting call run once, with exactly its arguments; also after a denial",
    "ID [--as operator|arbiter|overseer] [--by NAME | --key FILE | --socket PATH] [--json]",
    "anima approve grant 3f2a\n"
    "anima approve grant 3f2a --by ada",
    run_grant};
const Verb kApproveDeny{"approve deny",
                        Group::kActing,
                        "refuses a waiting call, or takes a grant back that is not used yet",
                        "ID [--reason TEXT] [--as operator|arbiter|overseer] [--json]",
                        "anima approve deny 3f2a --reason \"not this folder\"",
                        run_deny};

}  // namespace anima::cli
