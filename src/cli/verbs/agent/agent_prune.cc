// anima agent prune: the record of old runs goes; what they stated, and why, stays.
#include <fmt/format.h>

#include "agent/loop/run_retention.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/verbs/agent/run_upkeep.h"

namespace anima::cli {
namespace {

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

Json plan_json(const agent::PrunePlan& plan, bool dry_run) {
  Json kept = Json::array();
  for (const agent::KeptRun& each : plan.kept) {
    kept.push_back(Json::object({{"name", each.name}, {"run", sequence_number(each.run)}}));
  }
  return Json::object({{"before", format_timestamp(plan.before)},
                       {"dry_run", dry_run},
                       {"runs", plan.runs},
                       {"entries", static_cast<std::uint64_t>(plan.entries.size())},
                       {"bytes", plan.bytes},
                       {"kept", std::move(kept)},
                       {"needed_entries", plan.needed},
                       {"inline_cycles", plan.inline_cycles}});
}

void show_spared(Context& context, const agent::PrunePlan& plan) {
  for (const agent::KeptRun& each : plan.kept) {
    context.print(fmt::format("  run {} stays: {}\n", sequence_number(each.run), each.name));
  }
  if (plan.needed != 0) {
    context.print(fmt::format("  {} of old runs stay: a replay or an agent reads them\n",
                              plural(plan.needed, "entry", "entries")));
  }
  if (plan.inline_cycles != 0) {
    context.note(
        fmt::format("{} of an older anima cannot be pruned: their record is part of the log",
                    plural(plan.inline_cycles, "cycle", "cycles")));
  }
}

int run_prune(Context& context, Arguments arguments) {
  std::string age;
  bool dry_run = false;
  Options options;
  options.value("--older-than AGE", age,
                "\"90 days\"; without it, what the setting agent.keep says");
  options.flag("--dry-run", dry_run, "say what would go, and change nothing");
  options.epilogue(
      "The decisions of the cycles, what tools answered and the agent's earlier states go, whole\n"
      "runs at a time. Facts, their provenance and the audit stay, and so do runs with a name\n"
      "(anima run --keep NAME, anima replay RUN --keep NAME). A pruned run cannot be replayed.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto since = keep_runs_since(context, age);
  if (!since) return context.fail(since.error());
  if (!*since) {
    return context.usage_error("how old is missing: the setting agent.keep is empty",
                               "anima agent prune --older-than \"90 days\"");
  }
  const auto space = open_space(context, dry_run ? Access::kRead : Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto plan = agent::plan_pruning(**space, **since);
  if (!plan) return context.fail(plan.error());
  Json json = plan_json(*plan, dry_run);
  if (!dry_run) {
    const auto report = agent::prune_runs(**space, local_origin(context, "anima agent prune"),
                                          *plan, SystemClock().now(), true);
    if (!report) return context.fail(report.error());
    json.set("log_bytes", report->log_bytes);
  }
  if (context.json) {
    context.print_json(json);
    return kDone;
  }
  context.print(fmt::format("{} {} older than {}: {} in {}\n", dry_run ? "Would prune" : "Pruned",
                            plural(plan->runs, "run", "runs"), format_timestamp(plan->before),
                            plural(plan->bytes, "byte", "bytes"),
                            plural(plan->entries.size(), "entry", "entries")));
  show_spared(context, *plan);
  return kDone;
}

}  // namespace

extern const Verb kAgentPrune;
const Verb kAgentPrune{"agent prune",
                       Group::kActing,
                       "takes the record of old runs out of the log",
                       "[--older-than AGE] [--dry-run]",
                       "anima agent prune --older-than \"90 days\" --dry-run",
                       run_prune};

}  // namespace anima::cli
