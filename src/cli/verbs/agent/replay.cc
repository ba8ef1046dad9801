// anima replay: repeats a recorded run, a conversation with a model, or a cycle of sleep from the
// log and says where, if anywhere, it differs.
#include "agent/loop/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/conversation/conversation_replay.h"
#include "agent/json_fields.h"
#include "agent/loop/run_retention.h"
#include "base/text/read_number.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/render/sleep_view.h"
#include "cli/render/table.h"
#include "cli/verbs/agent/replay_sleep.h"
#include "sleep/sleep.h"

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

std::string name_of(store::Sequence run, const std::vector<agent::KeptRun>& kept) {
  const auto named = std::ranges::find(kept, run, &agent::KeptRun::run);
  return named == kept.end() ? std::string() : named->name;
}

using Conversations = std::vector<agent::RecordedConversation>;

Json conversation_json(const agent::RecordedConversation& conversation) {
  const Json* model = conversation.setup.find("model");
  return Json::object({{"conversation", sequence_number(conversation.first)},
                       {"last_entry", sequence_number(conversation.last)},
                       {"time", format_timestamp(conversation.time)},
                       {"session", conversation.session},
                       {"model", model == nullptr ? std::string() : agent::text_of(*model, "name")},
                       {"turns", static_cast<std::uint64_t>(conversation.turns.size())}});
}

void show_conversations(Context& context, const Conversations& conversations, Json& list) {
  Table table({"conversation", "time", "session", "model", "turns"});
  table.align_right(0);
  table.align_right(4);
  for (const agent::RecordedConversation& each : conversations) {
    const Json json = conversation_json(each);
    table.add({std::to_string(sequence_number(each.first)), format_timestamp(each.time),
               each.session, agent::text_of(json, "model"), std::to_string(each.turns.size())});
    list.push_back(json);
  }
  if (!context.json && !table.empty()) context.print(table.render(context));
}

void show_sleep(Context& context, const std::vector<sleep::CycleRecord>& cycles, Json& list) {
  for (const sleep::CycleRecord& cycle : cycles) {
    list.push_back(Json::object({{"sleep_cycle", cycle.cycle},
                                 {"time", format_timestamp(cycle.started)},
                                 {"status", cycle.status},
                                 {"model", cycle.model.name},
                                 {"changes", static_cast<std::uint64_t>(cycle.changes())}}));
  }
  if (context.json || cycles.empty()) return;
  show_cycles(context, cycles);
  context.print(
      "A cycle of sleep is repeated on the state before it: anima replay cycle-N. What one "
      "changed: "
      "anima sleep report, anima sleep undo CYCLE.\n");
}

int show_runs(Context& context, const std::vector<agent::RunInfo>& runs,
              const std::vector<agent::KeptRun>& kept, const Conversations& conversations,
              const std::vector<sleep::CycleRecord>& cycles) {
  Json list = Json::array();
  Table table({"run", "time", "agent", "cycles", "entries", "by", "kept as"});
  table.align_right(0);
  table.align_right(3);
  table.align_right(4);
  for (const agent::RunInfo& run : runs) {
    const std::string name = name_of(run.run, kept);
    Json json = run_json(run);
    if (!name.empty()) json.set("name", name);
    list.push_back(std::move(json));
    table.add({std::to_string(sequence_number(run.run)), format_timestamp(run.time), run.agent,
               std::to_string(run.cycles), std::to_string(run.steps), run.source, name});
  }
  if (!context.json && table.empty() && conversations.empty() && cycles.empty())
    context.print("There is no recorded run. Make one: anima run \"...\"\n");
  if (!context.json && !table.empty()) context.print(table.render(context));
  if (!context.json && !table.empty() && !conversations.empty()) context.print("\n");
  show_conversations(context, conversations, list);
  const bool others = !table.empty() || !conversations.empty();
  if (!context.json && others && !cycles.empty()) context.print("\n");
  show_sleep(context, cycles, list);
  if (context.json) context.print_json(list);
  return kDone;
}

int show_conversation(Context& context, const agent::ConversationReplay& report) {
  const bool whole = report.identical() && report.repeated == report.conversation.turns.size();
  if (report.left > 0 && report.identical())
    context.warn(
        fmt::format("{} recorded calls belong to no turn: it was broken off", report.left));
  if (context.json) {
    Json json = conversation_json(report.conversation);
    json.set("repeated", report.repeated);
    json.set("calls", report.calls);
    json.set("identical", whole);
    if (report.turn) {
      json.set("difference", Json::object({{"turn", *report.turn},
                                           {"entry", sequence_number(report.entry)},
                                           {"what", report.difference}}));
    }
    context.print_json(json);
  } else if (report.turn) {
    const std::string where =
        *report.turn == 0 ? "after the last turn" : fmt::format("turn {}", *report.turn);
    context.print(fmt::format("{} (entry {}) differs: {}\n", where, sequence_number(report.entry),
                              report.difference));
  } else {
    context.print(
        fmt::format("conversation {}: {} of {} turns repeated, {} calls of the model, bit "
                    "for bit the same\n",
                    sequence_number(report.conversation.first), report.repeated,
                    report.conversation.turns.size(), report.calls));
  }
  return whole ? kDone : kFailed;
}

int repeat_conversation(Context& context, store::Space& space,
                        const agent::RecordedConversation& conversation) {
  auto house = house_options(context, space);
  if (!house) return context.fail(house.error());
  SystemRandom random;
  const auto report = agent::replay_conversation(space, conversation, *std::move(house), random,
                                                 [](std::uint64_t) { return !interrupted(); });
  if (!report) return context.fail(report.error());
  if (interrupted()) return kInterrupted;
  return show_conversation(context, *report);
}

