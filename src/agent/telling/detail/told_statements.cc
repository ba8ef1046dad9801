#include "agent/telling/detail/told_statements.h"

#include <algorithm>

#include "store/holds.h"

namespace anima::agent::detail {

bool is_link(const store::Triple& fact) {
  return fact.predicate.predicate_class() == store::PredicateClass::kLink;
}

std::vector<std::uint32_t> objects_of(const store::Snapshot& now, store::EntityId subject,
                                      store::Predicate predicate) {
  store::Scratch scratch;
  const auto codes = now.objects(subject, predicate, scratch);
  return {codes.begin(), codes.end()};
}

bool stands_in(const store::Snapshot& now, const store::Triple& fact, store::GraphId graph) {
  return std::ranges::any_of(now.assertions(fact),
                             [&](const store::Assertion& one) { return one.graph == graph; });
}

bool holds(const store::Snapshot& now, const store::Triple& fact, Timestamp time) {
  return now.contains(fact) && store::is_valid(store::standing_of(now, fact), time, time);
}

std::string link_id(store::EntityId link) {
  return "P:" + std::to_string(static_cast<std::uint32_t>(link));
}

}  // namespace anima::agent::detail
