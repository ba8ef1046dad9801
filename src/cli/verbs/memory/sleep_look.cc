// anima sleep list|status|metrics|report: what the cycles of sleep did, and how the memory is.
#include <fmt/format.h>

#include "base/files/output_file.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/render/sleep_view.h"
#include "sleep/report_page.h"
#include "sleep/sleep.h"

namespace anima::cli {
namespace {

// For reading. Errors: those of the space.
Result<std::unique_ptr<sleep::Sleeper>> open_sleeper(Context& context) {
  ANIMA_ASSIGN(auto space, open_space(context, Access::kRead));
  return sleep::Sleeper::open(std::move(space));
}

int run_sleep_list(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto sleeper = open_sleeper(context);
  if (!sleeper) return context.fail(sleeper.error());
  const auto records = (*sleeper)->cycles();
  if (!records) return context.fail(records.error());
  if (!context.json) {
    show_cycles(context, *records);
    return kDone;
  }
  Json list = Json::array();
  for (const sleep::CycleRecord& record : *records) list.push_back(record.to_json(0));
  context.print_json(list);
  return kDone;
}

int run_sleep_status(Context& context, Arguments arguments) {
  std::int64_t every = 0;
  Options options;
  options.value("--every HOURS", every, "a cycle is due when the last one is so old");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto sleeper = open_sleeper(context);
  if (!sleeper) return context.fail(sleeper.error());
  const auto due = (*sleeper)->due({}, every);
  if (!due) return context.fail(due.error());
  const auto records = (*sleeper)->cycles();
  if (!records) return context.fail(records.error());
  if (context.json) {
    Json json = Json::object({{"due", due->due}, {"reason", due->reason}});
    json.set("last", records->empty() ? Json() : records->back().to_json(0));
    context.print_json(json);
    return kDone;
  }
  if (records->empty()) {
    context.print("no cycle of sleep yet\n");
  } else {
    const sleep::CycleRecord& last = records->back();
    context.print(fmt::format("last cycle: {} at {}, {}, {} changes\n", last.cycle,
                              format_timestamp(last.ended), last.status, last.changes()));
  }
  context.print(fmt::format("{}: {}\n", due->due ? "due" : "not due", due->reason));
  return kDone;
}

int run_sleep_metrics(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto sleeper = open_sleeper(context);
  if (!sleeper) return context.fail(sleeper.error());
  const auto metrics = (*sleeper)->metrics();
  if (!metrics) return context.fail(metrics.error());
  if (context.json) {
    context.print_json(metrics->to_json());
  } else {
    show_metrics(context, *metrics, *metrics);
  }
  return kDone;
}

int run_sleep_report(Context& context, Arguments arguments) {
  std::string output = "-";
  Options options;
  options.value("-o,--output FILE", output, "where the page goes (default: standard output)")
      .output();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto sleeper = open_sleeper(context);
  if (!sleeper) return context.fail(sleeper.error());
  const auto records = (*sleeper)->cycles();
  if (!records) return context.fail(records.error());
  const std::string page = sleep::report_page(*records);
  if (output == "-") {
    context.print(page);
    return kDone;
  }
  if (const Status written = write_output(context.files, output, page); !written)
    return context.fail(written.error());
  context.note(fmt::format("wrote {} bytes to {}", page.size(), output));
  return kDone;
}

}  // namespace

extern const Verb kSleepList;
extern const Verb kSleepStatus;
extern const Verb kSleepMetrics;
extern const Verb kSleepReport;
const Verb kSleepList{"sleep list", Group::kKnowledge,  "the cycles of sleep so far",
                      "",           "anima sleep list", run_sleep_list};
const Verb kSleepStatus{"sleep status",
                        Group::kKnowledge,
                        "the last cycle of sleep, and whether one is due",
                        "[--every HOURS]",
                        "anima sleep status --every 24",
                        run_sleep_status};
const Verb kSleepMetrics{
    "sleep metrics",       Group::kKnowledge, "how tidy the memory is, with the targets", "",
    "anima sleep metrics", run_sleep_metrics};
const Verb kSleepReport{"sleep report",
                        Group::kKnowledge,
                        "a page about the cycles of sleep, with plots",
                        "[-o FILE]",
                        "anima sleep report -o sleep.html",
                        run_sleep_report};

}  // namespace anima::cli
