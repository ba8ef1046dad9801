// anima sleep, anima sleep undo: the memory is tidied while nobody talks, and can be put back.
#include "sleep/sleep.h"

#include <fmt/format.h>

#include "agent/conversation/conversation_tape.h"
#include "agent/conversation/recorded_calls.h"
#include "base/files/output_file.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/render/sleep_view.h"
#include "sleep/merge_two.h"
#include "sleep/report_page.h"
#include "store/symbols.h"

namespace anima::cli {
namespace {

constexpr std::size_t kAllItems = 100'000;

struct SleepChoices {
  std::vector<std::string> phases;
  bool dry_run = false, if_needed = false, all = false;
  std::int64_t max_changes = 0;
  std::string time, report;
  std::int64_t every = 0;
  std::int64_t stale_after = 7, remove_after = 0;
  double factor = 0.95;
  std::string llm;
  std::int64_t llm_tokens = 0;
  ModelTapes tapes;
};

void declare(Options& options, SleepChoices& it) {
  options.values(
      "--phase N", it.phases,
      "only this phase, 1 to 9 (several times); the next cycle looks at everything again");
  options.flag("--dry-run", it.dry_run, "show every change, and write none");
  options.value("--max-changes N", it.max_changes, "stop before there are more; 0: no bound");
  options.value("--time T", it.time, "stop after this long: 30s, 5m, 2h, 500ms");
  options.flag("--if-needed", it.if_needed,
               "only when Unsorted holds more than 20 concepts, more than 10 have no domain, 30 "
               "events are stale, a sleep task waits, or a cycle was cut off: for a timer or the "
               "end of a session");
  options.value("--every HOURS", it.every, "with --if-needed: also when the last cycle is so old");
  options.value("--stale-after DAYS", it.stale_after,
                "events are consolidated when they are older (default: 7)");
  options.value("--remove-archived-after DAYS", it.remove_after,
                "consolidated events are removed so long after they were archived; 0: never "
                "(default)");
  options.value("--decay F", it.factor,
                "a week without confirmation multiplies the confidence of a fact by it (default: "
                "0.95; 1: no decay)");
  options.value("--llm NAME", it.llm,
                "a model proposes what the rules leave open; its proposals pass their checks "
                "(none: not the one of sleep.llm either)");
  options.value("--llm-tokens N", it.llm_tokens,
                "the tokens of the model in a cycle (default: sleep.llm_tokens)");
  options
      .value("--record FILE", it.tapes.record, "adds every exchange with the model to a cassette")
      .output();
  options.value("--replay FILE", it.tapes.replay, "plays a cassette; no model is called")
      .input()
      .excludes("--record");
  options.value("--report FILE", it.report, "write the page about all cycles there").output();
  options.flag("--all", it.all, "list every item, not the first five of each phase");
}

// "30s", "5m", "2h", "500ms" in milliseconds. Errors: kInvalidArgument.
Result<std::int64_t> parse_span(std::string_view text) {
  std::size_t digits = 0;
  std::int64_t number = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && digits < 9)
    number = number * 10 + (text[digits++] - '0');
  const std::string_view unit = text.substr(digits);
  const std::int64_t factor = unit == "ms"                ? 1
                              : unit == "s" || unit == "" ? 1000
                              : unit == "m"               ? 60'000
                              : unit == "h"               ? 3'600'000
                                                          : 0;
  if (digits == 0 || factor == 0 || number == 0) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--time takes a number with ms, s, m or h, not \"{}\"", text));
  }
  return number * factor;
}

