#include "sleep/detail/measure.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace anima::sleep::detail {
namespace {

constexpr std::int64_t kFewestInRange = 5, kMostInRange = 100;

void count_entity(const Reading& reading, EntityId entity, std::int64_t sign, Metrics* metrics) {
  if (reading.is_concept(entity)) {
    metrics->concepts += sign;
    if (reading.is_orphan(entity)) metrics->orphans += sign;
    if (reading.is_waiting_event(entity)) metrics->waiting_events += sign;
  } else if (reading.is_link(entity)) {
    metrics->links += sign;
    metrics->confidence_micros += sign * std::llround(reading.confidence(entity) * 1e6);
  }
}

// Adds a domain of the memory's own making or takes it away.
void count_domain(const Reading& reading, EntityId domain, std::int64_t sign, Metrics* metrics) {
  if (!reading.is_concept(domain) || reading.snapshot().type_of(domain) != reading.domain_type())
    return;
  if (reading.is_special_domain(domain)) return;
  const auto above = reading.domains_of(domain);
  if (std::find(above.begin(), above.end(), reading.archived()) != above.end()) return;
  const std::int64_t members = reading.members_of(domain);
  metrics->domains += sign;
  if (members >= kFewestInRange && members <= kMostInRange) metrics->domains_in_range += sign;
}

void count_domains(const Reading& reading, Metrics* metrics) {
  if (reading.domain_type() == EntityId::kNone) return;
  store::Scratch scratch;
  const auto codes = reading.snapshot().subjects(store::kTypePredicate,
                                                 Term::entity(reading.domain_type()), scratch);
  const std::vector<std::uint32_t> domains(codes.begin(), codes.end());
  for (const std::uint32_t code : domains) count_domain(reading, EntityId{code}, 1, metrics);
}

// A cycle leaves alone what a compartment states.
bool is_stale(const Reading& now, EntityId event, Timestamp cutoff) {
  return now.is_waiting_event(event) && !now.is_shared(event) &&
         now.began(event).microseconds < cutoff.microseconds;
}

}  // namespace

Metrics measure(const Reading& now) {
  Metrics metrics;
  metrics.sequence = now.snapshot().sequence();
  for (std::uint32_t id = 1; id < now.snapshot().entity_bound(); ++id)
    count_entity(now, EntityId{id}, 1, &metrics);
  count_domains(now, &metrics);
  metrics.unsorted = now.members_of(now.unsorted());
  return metrics;
}

Metrics measure_from(const Metrics& before, const Reading& then, const Reading& now,
                     const WorkSet& touched) {
  if (touched.is_everything()) return measure(now);
  Metrics metrics = before;
  metrics.sequence = now.snapshot().sequence();
  for (const std::set<EntityId>* set : {&touched.concepts(), &touched.links()}) {
    for (const EntityId entity : *set) {
      count_entity(then, entity, -1, &metrics);
      count_entity(now, entity, 1, &metrics);
    }
  }
  // A link into a domain touches the domain, too, so that the others are as they were.
  for (const EntityId entity : touched.concepts()) {
    count_domain(then, entity, -1, &metrics);
    count_domain(now, entity, 1, &metrics);
  }
  if (touched.concepts().contains(now.unsorted()))
    metrics.unsorted = now.members_of(now.unsorted());
  return metrics;
}

std::int64_t stale_among(const Reading& now, const WorkSet& work, std::span<const EntityId> young,
                         Timestamp cutoff) {
  std::set<EntityId> candidates(young.begin(), young.end());
  candidates.insert(work.concepts().begin(), work.concepts().end());
  return std::ranges::count_if(candidates,
                               [&](EntityId event) { return is_stale(now, event, cutoff); });
}

std::int64_t stale_of(const Reading& now, std::int64_t waiting, const WorkSet& work,
                      std::span<const EntityId> young, Timestamp cutoff) {
  std::set<EntityId> candidates(young.begin(), young.end());
  candidates.insert(work.concepts().begin(), work.concepts().end());
  const auto known = std::ranges::count_if(
      candidates, [&](EntityId event) { return now.is_waiting_event(event); });
  if (known >= waiting || now.event_type() == EntityId::kNone)
    return stale_among(now, work, young, cutoff);
  store::Scratch scratch;
  const auto events =
      now.snapshot().subjects(store::kTypePredicate, Term::entity(now.event_type()), scratch);
  const std::vector<std::uint32_t> all(events.begin(), events.end());
  return std::ranges::count_if(
      all, [&](std::uint32_t event) { return is_stale(now, EntityId{event}, cutoff); });
}

}  // namespace anima::sleep::detail
