#include "tools/shell_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json/text_array.h"
#include "base/text/valid_text.h"
#include "tools/detail/arguments.h"
#include "tools/effects/text_diff.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tools {
namespace {

using effects::Change;
using effects::Difference;
using effects::Effect;

constexpr std::int64_t kShellSeconds = 30, kMaxShellSeconds = 600;
// What a command may leave behind before it is ended, and before a person is asked.
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kMostEntries = 50'000;
constexpr std::uint64_t kAskedBytes = std::uint64_t{128} << 20;
constexpr std::size_t kMostShown = 100;  // paths in an approval
constexpr std::size_t kMostInResult = 20;
constexpr std::size_t kShownText = 16 << 10;  // bytes of the difference in an approval
constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;

Status check_end(const SandboxRun& run, const SandboxLimits& limits) {
  if (run.stopped)
    return fail(ErrorCode::kCancelled, "the command was ended: its call was taken back");
  if (run.process.timed_out) {
    return fail(
        ErrorCode::kTimeout,
        fmt::format("the command was ended after {} ms; nothing of it was applied", limits.wall_ms),
        {},
        "its output began: " +
            std::string(detail::cut_at_character(valid_text(run.process.out), 200)));
  }
  if (run.out_of_memory) {
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("the command and what it started took more than {} MiB of memory and "
                            "were ended; nothing of it was applied",
                            limits.tree_bytes >> 20));
  }
  if (run.out_of_processor) {
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("the command and what it started took more than {} s of processor time "
                            "and were ended; nothing of it was applied",
                            limits.tree_cpu_seconds));
  }
  if (run.out_of_disk) {
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("the command wrote more than {} MiB or {} files and was ended; nothing "
                            "of it was applied",
                            limits.disk_bytes >> 20, limits.disk_entries));
  }
  return {};
}

Json result_of(const SandboxRun& run) {
  return detail::outside({{"exit_code", run.process.exit_code},
                          {"signal", run.process.signal},
                          {"stdout", valid_text(run.process.out)},
                          {"stderr", valid_text(run.process.err)},
                          {"truncated", run.process.truncated},
                          {"sandbox", Json::object({{"containment", to_string(run.containment)},
                                                    {"missing", text_array(run.missing)}})}});
}

// Those that lose something first: rules see only the beginning of very many.
govern::CallChanges changes_of(const Difference& difference, std::string_view root) {
  govern::CallChanges changes;
  for (const Change& change : difference.changes) {
    changes.all.push_back({std::string(to_string(change.effect())),
                           effects::shown_path(change.path), change.leads_out(root)});
  }
  std::ranges::stable_sort(changes.all, {}, [](const govern::CallChange& change) {
    return change.kind == "deleted" || change.kind == "replaced" || change.leads_out ? 0 : 1;
  });
  if (changes.all.size() > govern::kMostChangesJudged) {
    changes.overruns.push_back(fmt::format("it changes more than {} files of the work folder",
                                           govern::kMostChangesJudged));
  }
  if (difference.bytes > kAskedBytes) {
    changes.overruns.push_back(
        fmt::format("it writes more than {} MiB into the work folder", kAskedBytes >> 20));
  }
  return changes;
}

constexpr std::uint64_t kBusyProcessors = 4;  // all the while

// That the tree of processes may write as a build does.
SandboxLimits shell_limits(std::int64_t wall_ms) {
  SandboxLimits limits;
  limits.wall_ms = wall_ms;
  limits.cpu_seconds = static_cast<std::uint64_t>(wall_ms / 1000 + 1);
  limits.tree_cpu_seconds = kBusyProcessors * limits.cpu_seconds;
  limits.file_bytes = kLargestFile;
  limits.disk_bytes = kMostBytes;
  limits.disk_entries = kMostEntries;
  return limits;
}

}  // namespace

ShellRunner::ShellRunner(Clock& clock, Random& random, ShellOptions options)
    : options_(std::move(options)),
      staging_(options_.work_folder, options_.state_folder, clock, random, options_.staging) {}