Result<sleep::Request> request_of(const SleepChoices& it) {
  sleep::Request request;
  request.dry_run = it.dry_run;
  request.trigger = it.if_needed ? "a timer" : "on demand";
  request.stop = &interrupt_flag();
  if (it.max_changes < 0) return fail(ErrorCode::kInvalidArgument, "--max-changes is 0 or more");
  request.max_changes = static_cast<std::size_t>(it.max_changes);
  if (!it.time.empty()) {
    ANIMA_ASSIGN(request.max_milliseconds, parse_span(it.time));
  }
  for (const std::string& phase : it.phases) {
    if (phase.size() != 1 || phase[0] < '1' || phase[0] > '9')
      return fail(ErrorCode::kInvalidArgument, "--phase is a number from 1 to 9");
    request.phases.push_back(phase[0] - '0');
  }
  if (it.llm_tokens < 0) return fail(ErrorCode::kInvalidArgument, "--llm-tokens is 1 or more");
  if (it.stale_after < 0 || it.remove_after < 0 || it.every < 0)
    return fail(ErrorCode::kInvalidArgument, "a number of days or hours is 0 or more");
  if (!(it.factor > 0 && it.factor <= 1))
    return fail(ErrorCode::kInvalidArgument, "--decay is more than 0 and at most 1");
  request.policy.stale_after_days = it.stale_after;
  request.policy.remove_archived_after_days = it.remove_after;
  request.policy.decay_factor = it.factor;
  return request;
}

// The model of a cycle with what it needs. What it is asked is kept on the log.
struct SleepModel {
  StopOnInterrupt interrupt;
  std::unique_ptr<agent::RecordedCalls> kept;
  std::unique_ptr<ModelAccess> access;
};

// Null where none is wanted. One that a setting names and that cannot be opened is warned of: a
// cycle does without it.
Result<std::unique_ptr<SleepModel>> give_model(Context& context, const SleepChoices& it,
                                               store::Space& space, sleep::Request& request) {
  const std::string name = it.llm.empty() ? context.config.text("sleep.llm") : it.llm;
  if (name.empty() || name == "none") {
    if (it.tapes.record || it.tapes.replay)
      return fail(ErrorCode::kInvalidArgument, "--record and --replay need a model", {},
                  "--llm NAME");
    return std::unique_ptr<SleepModel>();
  }
  auto model = std::make_unique<SleepModel>();
  if (!it.dry_run && !it.tapes.replay) {
    model->kept = std::make_unique<agent::RecordedCalls>(
        space, local_origin(context, "anima sleep"), "sleep");
  }
  ANIMA_ASSIGN(model->access, open_models(context, it.tapes, model->kept.get()));
  const auto found = named_model(*model->access->models, name);
  if (!found) {
    if (!it.llm.empty()) return fail(found.error());
    context.warn("this cycle goes without the model of sleep.llm: " + found.error().describe());
    return std::unique_ptr<SleepModel>();
  }
  request.model = *found;
  request.model_setup = agent::model_setup((*found)->config());
  request.model_stop = model->interrupt.token();
  request.model_tokens =
      it.llm_tokens > 0 ? it.llm_tokens : context.config.integer("sleep.llm_tokens");
  return model;
}

