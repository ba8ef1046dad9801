#include "cli/verbs/agent/run_upkeep.h"

#include <fmt/format.h>

#include "agent/loop/run_retention.h"
#include "base/past_time.h"
#include "cli/frame/access.h"

namespace anima::cli {
namespace {

constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000;

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

}  // namespace anima::cli
