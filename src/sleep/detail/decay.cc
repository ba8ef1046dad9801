// Phase 7: what nobody confirms is believed less and less.
//
// new = old * factor ^ whole weeks since the anchor: the last time that it was written, seen or
// faded. `decay_applied_at` becomes the anchor plus these weeks, so that doing it twice changes
// nothing and the result is the same however often it was done on the way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sleep/detail/phases.h"

namespace anima::sleep::detail {
namespace {

constexpr std::int64_t kWeek = 7 * kMicrosecondsPerDay;
constexpr Timestamp kNever{std::int64_t{4'000} * 365 * kMicrosecondsPerDay};
constexpr std::string_view kFade =
    "UPSERT { PROPOSITION { ({id: :subject}, :predicate, {id: :object}) } } WITH METADATA "
    "{confidence: :confidence, decay_applied_at: :at}";

// When the link was last said, seen or faded.
Timestamp anchor_of(const Reading& reading, EntityId link, const store::Assertion& assertion) {
  Timestamp latest{};
  for (const std::string_view key : {"created_at", "observed_at", "decay_applied_at"}) {
    const std::string text = reading.metadata_text(link, key);
    if (text.empty()) continue;
    if (const auto time = parse_timestamp(text)) latest = std::max(latest, *time);
  }
  return latest.microseconds != 0 ? latest : reading.snapshot().entry(assertion.born).time;
}

// Claims fade: no bookkeeping, no history, nothing about what is protected, nothing reviewed.
bool may_fade(const Reading& reading, EntityId link) {
  if (!reading.is_link(link)) return false;
  const store::Triple triple = reading.snapshot().triple_of(link);
  if (reading.is_bookkeeping(triple.predicate)) return false;
  if (reading.snapshot().kind(triple.subject) != store::EntityKind::kConcept ||
      !triple.object.is_entity() ||
      reading.snapshot().kind(triple.object.as_entity()) != store::EntityKind::kConcept)
    return false;
  if (reading.snapshot().type_of(triple.subject) == reading.event_type()) return false;
  if (reading.is_protected(triple.subject)) return false;
  if (reading.is_protected(triple.object.as_entity())) return false;
  if (!reading.metadata_text(link, "valid_to").empty()) return false;
  return !reading.is_reviewed(link);
}

// False when a bound is reached.
bool fade(Cycle& cycle, const Reading& reading, EntityId link) {
  if (!may_fade(reading, link)) return true;
  const auto assertions = reading.snapshot().assertions(reading.snapshot().triple_of(link));
  if (assertions.size() != 1 || assertions[0].graph != store::GraphId::kDefault) return true;
  const double old = reading.confidence(link);
  const double floor = cycle.policy().decay_floor;
  if (old <= floor) return true;
  const Timestamp anchor = anchor_of(reading, link, assertions[0]);
  const std::int64_t weeks =
      std::max<std::int64_t>(0, (cycle.time().microseconds - anchor.microseconds) / kWeek);
  const double faded = old * std::pow(cycle.policy().decay_factor, static_cast<double>(weeks));
  const double confidence = std::max(floor, faded);
  if (confidence > floor)
    cycle.fades_next =
        std::min(cycle.fades_next, Timestamp{anchor.microseconds + (weeks + 1) * kWeek});
  if (weeks < 1 || confidence >= old) return true;
  Action action{"faded",
                reading.title(link),
                fmt::format("{:.3f} to {:.3f}: {} weeks unconfirmed", old, confidence, weeks),
                {},
                reading.snapshot().entry(assertions[0].born).trust};
  const store::Triple triple = reading.snapshot().triple_of(link);
  action.statements.push_back(
      {kFade, Json::object({{"subject", reading.id(triple.subject)},
                            {"predicate", reading.snapshot().name(triple.predicate.as_link())},
                            {"object", reading.id(triple.object.as_entity())},
                            {"confidence", confidence},
                            {"at", format_timestamp({anchor.microseconds + weeks * kWeek})}})});
  return cycle.act(std::move(action));
}

}  // namespace

Status fade_confidence(Cycle& cycle) {
  if (cycle.policy().decay_factor >= 1.0) return {};
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  // Everything is looked at when something is due, at most once a day; else what changed.
  const bool all = cycle.work().is_everything() ||
                   (cycle.time() >= cycle.fades_next &&
                    cycle.time().microseconds - cycle.decayed.microseconds >= kMicrosecondsPerDay);
  if (!all) {
    for (const EntityId link : cycle.work().links()) {
      if (!fade(cycle, reading, link)) return {};
    }
    return {};
  }
  cycle.fades_next = kNever;
  for (std::uint32_t id = 1; id < reading.snapshot().entity_bound(); ++id) {
    const EntityId link{id};
    if (reading.snapshot().kind(link) != store::EntityKind::kProposition) continue;
    if (!fade(cycle, reading, link)) return {};
  }
  cycle.decayed = cycle.time();
  return {};
}

}  // namespace anima::sleep::detail