Result<SandboxRequest> ShellRunner::request_of(const Json& arguments, std::int64_t timeout) const {
  ANIMA_ASSIGN(const std::string command, detail::needed_text(arguments, "command"));
  ANIMA_ASSIGN(const std::int64_t seconds,
               detail::optional_integer(arguments, "timeout", kShellSeconds, 1, kMaxShellSeconds));
  SandboxRequest request;
  request.arguments = {"/bin/sh", "-c", command};
  // A folder that only looks like a repository must not say what git runs, nor may hooks, which can
  // lie in the work folder.
  request.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                         {"HOME", "/tmp"},
                         {"TMPDIR", "/tmp"},
                         {"LANG", "C.UTF-8"},
                         {"GIT_CONFIG_COUNT", "2"},
                         {"GIT_CONFIG_KEY_0", "safe.bareRepository"},
                         {"GIT_CONFIG_VALUE_0", "explicit"},
                         {"GIT_CONFIG_KEY_1", "core.hooksPath"},
                         {"GIT_CONFIG_VALUE_1", "/dev/null"}};
  request.readable = options_.readable;
  request.demand = Containment::kFull;
  request.best_effort = options_.best_effort;
  request.limits = shell_limits(timeout > 0 ? std::min(seconds * 1000, timeout) : seconds * 1000);
  return request;
}

Result<govern::Rehearsal> ShellRunner::rehearse(const std::stop_token& stop, std::string_view,
                                                const Json& arguments, std::int64_t timeout) {
  ANIMA_ASSIGN(SandboxRequest request, request_of(arguments, timeout));
  request.stop = stop;
  const SandboxLimits limits = request.limits;
  ANIMA_ASSIGN(effects::Trial trial, staging_.run(std::move(request)));
  ANIMA_TRY(check_end(trial.run, limits));
  govern::Rehearsal rehearsal;
  rehearsal.result = result_of(trial.run);
  if (trial.difference.empty()) return rehearsal;
  const std::string& root = staging_.work_folder();
  Json changes = to_json(trial.difference, root, kMostShown);
  changes.set("summary", summary(trial.difference));
  rehearsal.result.set("changes", to_json(trial.difference, root, kMostInResult));
  rehearsal.result.find("changes")->set("summary", summary(trial.difference));
  rehearsal.changes = changes_of(trial.difference, root);
  ANIMA_ASSIGN(rehearsal.id, staging_.keep(trial, rehearsal.result));
  changes.set("id", rehearsal.id);
  rehearsal.result.find("changes")->set("id", rehearsal.id);
  ANIMA_ASSIGN(const effects::Staged staged, staging_.find(rehearsal.id));
  changes.set("text", difference_text(staging_, staged, kShownText));
  rehearsal.shown = std::move(changes);
  return rehearsal;
}

Result<Json> ShellRunner::conclude(const std::stop_token& stop, std::string_view tool,
                                   const Json& arguments, const govern::Rehearsal& rehearsal,
                                   std::int64_t timeout) {
  if (rehearsal.id.empty() && !rehearsal.result.is_null()) return rehearsal.result;
  if (rehearsal.id.empty()) {
    // What was approved is that it changes nothing.
    ANIMA_ASSIGN(const govern::Rehearsal again, rehearse(stop, tool, arguments, timeout));
    if (again.id.empty()) return again.result;
    forget(tool, again);
    return fail(ErrorCode::kConflict,
                "the command changed nothing when it was approved, and now it would: nothing was "
                "applied",
                {}, "make the call again");
  }
  ANIMA_TRY(staging_.apply(rehearsal.id));
  if (!rehearsal.result.is_null()) return rehearsal.result;
  ANIMA_ASSIGN(effects::Staged staged, staging_.find(rehearsal.id));
  if (Json* changes = staged.note.find("changes"); changes != nullptr)
    changes->set("id", rehearsal.id);
  return staged.note;
}

void ShellRunner::forget(std::string_view, const govern::Rehearsal& rehearsal) {
  if (!rehearsal.id.empty()) staging_.drop(rehearsal.id);
}

}  // namespace anima::tools
