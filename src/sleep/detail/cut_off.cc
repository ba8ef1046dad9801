#include "sleep/detail/cut_off.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sleep/detail/cycle_book.h"
#include "sleep/detail/measure.h"
#include "sleep/evidence/work_set.h"

namespace anima::sleep::detail {
namespace {

using store::Sequence;

std::uint64_t count_of(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

// As far as the log still has it.
Metrics metrics_at(const store::Snapshot& now, Sequence at) {
  const auto then = now.as_of(at);
  Metrics metrics = then ? measure(Reading(*then)) : Metrics{};
  metrics.sequence = at;
  return metrics;
}

}  // namespace

std::uint64_t highest_cycle(const store::Snapshot& now, Sequence after) {
  std::uint64_t highest = 0;
  for (std::uint64_t at = count_of(after) + 1; at <= count_of(now.sequence()); ++at) {
    if (const auto source = parse_entry_source(now.entry(Sequence{at})))
      highest = std::max(highest, source->cycle);
  }
  return highest;
}

void find_own_entries(const store::Snapshot& now, Sequence after, CycleRecord* record) {
  for (std::uint64_t at = count_of(after) + 1; at <= count_of(now.sequence()); ++at) {
    const auto source = parse_entry_source(now.entry(Sequence{at}));
    if (!source || source->cycle != record->cycle) continue;
    if (!record->entries.empty() && count_of(record->entries.back().second) + 1 == at) {
      record->entries.back().second = Sequence{at};
    } else {
      record->entries.emplace_back(Sequence{at}, Sequence{at});
    }
  }
}

void add_earlier_changes(const store::Snapshot& now, Sequence after, Sequence last,
                         CycleRecord* record) {
  for (std::uint64_t at = count_of(after) + 1; at <= count_of(last); ++at) {
    const auto source = parse_entry_source(now.entry(Sequence{at}));
    if (!source || source->cycle != record->cycle) continue;
    for (PhaseRecord& phase : record->phases) {
      if (phase.phase != source->phase) continue;
      phase.changes += source->changes;
      phase.items.push_back({true, "changed before the interruption",
                             fmt::format("{} things", source->changes),
                             fmt::format("log entry {}", at)});
    }
  }
}

Result<std::optional<CycleRecord>> cut_off_cycle(const store::Snapshot& now) {
  ANIMA_ASSIGN(const std::optional<CycleRecord> last, newest_whole_cycle(now));
  CycleRecord record;
  record.looked_from = last ? last->seen : Sequence::kNone;
  record.cycle = highest_cycle(now, record.looked_from);
  if (record.cycle <= newest_cycle(now)) return std::optional<CycleRecord>();
  record.status = "cut off";
  find_own_entries(now, record.looked_from, &record);
  const Sequence first = record.entries.front().first, end = record.entries.back().second;
  record.started = now.entry(first).time;
  record.ended = now.entry(end).time;
  record.before = metrics_at(now, Sequence{count_of(first) - 1});
  record.after = metrics_at(now, end);
  std::set<int> phases;
  for (const auto& [from, to] : record.entries) {
    for (std::uint64_t at = count_of(from); at <= count_of(to); ++at)
      phases.insert(parse_entry_source(now.entry(Sequence{at}))->phase);
  }
  for (const int number : phases) {
    PhaseRecord phase;
    phase.phase = number;
    record.phases.push_back(std::move(phase));
  }
  add_earlier_changes(now, record.looked_from, end, &record);
  return std::optional(std::move(record));
}

}  // namespace anima::sleep::detail
