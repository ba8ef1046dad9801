#include "sleep/detail/repetition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "sleep/evidence/reading.h"
#include "store/statements.h"

namespace anima::sleep::detail {
namespace {

using store::Sequence;
using store::Triple;

constexpr int kLastPhase = 9;
constexpr std::size_t kMostBytes = 300;  // of a line for people
// What RecordedCalls of a cycle's model write is no change of others (cli/verbs/memory/sleep.cc).
constexpr std::string_view kCallSource = "anima sleep";

std::uint64_t number_of(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

using Keys = std::set<store::WrittenKey>;

struct Stated {
  Triple triple;
  double confidence = 0;
  auto operator<=>(const Stated&) const = default;
};

// A name belongs to its thing, and when something was written is no part of what it says.
bool is_no_claim(const Snapshot& snapshot, Predicate predicate) {
  if (predicate == store::kNamePredicate) return true;
  return predicate.predicate_class() == store::PredicateClass::kMetadata &&
         snapshot.value(predicate.key()).text == "created_at";
}

// What the default graph states of one entity, sorted; of `keys` alone where they are given.
std::vector<Stated> stated_of(const Snapshot& snapshot, EntityId entity, const Keys* keys) {
  std::vector<Stated> found;
  for (const auto of_class :
       {store::PredicateClass::kLink, store::PredicateClass::kStructural,
        store::PredicateClass::kAttribute, store::PredicateClass::kMetadata}) {
    store::Pattern pattern;
    pattern.subject = entity;
    pattern.predicate_class = of_class;
    store::each_statement(snapshot, pattern, [&](const Triple& triple) {
      if (is_no_claim(snapshot, triple.predicate)) return;
      store::WrittenKey key{store::GraphId::kDefault, triple.subject, triple.predicate, {}};
      if (of_class < store::PredicateClass::kAttribute) key.object = triple.object;
      if (keys != nullptr && !keys->contains(key)) return;
      for (const store::Assertion& assertion : snapshot.assertions(triple)) {
        if (assertion.graph == store::GraphId::kDefault)
          found.push_back({triple, assertion.confidence});
      }
    });
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string predicate_text(const Snapshot& snapshot, Predicate predicate) {
  switch (predicate.predicate_class()) {
    case store::PredicateClass::kLink:
      return std::string(snapshot.name(predicate.as_link()));
    case store::PredicateClass::kStructural:
      return predicate == store::kTypePredicate ? "is a" : "is named";
    case store::PredicateClass::kAttribute:
      return "." + std::string(snapshot.value(predicate.key()).text);
    case store::PredicateClass::kMetadata:
      return "@" + std::string(snapshot.value(predicate.key()).text);
  }
  return {};
}

std::string line_of(const Reading& reading, const Stated& stated) {
  const Snapshot& snapshot = reading.snapshot();
  const Triple& triple = stated.triple;
  const std::string object = triple.object.is_entity() ? reading.title(triple.object.as_entity())
                                                       : snapshot.display(triple.object);
  std::string line = fmt::format("{} {} {}", reading.title(triple.subject),
                                 predicate_text(snapshot, triple.predicate), object);
  if (stated.confidence < 1) line += fmt::format(" ({})", stated.confidence);
  return line;
}

struct ChangedLines {
  std::vector<std::string> came, went;  // sorted
};

ChangedLines changed_lines(const Snapshot& before, const Snapshot& after,
                           const std::set<EntityId>& entities, const Keys* keys) {
  const std::array graph{store::GraphId::kDefault};
  const Snapshot then = before.in_graphs(graph), now = after.in_graphs(graph);
  const Reading reading_then(then), reading_now(now);
  ChangedLines lines;
  for (const EntityId entity : entities) {
    const std::vector<Stated> had = stated_of(then, entity, keys);
    const std::vector<Stated> has = stated_of(now, entity, keys);
    std::vector<Stated> gone, fresh;
    std::ranges::set_difference(had, has, std::back_inserter(gone));
    std::ranges::set_difference(has, had, std::back_inserter(fresh));
    for (const Stated& stated : gone) lines.went.push_back(line_of(reading_then, stated));
    for (const Stated& stated : fresh) lines.came.push_back(line_of(reading_now, stated));
  }
  std::ranges::sort(lines.came);
  std::ranges::sort(lines.went);
  return lines;
}

void tell(ReplayedCycle& report, std::string_view what, std::string_view about) {
  ++report.differences;
  if (report.first_differences.size() >= kMostDifferences) return;
  const std::string_view shown = beginning_of(about, kMostBytes);
  report.first_differences.push_back(
      fmt::format("{}: {}{}", what, shown, shown.size() < about.size() ? ".." : ""));
}

void tell_missing(ReplayedCycle& report, const std::vector<std::string>& all,
                  const std::vector<std::string>& but, std::string_view what) {
  std::vector<std::string> missing;
  std::ranges::set_difference(all, but, std::back_inserter(missing));
  for (const std::string& line : missing) tell(report, what, line);
}

Status compare_statements(const Repetition& it, ReplayedCycle& report) {
  Keys keys;
  std::set<EntityId> entities;
  for (const Sequence entry : it.entries.own) {
    ANIMA_TRY(it.space.visit_written(Sequence{number_of(entry) - 1}, entry,
                                     [&](const store::WrittenKey& key) {
                                       if (key.graph != store::GraphId::kDefault) return Status();
                                       keys.insert(key);
                                       entities.insert(key.subject);
                                       return Status();
                                     }));
  }
  const ChangedLines then = changed_lines(it.before, it.after, entities, &keys);
  entities.insert(it.work.concepts().begin(), it.work.concepts().end());
  entities.insert(it.work.links().begin(), it.work.links().end());
  const ChangedLines now = changed_lines(it.before, it.branch, entities, nullptr);
  report.statements = then.came.size() + then.went.size();
  tell_missing(report, then.came, now.came, "stated then, not now");
  tell_missing(report, now.came, then.came, "stated now, not then");
  tell_missing(report, then.went, now.went, "withdrawn then, not now");
  tell_missing(report, now.went, then.went, "withdrawn now, not then");
  return {};
}

// What was decided, as far as the record holds it: the first items of each kind.
void compare_phase(const PhaseRecord& then, const PhaseRecord& now, ReplayedCycle& report) {
  const std::string name = fmt::format("phase {}, {}", then.phase, phase_name(then.phase));
  if (then.changes != now.changes || then.left != now.left) {
    tell(report, name,
         fmt::format("{} changed and {} left alone then, {} and {} now", then.changes, then.left,
                     now.changes, now.left));
  }
  for (const bool changed : {true, false}) {
    std::vector<const Item*> kept, made;
    for (const Item& item : then.items)
      if (item.changed == changed) kept.push_back(&item);
    for (const Item& item : now.items)
      if (item.changed == changed) made.push_back(&item);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto text = [](const Item& item) {
        return fmt::format("{} {} ({})", item.what, item.about, item.reason);
      };
      const std::string was = text(*kept[i]), is = i < made.size() ? text(*made[i]) : "nothing";
      if (was != is) tell(report, name, fmt::format("then {}; now {}", was, is));
    }
  }
}

void compare_model(const ModelRecord& then, const ModelRecord& now, ReplayedCycle& report) {
  if (then.name.empty()) return;
  if (now.name.empty()) {
    tell(report, "the model", "its proposals were not played");
  } else if (then.failure != now.failure) {
    tell(report, "the model",
         now.failure.empty() ? "it failed then, and not now" : "now " + now.failure);
  } else if (then.proposed != now.proposed || then.taken != now.taken) {
    tell(report, "the model",
         fmt::format("{} of {} proposals taken then, {} of {} now", then.taken, then.proposed,
                     now.taken, now.proposed));
  }
}

}  // namespace

std::size_t changes_of(std::string_view author, std::string_view source) {
  store::EntryInfo entry;
  entry.author = author;
  entry.source = source;
  const auto parsed = parse_entry_source(entry);
  return parsed && parsed->phase != kLastPhase ? parsed->changes : 0;
}

CycleEntries entries_of(const Snapshot& now, const CycleRecord& record) {
  CycleEntries entries;
  for (const auto& [first, last] : record.entries) {
    if (!entries.own.empty()) {
      for (std::uint64_t at = number_of(entries.own.back()) + 1; at < number_of(first); ++at)
        entries.others += now.entry(Sequence{at}).source.starts_with(kCallSource) ? 0 : 1;
    }
    for (std::uint64_t at = number_of(first); at <= number_of(last); ++at) {
      entries.own.push_back(Sequence{at});
      const store::EntryInfo entry = now.entry(Sequence{at});
      entries.changes += changes_of(entry.author, entry.source);
    }
  }
  return entries;
}

Status compare(const Repetition& repetition, ReplayedCycle& report) {
  compare_model(report.record.model, report.repeated.model, report);
  // Of a cycle that was resumed the record has what came before the interruption as numbers alone.
  if (!report.record.resumed) {
    for (const PhaseRecord& then : report.record.phases) {
      const auto now = std::ranges::find(report.repeated.phases, then.phase, &PhaseRecord::phase);
      compare_phase(then, now == report.repeated.phases.end() ? PhaseRecord() : *now, report);
    }
  }
  return compare_statements(repetition, report);
}

}  // namespace anima::sleep::detail
