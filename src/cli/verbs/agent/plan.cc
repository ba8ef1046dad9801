// anima plan: the plans of messages that are not over, and going on with them.
#include "agent/house/governed_house.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/plan_view.h"
#include "cli/render/reply_view.h"
#include "cli/render/table.h"

namespace anima::cli {
namespace {

using agent::KeptPlan;

constexpr const char* kIdHelp =
    "the plan or an approval that it waits for, or the beginning of its id";

std::string shortened_message(const std::string& text, std::size_t columns) {
  if (count_code_points(text) <= columns) return text;
  return std::string(substring_by_code_points(text, 0, columns - 2)) + "..";
}

int run_plan_list(Context& context, Arguments arguments) {
  bool all = false;
  Options options;
  options.flag("--all", all, "all of the last day: also those that are over, or will not go on");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return context.fail(governance.error());
  using Which = agent::PlanBook::Which;
  const auto plans = (*governance)->plans.list(all ? Which::kAll : Which::kOpen);
  if (!plans) return context.fail(plans.error());
  Json list = Json::array();
  Table table({"id", "state", "steps done", "message", "begun"});
  for (const KeptPlan& plan : *plans) {
    list.push_back(plan.to_json());
    table.add({plan.id.substr(0, 8), std::string(to_string(plan.state)), steps_done(plan),
               shortened_message(visible_text(plan.message.content), 60),
               format_timestamp(plan.begun)});
  }
  if (context.json) {
    context.print_json(Json::object({{"plans", std::move(list)}}));
  } else if (table.empty()) {
    context.print("No plan is open.\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_plan_show(Context& context, Arguments arguments) {
  std::string id;
  Options options;
  options.positional("ID", id, kIdHelp).required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kRead);
  if (!governance) return context.fail(governance.error());
  const auto plan = (*governance)->plans.find(id);
  if (!plan) return context.fail(plan.error());
  if (context.json) {
    context.print_json(plan->to_json());
  } else {
    context.print(plan_text(*plan));
  }
  return kDone;
}

int run_continue(Context& context, Arguments arguments) {
  std::string id;
  std::optional<std::string> step;
  bool events = false;
  Options options;
  options.positional("ID", id, kIdHelp).required();
  options
      .value("--step HOW", step,
             "what to take a step for that was begun and whose end nobody knows")
      .choices({"done", "again"});
  options.flag("--events", events, "each event of the bus as a line of JSON, as it happens");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto space = open_space(context, Access::kAsItGoes);
  if (!space) return context.fail(space.error());
  const auto house = open_house(context);
  if (!house) return context.fail(house.error());
  const agent::StepAnswer answer = !step             ? agent::StepAnswer::kNone
                                   : *step == "done" ? agent::StepAnswer::kDone
                                                     : agent::StepAnswer::kAgain;
  return show_work(context, **house, events,
                   [&](agent::GovernedHouse& open) { return open.go_on(id, answer); });
}

int run_abandon(Context& context, Arguments arguments) {
  std::string id;
  Options options;
  options.positional("ID", id, kIdHelp).required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  const auto plan = (*governance)->plans.find(id);
  if (!plan) return context.fail(plan.error());
  const Status abandoned = (*governance)->plans.abandon(plan->id, "operator");
  if (!abandoned) return context.fail(abandoned.error());
  const auto left = (*governance)->plans.find(plan->id);
  if (!left) return context.fail(left.error());
  if (context.json) {
    context.print_json(left->to_json());
  } else {
    context.print("abandoned, " + steps_done(*left) +
                  " steps done: " + visible_text(left->message.content) + "\n");
  }
  return kDone;
}

}  // namespace

extern const Verb kPlanList;
extern const Verb kPlanShow;
extern const Verb kPlanContinue;
extern const Verb kPlanAbandon;
const Verb kPlanList{
    "plan list",        Group::kActing,    "the plans of messages that are not over",
    "[--all] [--json]", "anima plan list", run_plan_list};
const Verb kPlanShow{
    "plan show",   Group::kActing,         "one plan: its steps, what is done and what is left",
    "ID [--json]", "anima plan show 3f2a", run_plan_show};
const Verb kPlanContinue{"plan continue",
                         Group::kActing,
                         "goes on with a plan where it waited or was stopped",
                         "ID [--step done|again] [--events] [--json]",
                         "anima plan continue 3f2a",
                         run_continue};
const Verb kPlanAbandon{"plan abandon",
                        Group::kActing,
                        "ends a plan: its message, sent again, begins anew",
                        "ID [--json]",
                        "anima plan abandon 3f2a",
                        run_abandon};

}  // namespace anima::cli
