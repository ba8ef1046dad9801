#include "sleep/sleep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "kip/engine.h"
#include "sleep/detail/cut_off.h"
#include "sleep/detail/cycle.h"
#include "sleep/detail/cycle_book.h"
#include "sleep/detail/measure.h"
#include "sleep/detail/phases.h"
#include "sleep/detail/proposals.h"
#include "sleep/detail/rehearsal.h"
#include "sleep/detail/repetition.h"
#include "sleep/detail/sleep_turn.h"
#include "sleep/detail/taken_back.h"
#include "store/act.h"
#include "store/present.h"

namespace anima::sleep {

using detail::Cycle;
using detail::Reading;
using detail::WorkSet;
using store::Sequence;

namespace {

constexpr std::int64_t kMostUnsorted = 20, kMostOrphans = 10,
                       kMostStale = 30;  // the source's thresholds
// More young events than this are not listed; the next cycle looks at everything instead.
constexpr std::size_t kMostYoung = 50'000;

std::uint64_t count_of(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

struct RunPhase {
  int phase;
  Status (*run)(Cycle&);
};
constexpr RunPhase kRunPhases[] = {
    {2, detail::process_tasks},      {3, detail::sort_inbox},       {4, detail::resolve_orphans},
    {5, detail::consolidate_events}, {6, detail::merge_duplicates}, {7, detail::fade_confidence},
    {8, detail::tend_domains},
};

bool is_wanted(const Request& request, int phase) {
  return request.phases.empty() || std::ranges::find(request.phases, phase) != request.phases.end();
}

// What a cycle begins with.
struct Beginning {
  store::Snapshot snapshot;
  std::optional<CycleRecord> last;  // the newest whole cycle
  std::uint64_t cycle = 0;
  bool resumed = false;
  WorkSet work;
  std::vector<store::EntityId> young;
  Metrics metrics;
};

// Entries that are no work: those of whole cycles, and what took cycles back.
bool is_old_sleep(const store::EntryInfo& entry, std::uint64_t last_whole,
                  const detail::TakenBack& taken) {
  if (taken.undos.contains(entry.sequence) || taken.entries.contains(entry.sequence)) return true;
  const auto source = detail::parse_entry_source(entry);
  return source && source->cycle <= last_whole;
}

// What there is to do, without what a cycle did and somebody took back, unless it was written
// since.
Result<WorkSet> work_since(store::Space& space, const Beginning& it, Sequence seen,
                           const detail::TakenBack& taken) {
  const store::Snapshot& now = it.snapshot;
  const std::uint64_t whole = it.last ? it.last->cycle : 0;
  const auto old = [&](const store::EntryInfo& entry) { return is_old_sleep(entry, whole, taken); };
  const bool known = it.last && it.last->young.size() < kMostYoung;
  ANIMA_ASSIGN(WorkSet work, known ? detail::written_since(space, now, seen, now.sequence(), old)
                                   : Result<WorkSet>(WorkSet::everything(now)));
  if (taken.entries.empty()) return work;
  ANIMA_ASSIGN(
      const WorkSet undone,
      detail::written_since(space, now, seen, now.sequence(), [&](const store::EntryInfo& entry) {
        return !taken.entries.contains(entry.sequence);
      }));
  ANIMA_ASSIGN(const WorkSet newer,
               detail::written_since(space, now, *taken.undos.rbegin(), now.sequence(), old));
  work.take_out(undone);
  work.add_all(newer);
  return work;
}

Result<Metrics> metrics_at(store::Space& space, const Beginning& it, const Policy& policy,
                           Timestamp time) {
  const Reading now(it.snapshot);
  const Timestamp cutoff{time.microseconds - policy.stale_after_days * kMicrosecondsPerDay};
  Metrics metrics;
  const auto then = it.last ? it.snapshot.as_of(it.last->after.sequence)
                            : Result<store::Snapshot>(fail(ErrorCode::kNotFound, "no cycle yet"));
  if (then && !it.work.is_everything()) {
    ANIMA_ASSIGN(
        const WorkSet touched,
        detail::written_since(space, it.snapshot, it.last->after.sequence, it.snapshot.sequence(),
                              [](const store::EntryInfo&) { return false; }));
    metrics = detail::measure_from(it.last->after, Reading(*then), now, touched);
  } else {
    metrics = detail::measure(now);
  }
  metrics.stale_events = detail::stale_of(now, metrics.waiting_events, it.work, it.young, cutoff);
  return metrics;
}

Result<CycleRecord> cycle_to_undo(store::Space& space, const store::Snapshot& now,
                                  std::uint64_t cycle) {
  ANIMA_ASSIGN(std::optional<CycleRecord> record, detail::read_cycle(now, cycle));
  if (!record) {
    ANIMA_ASSIGN(record, detail::cut_off_cycle(now));
    if (record && record->cycle != cycle) record.reset();
  }
  const std::string name = "cycle " + std::to_string(cycle);
  if (!record) {
    return fail(ErrorCode::kNotFound, "there is no such cycle of sleep", name,
                "`anima sleep list` shows them");
  }
  ANIMA_TRY(detail::note_undone(space, now, std::span(&*record, 1)));
  if (record->entries.empty() || record->status == "undone") {
    return fail(ErrorCode::kNotFound, "there is nothing to undo", name,
                "it changed nothing, or it was undone");
  }
  return *std::move(record);
}

// A cycle that was cut off and then undone is over: it gets the record that it lacks.
Status book_undone(store::Space& space, const store::Snapshot& now) {
  ANIMA_ASSIGN(std::optional<CycleRecord> record, detail::cut_off_cycle(now));
  if (!record) return {};
  const std::string status = record->status;
  ANIMA_TRY(detail::note_undone(space, now, std::span(&*record, 1)));
  return record->status == status ? Status() : detail::write_cycles(space, std::span(&*record, 1));
}

Result<Beginning> begin(store::Space& space, const store::Snapshot& now, const Policy& policy,
                        Timestamp time) {
  ANIMA_ASSIGN(std::optional<CycleRecord> last, detail::newest_whole_cycle(now));
  Beginning it{now, std::move(last), 0, false, WorkSet::nothing(), {}, {}};
  const Sequence seen = it.last ? it.last->seen : Sequence::kNone;
  const std::uint64_t booked = detail::newest_cycle(now);
  const std::uint64_t highest = detail::highest_cycle(now, seen);
  ANIMA_ASSIGN(const detail::TakenBack taken, detail::taken_back_since(space, now, seen));
  it.resumed = highest > booked && !std::ranges::any_of(taken.entries, [&](Sequence entry) {
                 return detail::parse_entry_source(now.entry(entry))->cycle == highest;
               });
  it.cycle = it.resumed ? highest : std::max(highest, booked) + 1;
  if (it.last && it.last->young.size() < kMostYoung) it.young = it.last->young;
  ANIMA_ASSIGN(it.work, work_since(space, it, seen, taken));
  ANIMA_ASSIGN(it.metrics, metrics_at(space, it, policy, time));
  return it;
}

void assess(Cycle& cycle, const Beginning& start) {
  for (const MetricRow& row : metric_rows(start.metrics, start.metrics)) {
    if (!row.met) cycle.leave("out of target", row.name, row.after + ", wanted " + row.target);
  }
}

Status run_phases(Cycle& cycle, const Request& request, const Beginning& start) {
  cycle.begin_phase(1);
  assess(cycle, start);
  ANIMA_TRY(cycle.end_phase());
  for (const RunPhase& each : kRunPhases) {
    if (!is_wanted(request, each.phase)) continue;
    if (cycle.cut() || cycle.over()) break;
    cycle.begin_phase(each.phase);
    ANIMA_TRY(each.run(cycle));
    ANIMA_TRY(detail::ask_for_proposals(cycle, each.phase));
    ANIMA_TRY(cycle.end_phase());
  }
  if (cycle.changes() == 0 && !start.resumed) return {};
  if (!is_wanted(request, 9)) return {};
  const std::vector<PhaseRecord> before = cycle.phases();
  cycle.begin_phase(9);
  ANIMA_TRY(detail::finish_cycle(cycle, before));
  return cycle.end_phase();
}

Asked asked_of(const Request& request) {
  return {true, request.policy, request.phases, request.max_changes,
          request.model == nullptr ? 0 : request.model_tokens};
}

std::string status_of(Cycle& cycle, const Request& request) {
  if (cycle.stopped()) return "interrupted";
  const bool whole = request.phases.empty() && !cycle.cut() && !cycle.over();
  return whole ? "complete" : "partial";
}

}  // namespace

Result<std::unique_ptr<Sleeper>> Sleeper::open(std::shared_ptr<store::Space> space,
                                               std::shared_ptr<Clock> clock) {
  if (!clock) clock = std::make_shared<SystemClock>();
  return std::unique_ptr<Sleeper>(new Sleeper(std::move(space), std::move(clock)));
}

namespace {

// The error of a cycle that did not come to its end, with what became of what it did.
Error with_what_is_left(store::Space& space, Error why) {
  const auto now = space.snapshot();
  const auto left =
      now ? detail::cut_off_cycle(*now) : Result<std::optional<CycleRecord>>(fail(now.error()));
  if (!left || !*left) return why;
  if (!why.hint.empty()) why.hint += "; ";
  why.hint += fmt::format(
      "cycle {} is cut off, and what it did stays: `anima sleep` goes on with it, `anima sleep "
      "undo "
      "{}` takes it back",
      (*left)->cycle, (*left)->cycle);
  return why;
}

}  // namespace

// Where a cycle takes place.
struct Sleeper::Stage {
  std::shared_ptr<store::Space> space;  // that it writes to
  store::Snapshot from;                 // what it begins with
  std::shared_ptr<Clock> clock;
  WorkSet* looked_at = nullptr;  // receives that
};

Result<CycleRecord> Sleeper::run(const Request& request) {
  if (!(request.policy.decay_factor > 0 && request.policy.decay_factor <= 1)) {
    return fail(ErrorCode::kInvalidArgument, "the factor of decay is not in (0, 1]", {},
                "0.95 is the usual one");
  }
  std::unique_ptr<detail::SleepTurn> turn;
  if (!request.dry_run) {
    ANIMA_ASSIGN(turn, detail::SleepTurn::take(*space_, "a cycle, " + request.trigger,
                                               store::present(*space_, *clock_),
                                               request.wait_milliseconds, request.stop));
    kip::EngineOptions options;  // what a new space begins with
    options.clock = clock_;
    ANIMA_TRY(kip::Engine::open(space_, options));
  }
  ANIMA_ASSIGN(store::Snapshot now, space_->snapshot());
  if (!request.dry_run) {
    ANIMA_TRY(book_undone(*space_, now));
    ANIMA_ASSIGN(now, space_->snapshot());
  }
  const auto space = request.dry_run ? detail::rehearsal_of(space_, now) : space_;
  Result<CycleRecord> record = run_on({space, now, clock_}, request);
  if (request.dry_run) return record;
  if (record && record->cycle != 0) {
    const Status booked = detail::write_cycles(*space_, std::span(&*record, 1));
    if (!booked) record = fail(booked.error());
  }
  if (!record) return fail(with_what_is_left(*space_, record.error()));
  return record;
}

Result<CycleRecord> Sleeper::run_on(const Stage& stage, const Request& request) {
  const Timestamp time = store::present(*stage.space, *stage.clock);
  kip::EngineOptions options;
  options.clock = stage.clock;
  options.max_batch = 1'000'000;
  options.load_genesis = !request.dry_run;
  ANIMA_ASSIGN(Beginning start, begin(*space_, stage.from, request.policy, time));
  ANIMA_ASSIGN(const auto engine, kip::Engine::open(stage.space, options));
  Cycle cycle(*engine, request, start.cycle, time, *stage.clock, start.work, start.young,
              start.last ? start.last->fading : FadingCalendar(),
              start.last ? start.last->seen : Sequence::kNone,
              request.dry_run ? std::optional(stage.from) : std::nullopt);
  ANIMA_TRY(run_phases(cycle, request, start));

  CycleRecord record;
  record.cycle = start.cycle;
  record.status = status_of(cycle, request);
  record.trigger = request.trigger;
  record.dry_run = request.dry_run;
  record.resumed = start.resumed;
  record.asked = asked_of(request);
  record.started = time;
  record.ended = store::present(*stage.space, *stage.clock);
  record.looked_from = start.last ? start.last->seen : Sequence::kNone;
  if (record.status == "complete") record.seen = start.snapshot.sequence();
  record.fading = cycle.fading;
  record.young = cycle.still_young;
  record.before = start.metrics;
  record.phases = cycle.take_phases();
  record.model = cycle.proposer().record();
  if (!record.model.name.empty()) record.model.setup = request.model_setup;
  ANIMA_ASSIGN(const store::Snapshot now, stage.space->snapshot());
  const Reading reading(now);
  if (request.dry_run) {
    record.after = detail::measure(reading);
  } else {
    detail::find_own_entries(now, record.looked_from, &record);
    if (start.resumed)
      detail::add_earlier_changes(now, record.looked_from, start.snapshot.sequence(), &record);
    ANIMA_ASSIGN(const WorkSet touched,
                 detail::written_since(*space_, now, start.snapshot.sequence(), now.sequence(),
                                       [](const store::EntryInfo&) { return false; }));
    record.after = detail::measure_from(start.metrics, Reading(start.snapshot), reading, touched);
  }
  const Timestamp cutoff{time.microseconds - request.policy.stale_after_days * kMicrosecondsPerDay};
  record.after.stale_events =
      detail::stale_of(reading, record.after.waiting_events, start.work, start.young, cutoff);
  if (stage.looked_at != nullptr) *stage.looked_at = cycle.work();
  const bool looked = !start.work.empty() || start.young != record.young ||
                      (start.last && !(start.last->fading == record.fading));
  if (record.changes() == 0 && !looked) {
    record.cycle = 0;
    record.status = "nothing to do";
  }
  return record;
}

Result<ReplayedCycle> Sleeper::replay(std::uint64_t cycle, const ReplayRequest& how) {
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  ANIMA_ASSIGN(std::optional<CycleRecord> record, detail::read_cycle(now, cycle));
  if (!record)
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no cycle {}, or it did not come to its end", cycle), {},
                "`anima sleep list` shows them");
  ReplayedCycle report;
  report.record = *std::move(record);
  const CycleRecord& then = report.record;
  const detail::CycleEntries entries = detail::entries_of(now, then);
  const bool from_first = then.resumed && !entries.own.empty();
  const Sequence begin_at =
      from_first ? Sequence{count_of(entries.own.front()) - 1} : then.before.sequence;
  ANIMA_ASSIGN(const store::Snapshot before, now.as_of(begin_at));
  if (then.resumed)
    report.notes.push_back("it was cut off and resumed: what it wrote before bears another time");
  if (entries.others > 0)
    report.notes.push_back(
        fmt::format("others wrote {} entries while it ran: it may have seen them", entries.others));
  if (!then.asked.known)
    report.notes.push_back(
        "the record does not say what was asked for: it is older, or the cycle was killed");

