// anima agent prune: the record of old runs goes; what they stated, and why, stays.
#include <fmt/format.h>

#include "agent/run_retention.h"
#include "base/past_time.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/verbs/run_upkeep.h"

namespace anima::cli {
namespace {

constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000;

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
                       {"in_entries", plan.in_entries}});
}

void show_spared(Context& context, const agent::PrunePlan& plan) {
  for (const agent::KeptRun& each : plan.kept) {
    context.print(fmt::format("  run {} stays: {}\n", sequence_number(each.run), each.name));
  }
  if (plan.needed != 0) {
    context.print(fmt::format("  {} of old runs stay: a replay or an agent reads them\n",
                              plural(plan.needed, "entry", "entries")));
  }
  if (plan.in_entries != 0) {
    context.note(
        fmt::format("{} of an older anima cannot be pruned: their record is part of the log",
                    plural(plan.in_entries, "cycle", "cycles")));
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

Result<std::optional<Timestamp>> keep_runs_since(const Context& context, const std::string& age) {
  const std::string& wanted = age.empty() ? context.config.text("agent.keep") : age;
  if (wanted.empty()) return std::optional<Timestamp>();
  const Result<Timestamp> since = past_time(wanted + " ago", SystemClock().now());
  if (since) return std::optional<Timestamp>(*since);
  return anima::fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is no age", wanted), {},
                     "as in \"90 days\", \"12 weeks\" or \"36 hours\"");
}

void prune_old_runs(Context& context, store::Space& space) {
  const auto prune = [&]() -> Status {
    ANIMA_ASSIGN(const std::optional<Timestamp> since, keep_runs_since(context, {}));
    if (!since) return {};
    const Timestamp now = SystemClock().now();
    ANIMA_ASSIGN(const Timestamp last, agent::last_pruning(space));
    if (now.microseconds - last.microseconds < kDay) return {};
    ANIMA_ASSIGN(const agent::PrunePlan plan, agent::plan_pruning(space, *since));
    return agent::prune_runs(space, local_origin(context, "anima agent prune"), plan, now, false)
        .map([](const store::PruneReport&) {});
  };
  if (const Status pruned = prune(); !pruned) {
    context.warn("old runs were not pruned: " + pruned.error().describe());
  }
}

extern const Verb kAgentPrune;
const Verb kAgentPrune{"agent prune",
                       Group::kActing,
                       "takes the record of old runs out of the log",
                       "[--older-than AGE] [--dry-run]",
                       "anima agent prune --older-than \"90 days\" --dry-run",
                       run_prune};

}  // namespace anima::cli
