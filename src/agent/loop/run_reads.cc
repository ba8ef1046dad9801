#include "agent/loop/run_reads.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "agent/loop/detail/run_record.h"
#include "agent/loop/replay.h"
#include "base/json/json_member.h"

namespace anima::agent {
namespace {

std::uint64_t plain(store::Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

Json run_head(const RunInfo& info) {
  return Json::object({{"run", plain(info.run)},
                       {"last", plain(info.last)},
                       {"time", format_timestamp(info.time)},
                       {"agent", info.agent},
                       {"source", info.source},
                       {"steps", info.steps},
                       {"cycle_count", info.cycles}});
}

// What an entry of a run holds for people.
struct StepOfRun {
  bool of_run = false;
  std::string agent;  // that the first entry of a run names
  Json cycle;
  std::map<std::string, std::int64_t> answers;  // by who answered
};

Result<StepOfRun> step_of(store::Space& space, const store::LogEntry& entry, store::Sequence run) {
  StepOfRun told;
  if (!entry.seal.empty()) return told;
  ANIMA_TRY(store::visit_all_records(
      space.log(), entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind == store::RecordKind::kRun) {
          ANIMA_ASSIGN(const Json json, parse_json(payload));
          ANIMA_ASSIGN(const detail::RunRecord record, detail::run_record_from_json(json));
          told.agent = text_member(record.setup, "agent");
          told.of_run = record.run == plain(run) || (record.run == 0 && entry.sequence == run);
        } else if (kind == store::RecordKind::kDecision) {
          ANIMA_ASSIGN(told.cycle, parse_json(payload));
        } else if (kind == store::RecordKind::kToolOutput) {
          ++told.answers["tools"];
        } else if (kind == store::RecordKind::kModelAnswer) {
          ++told.answers["models"];
        }
        return {};
      }));
  return told;
}

}  // namespace

Result<Json> runs_json(store::Space& space, std::size_t most) {
  ANIMA_ASSIGN(std::vector<RunInfo> runs, list_runs(space));
  std::ranges::reverse(runs);
  Json list = Json::array();
  for (const RunInfo& each : runs) {
    if (list.as_array().size() < most) list.push_back(run_head(each));
  }
  return Json::object({{"runs", std::move(list)}});
}

Result<Json> run_json(store::Space& space, store::Sequence run, store::Sequence after,
                      std::size_t most) {
  const auto first = space.log().entry(run);
  const auto begun = first ? step_of(space, *first, run) : Result<StepOfRun>(fail(first.error()));
  if (!begun || !begun->of_run)
    return fail(ErrorCode::kNotFound, "there is no run " + std::to_string(plain(run)));
  Json cycles = Json::array();
  std::map<std::string, std::int64_t> answers;
  std::uint64_t more = 0, steps = 0, last = plain(after);
  const store::Sequence from{std::max(plain(after), plain(run) - 1)};
  ANIMA_TRY(space.changes(from, [&](const store::LogEntry& entry) -> Status {
    ANIMA_ASSIGN(StepOfRun told, step_of(space, entry, run));
    if (!told.of_run) return {};
    const bool is_cycle = told.cycle.is_object();
    if (more > 0 || (is_cycle && cycles.as_array().size() >= most)) {
      ++more;
      return {};
    }
    ++steps;
    last = plain(entry.sequence);
    for (const auto& [who, count] : told.answers) answers[who] += count;
    if (!is_cycle) return {};
    told.cycle.set("entry", plain(entry.sequence));
    told.cycle.set("time", format_timestamp(entry.time));
    cycles.push_back(std::move(told.cycle));
    return {};
  }));
  return Json::object(
      {{"run", plain(run)},
       {"agent", begun->agent},
       {"time", format_timestamp(first->time)},
       {"source", first->origin.source},
       {"last", last},
       {"steps", steps},
       {"cycles", std::move(cycles)},
       {"calls", Json::object({{"tools", answers["tools"]}, {"models", answers["models"]}})},
       {"more", more}});
}

}  // namespace anima::agent