  std::vector<store::Origin> written;
  // A cycle that did not come to its end is ended where it ended.
  const bool whole = then.seen != Sequence::kNone;
  const bool bounded = then.asked.max_changes != 0 || !then.asked.phases.empty();
  const auto ended = [&] {
    std::size_t changes = 0;
    for (const store::Origin& origin : written)
      changes += detail::changes_of(origin.author, origin.source);
    return !whole && !bounded && changes >= entries.changes;
  };
  std::atomic<bool> stop = ended();
  Request request;
  request.policy = then.asked.policy;
  request.phases = then.asked.phases;
  request.max_changes = then.asked.max_changes;
  request.dry_run = true;
  request.model = how.model;
  if (then.asked.model_tokens > 0) request.model_tokens = then.asked.model_tokens;
  request.trigger = then.trigger;
  request.stop = &stop;
  request.progress = [&](int phase) {
    if (how.progress) how.progress(phase);
    report.stopped = report.stopped || (how.stop != nullptr && how.stop->load());
    if (report.stopped || ended()) stop = true;
  };
  WorkSet work = WorkSet::nothing();
  const auto clock = std::make_shared<ManualClock>(then.started);
  const auto branch = detail::rehearsal_of(space_, before, &written);
  ANIMA_ASSIGN(report.repeated, run_on({branch, before, clock, &work}, request));
  if (report.stopped) return report;
  ANIMA_ASSIGN(const store::Snapshot after, entries.own.empty() ? Result<store::Snapshot>(before)
                                                                : now.as_of(entries.own.back()));
  ANIMA_ASSIGN(const store::Snapshot repeated, branch->snapshot());
  ANIMA_TRY(detail::compare({*space_, entries, before, after, repeated, work}, report));
  return report;
}

Result<UndoneCycles> Sleeper::undo(const store::Origin& who,
                                   const std::vector<std::uint64_t>& cycles, bool cascade,
                                   bool dry_run) {
  std::unique_ptr<detail::SleepTurn> turn;
  if (!dry_run) {
    ANIMA_ASSIGN(turn, detail::SleepTurn::take(*space_, "a cycle is taken back",
                                               store::present(*space_, *clock_),
                                               Request().wait_milliseconds, nullptr));
  }
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  std::vector<CycleRecord> records;
  std::vector<Sequence> entries;
  for (const std::uint64_t cycle : std::set(cycles.begin(), cycles.end())) {
    ANIMA_ASSIGN(CycleRecord record, cycle_to_undo(*space_, now, cycle));
    for (const auto& [first, last] : record.entries) {
      for (std::uint64_t at = count_of(first); at <= count_of(last); ++at)
        entries.push_back(Sequence{at});
    }
    records.push_back(std::move(record));
  }
  if (records.empty())
    return fail(ErrorCode::kInvalidArgument, "no cycle of sleep is named that is to be undone");
  store::Origin origin = who;
  origin.source = std::string(detail::kUndoSource) + detail::list_of(records);
  ANIMA_ASSIGN(const store::UndoneActs undone,
               store::undo_entries(*space_, origin, entries, {cascade, dry_run}));
  for (CycleRecord& record : records) record.status = "undone";
  // Where that cannot be written, the log itself tells of the undo (note_undone).
  if (!dry_run) (void)detail::write_cycles(*space_, records);
  return UndoneCycles{cycles, undone.report.entries, undone.report.keys};
}

Result<std::vector<CycleRecord>> Sleeper::cycles() {
  const bool taken = detail::SleepTurn::is_taken(*space_);  // by a cycle that may end meanwhile
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  ANIMA_ASSIGN(std::vector<CycleRecord> records, detail::read_cycles(now));
  ANIMA_ASSIGN(std::optional<CycleRecord> last, detail::cut_off_cycle(now));
  if (last) records.push_back(*std::move(last));
  ANIMA_TRY(detail::note_undone(*space_, now, records));
  if (!records.empty() && records.back().status == "cut off" &&
      (taken || detail::SleepTurn::is_taken(*space_)))
    records.back().status = "running";
  return records;
}

Result<Metrics> Sleeper::metrics() {
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  ANIMA_ASSIGN(const Beginning start,
               begin(*space_, now, Policy{}, store::present(*space_, *clock_)));
  return start.metrics;
}

Result<Due> Sleeper::due(const Policy& policy, std::int64_t every_hours) {
  const Timestamp time = store::present(*space_, *clock_);
  ANIMA_ASSIGN(const store::Snapshot newest, space_->snapshot());
  ANIMA_ASSIGN(const Beginning start, begin(*space_, newest, policy, time));
  const Metrics& now = start.metrics;
  if (start.resumed) return Due{true, fmt::format("cycle {} was cut off", start.cycle)};
  if (now.unsorted > kMostUnsorted && !start.work.empty())
    return Due{true, fmt::format("Unsorted holds {} concepts (more than {})", now.unsorted,
                                 kMostUnsorted)};
  if (now.orphans > kMostOrphans)
    return Due{true,
               fmt::format("{} concepts have no domain (more than {})", now.orphans, kMostOrphans)};
  // Those that a cycle would look at: not what somebody took back.
  const Timestamp cutoff{time.microseconds - policy.stale_after_days * kMicrosecondsPerDay};
  const std::int64_t stale = detail::stale_among(Reading(newest), start.work, start.young, cutoff);
  if (stale >= kMostStale)
    return Due{true, fmt::format("{} events wait for longer than {} days", stale,
                                 policy.stale_after_days)};
  if (const std::size_t tasks = detail::waiting_tasks(Reading(newest)).size(); tasks > 0)
    return Due{true,
               fmt::format("{} {}", tasks, tasks == 1 ? "sleep task waits" : "sleep tasks wait")};
  const std::int64_t hour = 3'600 * kMicrosecondsPerSecond;
  const bool late =
      !start.last || time.microseconds - start.last->started.microseconds >= every_hours * hour;
  const bool fades = policy.decay_factor < 1.0 && start.last &&
                     start.last->fading.is_due(policy.decay_floor, time);
  if (every_hours > 0 && late && (!start.work.empty() || stale > 0 || fades))
    return Due{true, fmt::format("the last cycle is {} hours or more ago", every_hours)};
  return Due{false, fmt::format("{} orphans, {} unsorted, {} stale events", now.orphans,
                                now.unsorted, now.stale_events)};
}

}  // namespace anima::sleep
