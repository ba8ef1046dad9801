#include "agent/telling/detail/told_statements.h"

#include <algorithm>

#include "memory/memory_manager.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/symbols.h"

namespace anima::agent::detail {

std::string fact_label(const store::Snapshot& now, const store::Triple& fact) {
  const std::string word = store::predicate_label(now, fact.predicate);
  const std::string name(now.name(fact.subject));
  return is_link(fact) ? name + " " + word : name + "'s " + word;
}

bool is_remembered(const store::Snapshot& now, std::string_view memory) {
  const store::Snapshot items = store::in_graph(now, memory::kMemoryGraph);
  const auto type = items.find_type(memory::kItemType);
  return type && items.find_concept(*type, memory);
}

bool is_link(const store::Triple& fact) {
  return fact.predicate.predicate_class() == store::PredicateClass::kLink;
}

std::optional<store::Triple> written_as(const store::Snapshot& now, const ask::Statement& said) {
  if (said.is_link()) {
    if (said.object == store::EntityId::kNone) return std::nullopt;
    return store::Triple{said.subject, said.predicate, store::Term::entity(said.object)};
  }
  const auto key = now.find_string(said.key);
  const auto value = now.find(said.value.view());
  if (!key || !value) return std::nullopt;
  return store::Triple{said.subject, store::Predicate::attribute(*key), *value};
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
