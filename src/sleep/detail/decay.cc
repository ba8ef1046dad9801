// Phase 7: what nobody confirms is believed less and less.
//
// new = old * factor ^ whole weeks since the anchor: the last time that it was written, seen or
// faded. `decay_applied_at` becomes the anchor plus these weeks, so that doing it twice changes
// nothing and the result is the same however often it was done on the way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>

#include "sleep/detail/phases.h"
#include "store/fading.h"

namespace anima::sleep::detail {
namespace {

constexpr std::int64_t kWeek = 7 * kMicrosecondsPerDay;
constexpr std::string_view kFade =
    "UPSERT { PROPOSITION { ({id: :subject}, :predicate, {id: :object}) } } WITH METADATA "
    "{confidence: :confidence, decay_applied_at: :at}";

EntityId next(EntityId id) { return EntityId{static_cast<std::uint32_t>(id) + 1}; }

// Claims fade: no bookkeeping, no history, nothing reviewed.
bool is_claim(const Reading& reading, EntityId link) {
  if (!reading.is_link(link)) return false;
  const store::Triple triple = reading.snapshot().triple_of(link);
  if (reading.is_bookkeeping(triple.predicate)) return false;
  if (reading.snapshot().kind(triple.subject) != store::EntityKind::kConcept ||
      !triple.object.is_entity() ||
      reading.snapshot().kind(triple.object.as_entity()) != store::EntityKind::kConcept)
    return false;
  if (reading.snapshot().type_of(triple.subject) == reading.event_type()) return false;
  if (!reading.metadata_text(link, "valid_to").empty()) return false;
  return !reading.is_reviewed(link);
}

// Sleep leaves it alone for something that can change while nobody writes the link itself.
bool is_left_alone(const Reading& reading, const store::Triple& triple,
                   std::span<const store::Assertion> assertions) {
  if (reading.is_protected(triple.subject)) return true;
  if (reading.is_protected(triple.object.as_entity())) return true;
  return !store::may_fade(assertions);
}

// Fades one link, and notes when it is due again. False when a bound is reached.
bool fade(Cycle& cycle, const Reading& reading, EntityId link, FadingCalendar* calendar) {
  if (!is_claim(reading, link)) return true;
  const double old = reading.confidence(link);
  const double floor = cycle.policy().decay_floor;
  if (old <= floor) return true;
  const store::Triple triple = reading.snapshot().triple_of(link);
  const auto assertions = reading.snapshot().assertions(triple);
  const Timestamp in_a_week{cycle.time().microseconds + kWeek};
  if (is_left_alone(reading, triple, assertions)) {
    calendar->add(link, in_a_week);
    return true;
  }
  const Timestamp anchor = store::fading_anchor(reading.snapshot(), link);
  const std::int64_t weeks =
      std::max<std::int64_t>(0, (cycle.time().microseconds - anchor.microseconds) / kWeek);
  const double faded = old * std::pow(cycle.policy().decay_factor, static_cast<double>(weeks));
  const double confidence = std::max(floor, faded);
  if (confidence > floor)
    calendar->add(link, std::min(in_a_week, {anchor.microseconds + (weeks + 1) * kWeek}));
  if (weeks < 1 || confidence >= old) return true;
  Action action{"faded",
                reading.title(link),
                fmt::format("{:.3f} to {:.3f}: {} weeks unconfirmed", old, confidence, weeks),
                {},
                reading.snapshot().entry(assertions[0].born).trust};
  action.statements.push_back(
      {kFade, Json::object({{"subject", reading.id(triple.subject)},
                            {"predicate", reading.snapshot().name(triple.predicate.as_link())},
                            {"object", reading.id(triple.object.as_entity())},
                            {"confidence", confidence},
                            {"at", format_timestamp({anchor.microseconds + weeks * kWeek})}})});
  return cycle.act(std::move(action));
}

// What a cycle looks at.
struct Due {
  std::vector<FadingCalendar::Range> ranges;  // ascending, disjoint
  std::set<EntityId> taken_back;              // fadings that somebody undid, and nothing since
};

std::vector<FadingCalendar::Range> with_links(std::span<const FadingCalendar::Range> ranges,
                                              const std::set<EntityId>& links) {
  std::vector<FadingCalendar::Range> all;
  auto link = links.begin();
  for (const FadingCalendar::Range& range : ranges) {
    for (; link != links.end() && *link < range.first; ++link) all.emplace_back(*link, *link);
    all.push_back(range);
    while (link != links.end() && *link <= range.second) ++link;
  }
  for (; link != links.end(); ++link) all.emplace_back(*link, *link);
  return all;
}

// Those that are due, and the links that were written since the last cycle; all where nobody knows.
Result<Due> to_look_at(Cycle& cycle, const Reading& reading, FadingCalendar* calendar) {
  const FadingCalendar::Range all{EntityId{1}, EntityId{reading.snapshot().entity_bound() - 1}};
  const double floor = cycle.policy().decay_floor;
  const bool known = !cycle.work().is_everything() && calendar->is_known_for(floor);
  ANIMA_ASSIGN(const WorkSet written, known ? cycle.written() : WorkSet::nothing());
  if (!known || written.is_everything()) {
    *calendar = FadingCalendar(floor);
    return Due{{all}, {}};
  }
  ANIMA_ASSIGN(const WorkSet taken_back, cycle.taken_back());
  Due due;
  std::ranges::set_difference(taken_back.links(), cycle.work().links(),
                              std::inserter(due.taken_back, due.taken_back.end()));
  due.ranges = with_links(calendar->take_due(cycle.time()), written.links());
  due.ranges = with_links(due.ranges, due.taken_back);
  return due;
}

}  // namespace

Status fade_confidence(Cycle& cycle) {
  if (cycle.policy().decay_factor >= 1.0) {
    cycle.fading = FadingCalendar();  // what is written now is not noted
    return {};
  }
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  FadingCalendar calendar = cycle.fading;
  ANIMA_ASSIGN(const Due due, to_look_at(cycle, reading, &calendar));
  for (const auto& [first, last] : due.ranges) {
    for (EntityId link = first; link <= last; link = next(link)) {
      if (reading.snapshot().kind(link) != store::EntityKind::kProposition) continue;
      if (due.taken_back.contains(link)) {
        calendar.add(link, {cycle.time().microseconds + kWeek});
      } else if (!fade(cycle, reading, link, &calendar)) {
        return {};  // the calendar stays as it was
      }
    }
  }
  calendar.settle();
  cycle.fading = std::move(calendar);
  return {};
}

}  // namespace anima::sleep::detail
