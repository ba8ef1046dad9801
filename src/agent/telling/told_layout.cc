#include "agent/telling/told_layout.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/telling/detail/timeline.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/value_timeline.h"
#include "agent/telling/told_facts.h"
#include "store/holds.h"
#include "store/statements.h"

namespace anima::agent {

using store::Snapshot;
using store::Triple;

struct ToldLayout::Told {
  std::set<Triple> links;  // one of those that are laid out together
  std::set<std::pair<store::EntityId, store::Predicate>> values;
  detail::KnownBefore known;
};

namespace {

// The links, and the attributes of things, that there are records of.
void each_told(const Snapshot& now, std::set<Triple>& links,
               std::set<std::pair<store::EntityId, store::Predicate>>& values) {
  const Snapshot all = now.with_books();
  for (const store::Predicate key : all.predicates(store::PredicateClass::kMetadata)) {
    if (!all.value(key.key()).text.starts_with(detail::kToldTimes)) continue;
    store::Pattern pattern;
    pattern.predicate = key;
    store::each_statement(all, pattern, [&](const Triple& row) {
      if (all.kind(row.subject) == store::EntityKind::kProposition) {
        links.insert(all.triple_of(row.subject));
        return;
      }
      for (const store::Predicate one : detail::attributes_of_record(all, row.subject, key))
        values.emplace(row.subject, one);
    });
  }
}

// When a link held that nobody states any more, as others' texts had it.
Status drop_times(store::Transaction& transaction, const Triple& link, store::GraphId graph) {
  const Snapshot now = transaction.view();
  const auto gone = now.known_proposition(link);
  if (!gone || now.contains(link)) return {};
  std::vector<Triple> times;
  for (const std::string_view name : store::kTimesOfAStatement) {
    const auto key = now.find_string(name);
    if (!key) continue;
    const auto predicate = store::Predicate::metadata(*key);
    for (const std::uint32_t code : detail::objects_of(now, *gone, predicate))
      times.push_back({*gone, predicate, store::Term{code}});
  }
  for (const Triple& time : times) ANIMA_TRY(transaction.retract(time, graph).map([](bool) {}));
  return {};
}

}  // namespace

ToldLayout::ToldLayout(const Snapshot& state) {
  auto told = std::make_unique<Told>();
  const Snapshot now = state.with_books();
  const auto graph = now.find_graph(kToldGraph);
  std::set<Triple> links;
  std::set<std::pair<store::EntityId, store::Predicate>> values;
  if (graph) each_told(now, links, values);
  detail::ToldPlace place{{}, store::Trust::kSystem, {}, {}, now};
  if (graph) place.told.graph = *graph;
  while (!links.empty()) {
    const Triple link = *links.begin();
    told->links.insert(link);
    detail::Timeline(now, link, place).add_to(told->known);
    for (const Triple& one : detail::rivals_of(now, link)) links.erase(one);
  }
  for (const auto& [thing, attribute] : values) {
    if (!detail::ValueTimeline(now, thing, attribute, place).is_changed())
      told->values.emplace(thing, attribute);
  }
  told_ = std::move(told);
}

ToldLayout::~ToldLayout() = default;

Status ToldLayout::lay_out_again(store::Space& space, const store::Origin& by) const {
  if (told_->links.empty() && told_->values.empty()) return {};
  const auto lay_out = [&](store::Transaction& transaction) -> Status {
    const store::GraphId graph = transaction.graph(kToldGraph);
    const Snapshot before = transaction.view();
    const Timestamp now = before.entry(before.sequence()).time;
    for (const Triple& link : told_->links) {
      const Snapshot left = transaction.view();
      detail::ToldPlace place{{}, store::Trust::kSystem, {}, now, left};
      place.told.graph = graph;
      detail::Timeline timeline(transaction, link, place, &told_->known);
      ANIMA_TRY(timeline.write(now).map([](const std::vector<Triple>&) {}));
      for (const Triple& rival : detail::rivals_of(transaction.live(), link))
        ANIMA_TRY(drop_times(transaction, rival, graph));
    }
    detail::ToldPlace place{{}, store::Trust::kSystem, {}, now, before};
    place.told.graph = graph;
    for (const auto& [thing, attribute] : told_->values) {
      detail::ValueTimeline timeline(transaction, thing, attribute, place, true);
      ANIMA_TRY(timeline.write());
    }
    return {};
  };
  return space.write(by, lay_out).map([](const store::Receipt&) {});
}

}  // namespace anima::agent
