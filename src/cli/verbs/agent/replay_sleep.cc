#include "cli/verbs/agent/replay_sleep.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/conversation/conversation_tape.h"
#include "agent/conversation/recorded_calls.h"
#include "base/random.h"
#include "cli/frame/interrupt.h"
#include "llm/cassette.h"
#include "llm/model.h"
#include "llm/waiter.h"

namespace anima::cli {
namespace {

constexpr std::string_view kPrefix = "cycle-";

// What the model of then said, played again.
struct PlayedModel {
  explicit PlayedModel(std::vector<llm::Exchange> exchanges) : transport(std::move(exchanges)) {}
  ManualClock clock;
  SystemRandom random;
  llm::NoWaiter waiter;
  llm::PlayingTransport transport;
  std::unique_ptr<llm::Model> model;
};

Result<std::vector<llm::Exchange>> calls_of(Context& context, store::Space& space,
                                            const sleep::CycleRecord& cycle,
                                            const std::string& file) {
  if (!file.empty()) return llm::read_cassette(context.files, file);
  return agent::recorded_calls(space, "sleep",
                               cycle.resumed ? cycle.looked_from : cycle.before.sequence);
}

// Null where the cycle had none, or its record is older and does not say which.
Result<std::unique_ptr<PlayedModel>> model_of(Context& context, store::Space& space,
                                              const sleep::CycleRecord& cycle,
                                              const std::string& file) {
  if (cycle.model.name.empty() || cycle.model.setup.is_null())
    return std::unique_ptr<PlayedModel>();
  ANIMA_ASSIGN(llm::ModelConfig config, agent::model_from_setup(cycle.model.setup));
  ANIMA_ASSIGN(std::vector<llm::Exchange> calls, calls_of(context, space, cycle, file));
  if (calls.empty() && cycle.model.calls > 0) {
    return fail(ErrorCode::kNotFound,
                "what the model of this cycle was asked and said is not on the log", {},
                "--calls FILE plays the cassette of `anima sleep --record FILE`; what was erased "
                "cannot be repeated");
  }
  auto played = std::make_unique<PlayedModel>(std::move(calls));
  played->model =
      llm::make_model(std::move(config),
                      {played->transport, played->clock, played->random, played->waiter, {}, {}});
  return played;
}

Json report_json(const sleep::ReplayedCycle& report) {
  Json lines = Json::array(), notes = Json::array();
  for (const std::string& line : report.first_differences) lines.push_back(line);
  for (const std::string& note : report.notes) notes.push_back(note);
  const auto count = [](std::size_t number) { return Json(static_cast<std::uint64_t>(number)); };
  return Json::object({{"sleep_cycle", report.record.cycle},
                       {"time", format_timestamp(report.record.started)},
                       {"changes", count(report.record.changes())},
                       {"statements", count(report.statements)},
                       {"model", report.record.model.name},
                       {"calls", report.repeated.model.calls},
                       {"identical", report.identical()},
                       {"differences", count(report.differences)},
                       {"first_differences", std::move(lines)},
                       {"notes", std::move(notes)}});
}

void show_report(Context& context, const sleep::ReplayedCycle& report) {
  for (const std::string& note : report.notes) context.note(note);
  const sleep::CycleRecord& cycle = report.record;
  std::string what =
      fmt::format("cycle {}: {} changes of {} phases decided again, {} statements", cycle.cycle,
                  report.repeated.changes(), report.repeated.phases.size(), report.statements);
  if (report.repeated.model.calls > 0)
    what += fmt::format(", {} calls of the model played", report.repeated.model.calls);
  if (report.identical()) {
    context.print(what + ": the same as then\n");
    return;
  }
  context.print(fmt::format("{}: {} differences\n", what, report.differences));
  for (const std::string& line : report.first_differences) context.print("  " + line + "\n");
  if (report.differences > report.first_differences.size())
    context.print(
        fmt::format("  and {} more\n", report.differences - report.first_differences.size()));
}

}  // namespace

const sleep::CycleRecord* find_cycle(const std::vector<sleep::CycleRecord>& cycles,
                                     std::string_view wanted) {
  if (wanted.starts_with(kPrefix)) wanted.remove_prefix(kPrefix.size());
  const auto found = std::ranges::find_if(
      cycles, [&](const sleep::CycleRecord& each) { return std::to_string(each.cycle) == wanted; });
  return found == cycles.end() ? nullptr : &*found;
}

int repeat_cycle(Context& context, const std::shared_ptr<store::Space>& space,
                 const sleep::CycleRecord& cycle, const std::string& calls) {
  auto played = model_of(context, *space, cycle, calls);
  if (!played) return context.fail(played.error());
  const auto sleeper = sleep::Sleeper::open(space);
  if (!sleeper) return context.fail(sleeper.error());
  sleep::ReplayRequest request;
  request.model = *played == nullptr ? nullptr : (*played)->model.get();
  request.stop = &interrupt_flag();
  const auto report = (*sleeper)->replay(cycle.cycle, request);
  if (!report) return context.fail(report.error());
  if (report->stopped) return kInterrupted;
  if (context.json) {
    context.print_json(report_json(*report));
  } else {
    show_report(context, *report);
  }
  return report->identical() ? kDone : kFailed;
}

}  // namespace anima::cli