int run_sleep(Context& context, Arguments arguments) {
  SleepChoices choices;
  Options options;
  declare(options, choices);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto request = request_of(choices);
  if (!request) return context.usage_error(request.error().message);
  const auto space = open_space(context, choices.dry_run ? Access::kRead : Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto sleeper = sleep::Sleeper::open(*space);
  if (!sleeper) return context.fail(sleeper.error());
  if (choices.if_needed) {
    const auto due = (*sleeper)->due(request->policy, choices.every);
    if (!due) return context.fail(due.error());
    if (!due->due) {
      if (context.json) {
        context.print_json(
            Json::object({{"cycle", 0}, {"status", "not needed"}, {"reason", due->reason}}));
      } else {
        context.print("not needed: " + due->reason + "\n");
      }
      return kDone;
    }
    context.note(due->reason);
  }
  const auto model = give_model(context, choices, **space, *request);
  if (!model) return fail_of_model(context, model.error());
  // Opened first: no cycle is run whose page has no place.
  std::unique_ptr<OutputFile> page;
  if (!choices.report.empty()) {
    auto opened = OutputFile::open(context.files, choices.report);
    if (!opened) return context.fail(opened.error());
    page = std::move(*opened);
  }
  const auto record = (*sleeper)->run(*request);
  if (!record) return context.fail(record.error());
  if (context.json) {
    context.print_json(record->to_json(kAllItems));
  } else {
    show_cycle(context, *record, choices.all || choices.dry_run);
  }
  if (page != nullptr) {
    const auto records = (*sleeper)->cycles();
    Status written = records ? page->append(sleep::report_page(*records)) : fail(records.error());
    if (written) written = page->commit();
    if (!written) {
      Error error = written.error();
      error.message = "the cycle is done, and its page is not written: " + error.message;
      return context.fail(error);
    }
  }
  return record->status == "interrupted" ? kInterrupted : kDone;
}

int run_sleep_undo(Context& context, Arguments arguments) {
  std::vector<std::string> named;
  bool cascade = false, dry_run = false;
  Options options;
  options
      .positional("CYCLE", named, "its number, as `anima sleep list` shows it; several go at once")
      .required();
  options.flag("--cascade", cascade, "undo later entries that depend on them, too");
  options.flag("--dry-run", dry_run, "say what would be undone");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  std::vector<std::uint64_t> cycles;
  for (const std::string& text : named) {
    const auto number = parse_sequence(text);
    if (!number) return context.usage_error("CYCLE is a number");
    cycles.push_back(sequence_number(*number));
  }
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto sleeper = sleep::Sleeper::open(*space);
  if (!sleeper) return context.fail(sleeper.error());
  const auto undone =
      (*sleeper)->undo(local_origin(context, "anima sleep undo"), cycles, cascade, dry_run);
  if (!undone) {
    context.fail(undone.error());
    return undone.error().code == ErrorCode::kConflict ? kRefused : exit_code_for(undone.error());
  }
  JsonArray entries, numbers;
  for (const std::uint64_t cycle : undone->cycles) numbers.emplace_back(cycle);
  for (const store::Sequence entry : undone->entries) entries.emplace_back(sequence_number(entry));
  if (context.json) {
    context.print_json(Json::object({{"cycles", std::move(numbers)},
                                     {"dry_run", dry_run},
                                     {"entries", std::move(entries)},
                                     {"keys", static_cast<std::uint64_t>(undone->keys)}}));
  } else {
    context.print(
        fmt::format("{} cycle{} {}: {} entries, {} keys put back\n",
                    dry_run ? "would undo" : "undid", undone->cycles.size() == 1 ? "" : "s",
                    fmt::join(undone->cycles, ", "), undone->entries.size(), undone->keys));
  }
  return kDone;
}

int run_sleep_merge(Context& context, Arguments arguments) {
  std::string kept, other;
  Options options;
  options.positional("KEPT", kept, "what stays: a name or an id as C:12").required();
  options.positional("OTHER", other, "what becomes part of it, its name an alias").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto now = (*space)->snapshot();
  if (!now) return context.fail(now.error());
  const auto first = store::find_entity(*now, kept), second = store::find_entity(*now, other);
  if (!first) return context.fail(first.error());
  if (!second) return context.fail(second.error());
  const auto merged =
      sleep::merge_two(*space, local_origin(context, "anima sleep merge"), *first, *second);
  if (!merged) return context.fail(merged.error());
  if (context.json) {
    context.print_json(*merged);
  } else {
    context.print(fmt::format("{} is part of {} now, and found under both names\n", other, kept));
  }
  return kDone;
}

}  // namespace

extern const Verb kSleep;
extern const Verb kSleepMerge;
extern const Verb kSleepUndo;
const Verb kSleep{
    "sleep",
    Group::kKnowledge,
    "tidies the memory: inbox, orphans, old events, duplicates, fading facts",
    "[--dry-run] [--max-changes N] [--time T] [--phase N]... [--llm NAME] [--report FILE] [--json]",
    "anima sleep --dry-run\n"
    "anima sleep --if-needed --every 24\n"
    "anima sleep --llm local --dry-run",
    run_sleep};
const Verb kSleepMerge{"sleep merge",
                       Group::kKnowledge,
                       "makes one thing of two, on your word",
                       "KEPT OTHER [--json]",
                       "anima sleep merge C:12 C:15",
                       run_sleep_merge};
const Verb kSleepUndo{"sleep undo",
                      Group::kKnowledge,
                      "takes cycles of sleep back, in one entry",
                      "CYCLE... [--cascade] [--dry-run]",
                      "anima sleep undo 3\n"
                      "anima sleep undo 3 4 5",
                      run_sleep_undo};

}  // namespace anima::cli
