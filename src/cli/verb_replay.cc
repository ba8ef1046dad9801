// anima replay: repeats a recorded run from the log and says where, if anywhere, it differs.
#include <fmt/format.h>

#include <charconv>

#include "agent/replay.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/sequence_number.h"
#include "cli/space_access.h"
#include "cli/table.h"

namespace anima::cli {
namespace {

Json run_json(const agent::RunInfo& run) {
  return Json::object({{"run", sequence_number(run.run)},
                       {"last_entry", sequence_number(run.last)},
                       {"time", format_timestamp(run.time)},
                       {"agent", run.agent},
                       {"source", run.source},
                       {"steps", run.steps},
                       {"cycles", run.cycles}});
}

int show_runs(Context& context, const std::vector<agent::RunInfo>& runs) {
  Json list = Json::array();
  Table table({"run", "time", "agent", "cycles", "entries", "by"});
  table.align_right(0);
  table.align_right(3);
  table.align_right(4);
  for (const agent::RunInfo& run : runs) {
    list.push_back(run_json(run));
    table.add({std::to_string(sequence_number(run.run)), format_timestamp(run.time), run.agent,
               std::to_string(run.cycles), std::to_string(run.steps), run.source});
  }
  if (context.json) {
    context.print_json(list);
  } else if (table.empty()) {
    context.print("There is no recorded run. Make one: anima run \"...\"\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int show_report(Context& context, const agent::ReplayReport& report) {
  for (const std::string& note : report.notes) context.warn(note);
  const bool whole = !report.difference && report.repeated == report.run.steps;
  if (context.json) {
    Json json = run_json(report.run);
    json.set("repeated", report.repeated);
    json.set("identical", whole);
    if (report.difference) {
      json.set("difference", Json::object({{"step", report.difference->step},
                                           {"entry", sequence_number(report.difference->entry)},
                                           {"call", report.difference->call},
                                           {"what", report.difference->difference}}));
    }
    context.print_json(json);
  } else if (report.difference) {
    context.print(fmt::format("step {} (entry {}, {}) differs: {}\n", report.difference->step,
                              sequence_number(report.difference->entry), report.difference->call,
                              report.difference->difference));
  } else {
    context.print(fmt::format("run {}: {} of {} steps repeated, {} cycles, bit for bit the same\n",
                              sequence_number(report.run.run), report.repeated, report.run.steps,
                              report.run.cycles));
  }
  return whole ? kDone : kFailed;
}

int run_replay(Context& context, Arguments arguments) {
  std::string wanted;
  Options options;
  options.positional("RUN", wanted, "the run's number, or last; without, the runs are listed");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto runs = agent::list_runs(**space);
  if (!runs) return context.fail(runs.error());
  if (wanted.empty()) return show_runs(context, *runs);
  std::uint64_t run = 0;
  if (wanted == "last") {
    if (!runs->empty()) run = sequence_number(runs->back().run);
  } else {
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), run);
    if (error != std::errc() || end != wanted.data() + wanted.size()) {
      return context.usage_error("RUN is a number or last", "anima replay last");
    }
  }
  const auto report = agent::replay_run(**space, context.files, store::Sequence{run},
                                        [](const agent::ReplayStep&) { return !interrupted(); });
  if (!report) return context.fail(report.error());
  if (interrupted()) return kInterrupted;
  return show_report(context, *report);
}

}  // namespace

extern const Verb kReplay;
const Verb kReplay{"replay",
                   Group::kActing,
                   "repeats a recorded run from the log and says where it differs",
                   "[RUN|last]",
                   "anima replay last",
                   run_replay};

}  // namespace anima::cli
