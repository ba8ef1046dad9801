// anima guard halt|resume|line: the stop-the-line switch of a space, for all its processes.
#include <fmt/format.h>

#include "base/process.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/verbs/govern/signing.h"
#include "govern/approve/approver_book.h"
#include "govern/decide/stop_switch.h"

namespace anima::cli {
namespace {

using govern::LineState;

Json to_json(const LineState& line) {
  Json lifted = Json::array();
  for (const auto& [role, person] : line.lifted_by) lifted.push_back(role);
  Json json = Json::object({{"halted", line.halted}, {"emergency", line.emergency}});
  if (line.halted) {
    json.set("by", line.by);
    json.set("reason", line.reason);
    json.set("since", format_timestamp(line.since));
    json.set("lifted_by", std::move(lifted));
  }
  return json;
}

int say(Context& context, const govern::StopSwitch& line) {
  const auto state = line.state();
  if (!state) return context.fail(state.error());
  if (context.json) {
    context.print_json(to_json(*state));
  } else if (!state->halted) {
    context.print("The line runs.\n");
  } else {
    context.print(fmt::format("{} by {} since {}{}{}\n",
                              state->emergency ? "Emergency stop" : "The line is stopped",
                              state->by, format_timestamp(state->since),
                              state->reason.empty() ? "" : ": ", state->reason));
    if (!state->emergency) {
      context.print("It goes on with: anima guard resume\n");
    } else {
      for (const char* role : {"operator", "arbiter"}) {
        if (!state->lifted_by.contains(role))
          context.print(fmt::format("Still to lift it: anima guard resume --as {}\n", role));
      }
    }
  }
  return kDone;
}

int run_halt(Context& context, Arguments arguments) {
  std::string reason;
  std::string agent = "operator";
  bool emergency = false;
  Options options;
  options.value("--reason TEXT", reason, "why, for the log");
  options.flag("--emergency", emergency,
               "an emergency stop: the operator and the arbiter lift it, from two accounts");
  options.value("--as AGENT", agent, "in whose name; an emergency may be any agent's");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  govern::StopSwitch& line = (*governance)->line;
  const Status stopped = emergency ? line.emergency(agent, reason) : line.halt(agent, reason);
  return stopped ? say(context, line) : context.fail(stopped.error());
}

int run_line_resume(Context& context, Arguments arguments) {
  std::string role = "operator";
  SigningWishes wishes;
  Options options;
  options
      .value("--as ROLE", role,
             "who lifts an emergency stop; both have to, from two accounts or with two keys")
      .choices({"operator", "arbiter"});
  wishes.declare(options);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  govern::StopSwitch& line = (*governance)->line;
  const auto state = line.state();
  if (!state) return context.fail(state.error());
  govern::ApproverBook book((*governance)->ledger);
  const auto approvers = book.now();
  if (!approvers) return context.fail(approvers.error());
  ChosenSigner signer;
  if (state->halted) {
    auto chosen = choose_signer(context, **approvers, wishes, role);
    if (!chosen) return context.fail(chosen.error());
    signer = *std::move(chosen);
  }
  const Status done = state->emergency ? line.lift_emergency(role, login_account(), signer.sign)
                                       : line.resume(role, signer.sign);
  return done ? say(context, line) : context.fail(done.error());
}

int run_line(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return context.fail(governance.error());
  return say(context, (*governance)->line);
}

}  // namespace

extern const Verb kGuardHalt;
extern const Verb kGuardResume;
extern const Verb kGuardLine;
const Verb kGuardHalt{"guard halt",
                      Group::kActing,
                      "stops the line: no tool runs in any process of the space",
                      "[--reason TEXT] [--emergency [--as AGENT]] [--json]",
                      "anima guard halt --reason \"looking into it\"",
                      run_halt};
const Verb kGuardResume{"guard resume",
                        Group::kActing,
                        "lets the line go on after a halt, or lifts an emergency stop",
                        "[--as operator|arbiter] [--by NAME | --key FILE | --socket PATH] [--json]",
                        "anima guard resume",
                        run_line_resume};
const Verb kGuardLine{
    "guard line", Group::kActing,     "whether the line is stopped, by whom and why",
    "[--json]",   "anima guard line", run_line};

}  // namespace anima::cli
