#include "agent/telling/detail/told_moves.h"

#include <map>
#include <set>
#include <vector>

#include "agent/telling/detail/timeline.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/told_times.h"
#include "agent/telling/detail/value_timeline.h"
#include "agent/telling/told_facts.h"
#include "store/past_links.h"

namespace anima::agent::detail {

using store::GraphId;
using store::Sequence;
using store::Snapshot;
using store::Triple;

namespace {

// What somebody withdrew otherwise: it is kept that he did, and what is left is laid out.
class Withdrawal {
 public:
  Withdrawal(store::Transaction& transaction, const Snapshot& before, GraphId graph)
      : transaction_(transaction), before_(before), graph_(graph) {}

  Status run(const Triple& gone) {
    if (is_link(gone)) return withdraw(gone);
    if (gone.predicate != store::kTypePredicate) return withdraw_values(gone);
    // Also of what did not hold, and does not come to with the rest, and of what an undo took away,
    // and another one brings back.
    for (const Triple& link : store::links_ever(before_, gone.subject))
      if (was_told_of(before_, link)) ANIMA_TRY(keep(link));
    for (const store::Predicate one : attributes_ever_told(before_, gone.subject))
      ANIMA_TRY(withdraw_values({gone.subject, one, store::Term{}}));
    return {};
  }

 private:
  Status withdraw_values(const Triple& gone) {
    return was_told_of(before_, gone) ? keep(gone) : Status();
  }
  Status withdraw(const Triple& link) {
    if (!was_told_of(before_, link)) return {};
    ANIMA_TRY(keep(link));
    ToldPlace was{{}, store::Trust::kSystem, {}, {}, before_};
    was.told.graph = graph_;
    KnownBefore known;
    Timeline(before_, link, was).add_to(known);
    const Snapshot left = transaction_.view();
    ToldPlace place{{}, store::Trust::kSystem, {}, left.entry(left.sequence()).time, left};
    place.told.graph = graph_;
    return Timeline(transaction_, link, place, &known)
        .write(place.now)
        .map([](const std::vector<Triple>&) {});
  }
  Status keep(const Triple& gone) {
    const store::EntryInfo entry = transaction_.live().entry(transaction_.live().sequence());
    ToldTime time{.fact = gone, .ends = true, .told = entry.time};
    time.withdraws = true;
    time.word.entry = entry.sequence;
    return keep_told_time(transaction_, time, graph_);
  }

  store::Transaction& transaction_;
  const Snapshot& before_;
  const GraphId graph_;
};

// What was told of two things that are one now is as if it had been told of that one.
class Merged {
 public:
  Merged(store::Transaction& transaction, const Snapshot& before, GraphId graph)
      : transaction_(transaction), before_(before) {
    was_.told.graph = graph;
  }

  Status run(std::span<const store::MovedStatement> moved) {
    std::set<Triple> links;
    for (const store::MovedStatement& one : moved) {
      if (!one.is) continue;
      if (!is_link(one.was)) {
        ANIMA_TRY(run(one.was.subject, one.is->subject));
        continue;
      }
      now_.emplace(one.was, *one.is);
      if (!told_times(transaction_.live(), *one.is).empty()) links.insert(*one.is);
    }
    for (const auto& [was, is] : now_) {
      if (!links.contains(is)) continue;
      find_known(was);
      find_known(is);
    }
    while (!links.empty()) {
      const Triple link = *links.begin();
      for (const Triple& one : rivals_of(transaction_.live(), link)) links.erase(one);
      const Snapshot left = transaction_.view();
      ToldPlace is{was_.told, was_.trust, {}, was_.now, left};
      ANIMA_TRY(Timeline(transaction_, link, is, &known_)
                    .write(is.now)
                    .map([](const std::vector<Triple>&) {}));
    }
    return {};
  }

 private:
  // What is stated of one that is no more is all told where all that it is made of was.
  void find_known(const Triple& link) {
    KnownBefore before;
    Timeline(before_, link, was_).add_to(before);
    for (const Triple& one : before.stated) {
      const auto moved = now_.find(one);
      const Triple& is = moved == now_.end() ? one : moved->second;
      known_.stated.insert(is);
      if (!before.told.contains(one)) others_.insert(is);
    }
    for (const Triple& one : known_.stated)
      if (!others_.contains(one)) known_.told.insert(one);
    for (const Triple& one : others_) known_.told.erase(one);
  }

  // Of what KIP states of both who merges chooses what stays.
  Status run(store::EntityId from, store::EntityId to) {
    std::set<store::Predicate> attributes;
    for (const ToldTime& one : told_values_of(transaction_.live(), to))
      attributes.insert(one.fact.predicate);
    for (const store::Predicate one : attributes) {
      if (ValueTimeline(before_, from, one, was_).is_changed() ||
          ValueTimeline(before_, to, one, was_).is_changed())
        continue;
      ValueTimeline timeline(transaction_, to, one, was_, true);
      ANIMA_TRY(timeline.write());
    }
    return {};
  }

  store::Transaction& transaction_;
  const Snapshot& before_;
  std::map<Triple, Triple> now_;
  std::set<Triple> others_;
  KnownBefore known_;
  ToldPlace was_{{}, store::Trust::kSystem, {}, before_.entry(before_.sequence()).time, before_};
};

}  // namespace

Status lay_out_moved(store::Transaction& transaction,
                     std::span<const store::MovedStatement> moved) {
  const auto graph = transaction.live().find_graph(kToldGraph);
  if (!graph) return {};
  const auto entry = static_cast<std::uint64_t>(transaction.live().sequence());
  ANIMA_ASSIGN(const Snapshot before, transaction.live().as_of(Sequence{entry - 1}));
  Withdrawal withdrawal(transaction, before, *graph);
  for (const store::MovedStatement& one : moved)
    if (!one.is) ANIMA_TRY(withdrawal.run(one.was));
  return Merged(transaction, before, *graph).run(moved);
}

}  // namespace anima::agent::detail
