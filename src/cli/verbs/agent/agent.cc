// anima agent: goals, plan, cycle, resume, reflect, consolidate, recall, tools, repl.
#include <fmt/format.h>

#include "base/json/text_array.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/frame/person.h"
#include "cli/render/cycle_view.h"
#include "cli/render/table.h"
#include "cli/verbs/agent/agent_repl.h"
#include "cli/verbs/tools/tool_bench.h"
#include "store/symbols.h"

namespace anima::cli {
namespace {

struct Owner {
  Workshop workshop;
  std::unique_ptr<Person> person;
  House house;
  std::unique_ptr<agent::Agent> agent;
};

// `ask` is who the agent's user_interact asks; without one, the person at standard input.
Result<Owner> open_owner(Context& context, Access access, bool fresh = false,
                         tools::AskPerson ask = {}) {
  Owner owner;
  owner.person = std::make_unique<Person>(context);
  ANIMA_ASSIGN(owner.workshop, open_workshop(context, access, "anima agent"));
  agent::AgentConfig config;
  config.origin = local_origin(context, "anima agent");
  config.fresh = fresh;
  ANIMA_ASSIGN(owner.house, open_house(context));
  ANIMA_ASSIGN(owner.agent, owner.house->start_agent(*owner.workshop.compartments, context.files,
                                                     std::move(config)));
  owner.agent->tools().add(tools::make_user_interact(ask ? std::move(ask) : owner.person->asker()));
  for (const std::string& warning : owner.agent->take_warnings()) context.warn(warning);
  return owner;
}

Json goal_json(const agent::Goal& goal) {
  return Json::object({{"label", goal.label},
                       {"description", goal.description},
                       {"status", agent::to_string(goal.status)},
                       {"failure", goal.failure},
                       {"priority", static_cast<int>(goal.priority)},
                       {"cycles_worked", goal.cycles_worked},
                       {"last_progress_cycle", goal.last_progress_cycle},
                       {"parent", goal.parent},
                       {"children", text_array(goal.children)},
                       {"answer", goal.answer}});
}

int run_goals(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto owner = open_owner(context, Access::kAsItGoes);
  if (!owner) return context.fail(owner.error());
  Json list = Json::array();
  Table table({"status", "priority", "cycles", "goal"});
  table.align_right(1);
  table.align_right(2);
  for (const agent::Goal& goal : owner->agent->goals().all()) {
    list.push_back(goal_json(goal));
    table.add({std::string(agent::to_string(goal.status)), std::to_string(goal.priority),
               std::to_string(goal.cycles_worked), goal.description});
  }
  if (context.json) {
    context.print_json(list);
  } else if (table.empty()) {
    context.print("There is no goal. Give one: anima run \"...\"\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

// The goal that the words name, or the one to work on next.
Result<std::string> pick_goal(agent::Agent& agent, const std::string& words) {
  if (!words.empty()) {
    const std::string label = agent::goal_label(words);
    if (agent.goals().find(label) != nullptr) return label;
    return fail(ErrorCode::kNotFound, "there is no such goal", words, "see: anima agent goals");
  }
  for (const agent::Goal& goal : agent.goals().all()) {
    if (goal.status == agent::GoalStatus::kActive) return goal.label;
  }
  return fail(ErrorCode::kNotFound, "NoGoals: no goal is active", {},
              "give one: anima run \"...\"");
}

int run_plan(Context& context, Arguments arguments) {
  std::vector<std::string> words;
  Options options;
  std::optional<std::string> goal;
  options.positional("GOAL...", words, "the goal; without, the one worked on next");
  options.value("--goal G", goal, "the goal, too");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (goal && !words.empty()) return context.usage_error("name the goal once");
  const auto owner = open_owner(context, Access::kWrite);
  if (!owner) return context.fail(owner.error());
  const auto label = pick_goal(*owner->agent, goal.value_or(join(words, " ")));
  if (!label) return context.fail(label.error());
  const auto plan = owner->agent->plan_for(*label);
  if (!plan) return context.fail(plan.error());
  if (context.json) {
    context.print_json(agent::to_json(*plan));
    return kDone;
  }
  context.print(fmt::format("{} ({})\n", plan->strategy, agent::to_string(plan->status)));
  for (const agent::PlanStep& step : plan->steps) {
    context.print(fmt::format("  {:<10} {:<18} {}\n", agent::to_string(step.status), step.tool,
                              step.rationale));
  }
  return kDone;
}

int run_cycle(Context& context, Arguments arguments) {
  std::string goal;
  std::uint64_t priority = agent::kDefaultPriority;
  Options options;
  options.value("--goal G", goal, "a goal to add first");
  options.value("--priority N", priority, "of that goal, 0 to 255 (128)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto owner = open_owner(context, Access::kWrite);
  if (!owner) return context.fail(owner.error());
  if (!goal.empty()) {
    const auto added = owner->agent->add_goal(
        goal, static_cast<std::uint8_t>(std::min<std::uint64_t>(priority, 255)));
    if (!added) return context.fail(added.error());
  }
  const auto report = owner->agent->run_cycle();
  if (!report) return context.fail(report.error());
  if (context.json) {
    context.print_json(report->to_json());
  } else {
    context.print(show_cycle(context, *report));
  }
  return kDone;
}

int run_agent_resume(Context& context, Arguments arguments) {
  std::uint64_t cycles = 10;
  Options options;
  options.value("--max-cycles N", cycles, "turns at most (10)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto owner = open_owner(context, Access::kWrite);
  if (!owner) return context.fail(owner.error());
  Json list = Json::array();
  bool stopped = false;
  const auto end = owner->agent->run_until_complete(cycles, [&](const auto& report) {
    if (context.json) {
      list.push_back(report.to_json());
    } else {
      context.print(show_cycle(context, report) + "\n");
    }
    stopped = interrupted();
    return !stopped;
  });
  if (!end) return context.fail(end.error());
  if (context.json) context.print_json(list);
  if (stopped) return kInterrupted;
  return *end == agent::RunEnd::kMaxCycles ? kBudget : kDone;
}

int run_reflect(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto owner = open_owner(context, Access::kWrite);
  if (!owner) return context.fail(owner.error());
  const auto reflection = owner->agent->reflect();
  if (!reflection) return context.fail(reflection.error());
  if (context.json) {
    context.print_json(reflection->to_json());
    return kDone;
  }
  context.print(reflection->summary() + "\n");
  for (const agent::Adjustment& adjustment : reflection->adjustments) {
    context.print(fmt::format("  {}: {} (priority {})\n", agent::to_string(adjustment.kind),
                              adjustment.goal, adjustment.priority));
  }
  return kDone;
}

int run_consolidate(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto owner = open_owner(context, Access::kWrite);
  if (!owner) return context.fail(owner.error());
  const auto outcome = owner->agent->consolidate();
  if (!outcome) return context.fail(outcome.error());
  if (context.json) {
    context.print_json(Json::object({{"persisted", outcome->persisted},
                                     {"evicted", outcome->evicted},
                                     {"kept", outcome->kept},
                                     {"recalled", outcome->recalled},
                                     {"merged", outcome->merged},
                                     {"quarantined", outcome->quarantined}}));
  } else {
    context.print(
        fmt::format("{} episodes kept, {} near-duplicates merged, {} recalled texts not learnt "
                    "again, {} quarantined, {} entries let go\n",
                    outcome->persisted, outcome->merged, outcome->recalled, outcome->quarantined,
                    outcome->evicted));
  }
  return kDone;
}

int run_recall(Context& context, Arguments arguments) {
  std::vector<std::string> labels;
  std::vector<std::string> queries;
  std::uint64_t count = 5;
  Options options;
  options.positional("SYMBOL...", labels, "what the episodes are about");
  options.values("--query S", queries, "the same, split at commas");
  options.value("--top-k N", count, "how many (5)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  for (const std::string& query : queries) {
    for (const std::string_view part : split(query, ',')) {
      if (!trim(part).empty()) labels.emplace_back(trim(part));
    }
  }
  if (labels.empty()) {
    return context.usage_error("say what about", "for example: anima agent recall Earth");
  }
  const auto owner = open_owner(context, Access::kAsItGoes);
  if (!owner) return context.fail(owner.error());
  const auto now = owner->workshop.space->snapshot();
  if (!now) return context.fail(now.error());
  const store::Snapshot& snapshot = *now;
  std::vector<store::EntityId> symbols;
  for (const std::string& label : labels) {
    const auto symbol = store::resolve_symbol(snapshot, label);
    if (!symbol) return context.fail(symbol.error());
    symbols.push_back(*symbol);
  }
  const auto episodes = owner->agent->recall(symbols, count);
  if (!episodes) return context.fail(episodes.error());
  Json list = Json::array();
  for (const tools::RecalledEpisode& episode : *episodes) {
    list.push_back(Json::object({{"episode", episode.label},
                                 {"summary", episode.summary},
                                 {"relevance", episode.relevance},
                                 {"learned", episode.learned.size()}}));
    if (!context.json) {
      context.print(fmt::format("{}  {}\n", episode.label, episode.summary));
    }
  }
  if (context.json) context.print_json(list);
  if (!context.json && list.as_array().empty()) context.print("no episode\n");
  return kDone;
}

int run_agent_repl(Context& context, Arguments arguments) {
  std::string goal;
  bool fresh = false;
  Options options;
  options.value("--goal G", goal, "a goal to add first");
  options.flag("--fresh", fresh, "do not go on where the last run stopped");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  LineReader input;
  const auto owner =
      open_owner(context, Access::kAsItGoes, fresh, [&](const std::string& question) {
        context.note(question);
        return input.next("answer> ");
      });
  if (!owner) return context.fail(owner.error());
  if (!goal.empty()) {
    const auto added = owner->agent->add_goal(goal);
    if (!added) return context.fail(added.error());
  }
  return run_agent_repl(context, *owner->agent, input);
}

int run_tools(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  tools::ToolTable table;
  add_agent_tools(table);
  Json list = Json::array();
  Table shown({"tool", "danger", "what it does"});
  for (const tools::Tool* tool : table.all()) {
    const tools::ToolInfo& info = tool->info();
    Json parameters = Json::array();
    for (const tools::ToolParameter& parameter : info.parameters) {
      parameters.push_back(Json::object({{"name", parameter.name},
                                         {"required", parameter.required},
                                         {"description", parameter.description}}));
    }
    list.push_back(Json::object({{"name", info.name},
                                 {"danger", tools::to_string(info.danger)},
                                 {"description", info.description},
                                 {"parameters", std::move(parameters)}}));
    shown.add({info.name, std::string(tools::to_string(info.danger)), info.description});
  }
  if (context.json) {
    context.print_json(list);
  } else {
    context.print(shown.render(context));
  }
  return kDone;
}

}  // namespace

extern const Verb kAgentGoals, kAgentPlan, kAgentCycle, kAgentResume, kAgentReflect,
    kAgentConsolidate, kAgentRecall, kAgentTools, kAgentRepl;
const Verb kAgentGoals{
    "agent goals",       Group::kActing, "the agent's goals and how they stand", "",
    "anima agent goals", run_goals};
const Verb kAgentPlan{"agent plan",         Group::kActing,     "the plan for a goal",
                      "[GOAL...|--goal G]", "anima agent plan", run_plan};
const Verb kAgentCycle{"agent cycle",
                       Group::kActing,
                       "one turn of the loop",
                       "[--goal G] [--priority N]",
                       "anima agent cycle --goal \"find out about Earth\"",
                       run_cycle};
const Verb kAgentResume{"agent resume",     Group::kActing,       "goes on where the agent stopped",
                        "[--max-cycles N]", "anima agent resume", run_agent_resume};
const Verb kAgentReflect{
    "agent reflect",       Group::kActing, "reflects now; the psyche evolves", "",
    "anima agent reflect", run_reflect};
const Verb kAgentConsolidate{
    "agent consolidate",       Group::kActing, "turns working memory into episodes", "",
    "anima agent consolidate", run_consolidate};
const Verb kAgentRecall{"agent recall",
                        Group::kActing,
                        "episodes about symbols, newest first",
                        "SYMBOL...|--query S [--top-k N]",
                        "anima agent recall Earth",
                        run_recall};
const Verb kAgentTools{"agent tools",       Group::kActing, "the agent's own tools", "",
                       "anima agent tools", run_tools};
const Verb kAgentRepl{"agent repl",
                      Group::kActing,
                      "steps through the agent's cycles: look, forbid, change, go on",
                      "[--goal G] [--fresh]",
                      "anima agent repl --goal \"find out about Earth\"",
                      run_agent_repl};

}  // namespace anima::cli
