// What a cycle of sleep did: its phases with their changes and what they left alone, the metrics
// before and after, and the entries of the log that are its own. Kept as JSON, one concept a cycle,
// in the graph urn:anima:sleep. Thread-safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"
#include "sleep/fading_calendar.h"
#include "store/space.h"

namespace anima::sleep {

inline constexpr std::string_view kSleepGraph = "urn:anima:sleep";
inline constexpr int kPhases = 9;
// "Assessment" .. "Finalization"; phase is 1 .. 9.
std::string_view phase_name(int phase);

// The numbers that the source names, and some that it leaves open.
struct Policy {
  std::int64_t stale_after_days = 7;
  // Archived events whose content lives on elsewhere are removed after so many days; 0 = never.
  std::int64_t remove_archived_after_days = 0;
  double decay_factor = 0.95;  // a week; 0 < factor <= 1
  double decay_floor = 0.3;    // at or below it nothing fades any more
  std::size_t small_domain = 2, large_domain = 100;
  std::size_t fewest_for_a_domain = 5;  // concepts of one type that deserve a domain of their own
};

// What a cycle was asked to do, so that it can be repeated.
struct Asked {
  bool known = false;  // false: an older record, which does not say
  Policy policy;
  std::vector<int> phases;  // empty: all
  std::size_t max_changes = 0;
  std::int64_t model_tokens = 0;
  Json to_json() const;
  static Asked from_json(const Json& json);
};

// The state of the memory, as the source's table of metrics counts it. Definitions and protected
// concepts are not counted as orphans, nor are domains: they are the shelves.
struct Metrics {
  store::Sequence sequence = store::Sequence::kNone;  // of the state that was measured
  std::int64_t concepts = 0, links = 0;
  std::int64_t orphans = 0;            // target: fewer than 10
  std::int64_t unsorted = 0;           // target: fewer than 20
  std::int64_t waiting_events = 0;     // not consolidated, however young
  std::int64_t stale_events = 0;       // of these, older than the policy says; target: < 30
  std::int64_t confidence_micros = 0;  // sum over the links, in millionths
  std::int64_t domains = 0;            // but Unsorted, Archived and CoreSchema
  std::int64_t domains_in_range = 0;   // with 5 to 100 members
  double average_confidence() const {  // target: more than 0.6; 1 without any links
    return links == 0 ? 1.0
                      : static_cast<double>(confidence_micros) / 1e6 / static_cast<double>(links);
  }
  Json to_json() const;
  static Metrics from_json(const Json& json);
};

// A row of the table of metrics.
struct MetricRow {
  std::string name, target, before, after;
  bool met = false;  // after
};
std::vector<MetricRow> metric_rows(const Metrics& before, const Metrics& after);

// One thing that a phase changed, or found and left alone.
struct Item {
  bool changed = false;
  std::string what;    // "merged", "archived", "filed", "left alone", ..
  std::string about;   // Person "Ada Lovelace"
  std::string reason;  // the evidence
  Json to_json() const;
};

struct PhaseRecord {
  int phase = 0;
  std::size_t changes = 0, left = 0;  // items may hold fewer: the first of each are kept
  std::int64_t milliseconds = 0;
  std::vector<Item> items;
};

// What a language model had to do with a cycle; an empty name: none was asked for.
struct ModelRecord {
  std::string name;
  std::int64_t calls = 0, tokens = 0;
  std::size_t proposed = 0, taken = 0;
  std::string failure;  // why it was not asked any more; empty: nothing was wrong
  Json setup;           // Request::model_setup, for who repeats the cycle
  Json to_json() const;
  static ModelRecord from_json(const Json& json);
};

struct CycleRecord {
  std::uint64_t cycle = 0;
  // "running", "cut off" (by the end of its process), "complete", "partial" (a bound, some phases
  // only), "interrupted", "undone", "partly undone", "nothing to do"
  std::string status = "running";
  std::string trigger;
  bool dry_run = false, resumed = false;
  Timestamp started, ended;
  store::Sequence seen = store::Sequence::kNone;  // changes up to here are covered when complete
  store::Sequence looked_from = store::Sequence::kNone;  // the first is the one after
  // Events that were too young to be consolidated; the next cycle looks at them again.
  std::vector<store::EntityId> young;
  FadingCalendar fading;  // when which facts are due to fade
  std::vector<std::pair<store::Sequence, store::Sequence>> entries;  // its own, ranges, ascending
  Metrics before, after;
  std::vector<PhaseRecord> phases;
  ModelRecord model;
  Asked asked;
  std::size_t changes() const;
  // The items of a phase in the book are the first `most` that changed and the first `most` left.
  Json to_json(std::size_t most) const;
  static CycleRecord from_json(const Json& json);
};

struct UndoneCycles {
  std::vector<std::uint64_t> cycles;     // as they were asked for
  std::vector<store::Sequence> entries;  // undone
  std::size_t keys = 0;                  // put back
};

}  // namespace anima::sleep