Result<std::vector<sleep::CycleRecord>> cycles_of_sleep(
    const std::shared_ptr<store::Space>& space) {
  ANIMA_ASSIGN(const auto sleeper, sleep::Sleeper::open(space));
  return sleeper->cycles();
}

// The one of that number; of "last" when it is newer than every run.
const agent::RecordedConversation* find_conversation(const std::string& wanted,
                                                     const Conversations& conversations,
                                                     const std::vector<agent::RunInfo>& runs) {
  if (conversations.empty()) return nullptr;
  const auto newest =
      std::ranges::max_element(conversations, {}, &agent::RecordedConversation::last);
  if (wanted == "last") return runs.empty() || runs.back().last < newest->last ? &*newest : nullptr;
  const auto found = std::ranges::find_if(conversations, [&](const auto& each) {
    return std::to_string(sequence_number(each.first)) == wanted;
  });
  return found == conversations.end() ? nullptr : &*found;
}

// The cycle of sleep of that number where no run has it; of "last" when there is no run.
const sleep::CycleRecord* cycle_meant(const std::string& wanted,
                                      const std::vector<agent::RunInfo>& runs,
                                      const std::vector<sleep::CycleRecord>& cycles) {
  if (wanted == "last") return runs.empty() && !cycles.empty() ? &cycles.back() : nullptr;
  const bool is_run = std::ranges::any_of(runs, [&](const agent::RunInfo& run) {
    return std::to_string(sequence_number(run.run)) == wanted;
  });
  return is_run ? nullptr : find_cycle(cycles, wanted);
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

// "12", "last", or the name that a run was kept under.
Result<store::Sequence> find_run(const std::string& wanted, const std::vector<agent::RunInfo>& runs,
                                 const std::vector<agent::KeptRun>& kept) {
  if (wanted == "last") return runs.empty() ? store::Sequence::kNone : runs.back().run;
  if (const auto run = read_number<std::uint64_t>(wanted)) return store::Sequence{*run};
  const auto named = std::ranges::find(kept, wanted, &agent::KeptRun::name);
  if (named != kept.end()) return named->run;
  return anima::fail(ErrorCode::kNotFound, "no run has this name", wanted,
                     "`anima replay` lists the runs; RUN is a number, a name or last");
}

// Gives a run a name, or takes one back.
int rename_run(Context& context, store::Space& space, store::Sequence run, const std::string& keep,
               const std::string& release) {
  const store::Origin origin = local_origin(context, "anima replay");
  const Status done = release.empty() ? agent::keep_run(space, origin, run, keep)
                                      : agent::release_run(space, origin, release);
  if (!done) return context.fail(done.error());
  if (context.json) {
    context.print_json(release.empty()
                           ? Json::object({{"run", sequence_number(run)}, {"name", keep}})
                           : Json::object({{"released", release}}));
  } else if (release.empty()) {
    context.print(fmt::format("Run {} is kept as {}.\n", sequence_number(run), keep));
  } else {
    context.print(fmt::format("{} is no name of a run any more.\n", release));
  }
  return kDone;
}

int run_replay(Context& context, Arguments arguments) {
  std::string wanted, keep, release, calls;
  Options options;
  options.positional(
      "RUN", wanted,
      "the number of a run or of a conversation, a run's name, cycle-N of sleep, or last; without, "
      "all are listed");
  options.value("--keep NAME", keep, "give the run a name: it is not pruned (agent.keep)");
  options.value("--release NAME", release, "take the name back").excludes("--keep");
  options.value("--calls FILE", calls,
                "the cassette that the model of a cycle of sleep was recorded into (anima sleep "
                "--record); without, its calls are read from the log");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!keep.empty() && wanted.empty())
    return context.usage_error("which run?", "anima replay last --keep before-the-move");
  const bool renames = !keep.empty() || !release.empty();
  const auto space = open_space(context, renames ? Access::kWrite : Access::kRead);
  if (!space) return context.fail(space.error());
  if (!release.empty()) return rename_run(context, **space, {}, {}, release);
  const auto runs = agent::list_runs(**space);
  if (!runs) return context.fail(runs.error());
  const auto kept = agent::kept_runs(**space);
  if (!kept) return context.fail(kept.error());
  const auto conversations = agent::recorded_conversations(**space);
  if (!conversations) return context.fail(conversations.error());
  const auto cycles = cycles_of_sleep(*space);
  if (!cycles) return context.fail(cycles.error());
  if (wanted.empty()) return show_runs(context, *runs, *kept, *conversations, *cycles);
  const auto* const conversation = find_conversation(wanted, *conversations, *runs);
  if (conversation != nullptr && keep.empty())
    return repeat_conversation(context, **space, *conversation);
  const auto* const cycle = keep.empty() ? cycle_meant(wanted, *runs, *cycles) : nullptr;
  if (cycle != nullptr) return repeat_cycle(context, *space, *cycle, calls);
  const auto run = find_run(wanted, *runs, *kept);
  if (!run) return context.fail(run.error());
  if (!keep.empty()) return rename_run(context, **space, *run, keep, {});
  const auto report = agent::replay_run(**space, context.files, *run,
                                        [](const agent::ReplayStep&) { return !interrupted(); });
  if (!report) return context.fail(report.error());
  if (interrupted()) return kInterrupted;
  return show_report(context, *report);
}

}  // namespace

extern const Verb kReplay;
const Verb kReplay{
    "replay",
    Group::kActing,
    "repeats a recorded run, conversation or cycle of sleep and says where it differs",
    "[RUN|NAME|cycle-N|last] [--keep NAME] [--release NAME] [--calls FILE]",
    "anima replay last\nanima replay cycle-3",
    run_replay};

}  // namespace anima::cli
