// Relations through rows: roles of the row itself ("led by the owner of the dog"), and verbs of
// roles that are said of what the rows are about ("(boats) that Tess drove").
#include <algorithm>

#include "ask/parse/columns/persons.h"
#include "ask/parse/joins.h"

namespace anima::ask {

// The columns of `from` that lead to one thing of these types each; of several the one that is
// called as the type.
std::vector<Edge> Joins::steps_to(const TypeSet& from, const TypeSet& to) const {
  std::vector<Edge> all, named;
  for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
    const PredicateInfo& info = schema_.predicates[i];
    if (info.derived || !info.functional || info.follow(from, false).both(to).empty()) continue;
    all.push_back(Edge{static_cast<int>(i), false, false});
    if (is_called_as(info, to)) named.push_back(all.back());
  }
  return named.empty() ? all : named;
}

// "Led by the owner": the owner of the one thing of the row that has one. Where the row has two
// such things, or none, nothing says whose.
Joined Joins::relate_own(const SetRef& set, const Edge& edge, const Phrase& target) const {
  if (target.quantity != Quantity::kSome || edge.closure) return {};
  const OwnRole& own = *target.own;
  const auto ends = [&](const Edge& step) {
    const PredicateInfo& info = predicate(step.predicate);
    return step.inverse ? info.objects() : info.subjects();
  };
  TypeSet first = own.roles.empty() ? own.of : ends(own.roles.front());
  if (!own.roles.empty() && !own.of.empty()) first = first.both(own.of);
  const SetRef from = narrowed(set, follow(edge, target.set->types, true));
  if (from == nullptr || first.empty()) return {};
  Restriction same;
  same.kind = Restriction::Kind::kSame;
  same.edge = edge;
  const bool itself = !own.roles.empty() && !from->types.both(first).empty();
  if (!itself) {
    const std::vector<Edge> steps = steps_to(from->types, first);
    if (steps.size() != 1) return {};
    same.path.push_back(steps.front());
  }
  same.path.insert(same.path.end(), own.roles.begin(), own.roles.end());
  // "Visits of the doctor": that the row's doctor is its doctor says nothing.
  if (same.path.size() == 1 && same.path.front() == edge) return {};
  for (const Edge& step : same.path) {
    if (!predicate(step.predicate).functional || step.inverse) return {};
  }
  return {{with(from, std::move(same)), 0}};
}

bool Joins::happens(const TypeSet& types) const {
  return !types.empty() && std::ranges::all_of(types.ids(), [&](TypeId type) {
    const TypeSet one = TypeSet::of(type);
    const bool day = std::ranges::any_of(date_attributes(one), [&](int attribute) {
      const auto& counts = schema_.attributes[static_cast<std::size_t>(attribute)].types;
      return counts.contains(type) && counts.at(type).days > 0;
    });
    return day && personhood(lexicon_, type) == Personhood::kNo;
  });
}

Joined Joins::rows_with(const TypeSet& rows, const Phrase& target, int except) const {
  Joined result;
  for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
    const PredicateInfo& info = schema_.predicates[i];
    if (info.derived || !info.functional || static_cast<int>(i) == except ||
        !is_called_as(info, target.set->types))
      continue;
    for (auto& [joined, cost] :
         relate(of_types(rows), Edge{static_cast<int>(i), false, false}, target))
      result.emplace_back(joined, cost + kChainCost);
  }
  return result;
}

// "(Boats) that Tess and Olav drove": in some row the one, and in some the other.
Joined Joins::each_said(const SetRef& set, const Edge& edge, const Phrase& target) const {
  Joined all{{set, 0}};
  for (const store::EntityId name : target.set->names) {
    Phrase one = target;
    one.each_name = false;
    one.set = of_things({name});
    Joined next;
    for (auto& [some, cost] : all) {
      for (auto& [both, more] : relate_said(some, edge, one)) next.emplace_back(both, cost + more);
    }
    all = std::move(next);
  }
  return all;
}

// What nobody did is what is in no row that somebody did.
Joined Joins::relate_said(const SetRef& set, const Edge& edge, const Phrase& target) const {
  Joined direct = relate(set, edge, target);
  if (!direct.empty() || edge.closure || set->best) return direct;
  const bool some = target.quantity == Quantity::kSome;
  if (!some && target.quantity != Quantity::kNone) return direct;
  if (target.each_name) return each_said(set, edge, target);
  const PredicateInfo& info = predicate(edge.predicate);
  if (info.derived || !info.functional || !happens(info.subjects())) return direct;
  Phrase phrase = target;
  phrase.quantity = Quantity::kSome;
  Joined result;
  if (edge.inverse) {
    for (auto& [rows, cost] : rows_with(info.subjects(), phrase, edge.predicate)) {
      for (auto& [joined, more] : relate(set, edge, Phrase{rows}))
        result.emplace_back(joined, cost + more);
    }
  } else if (!set->anything && !is_called_as(info, set->types)) {
    for (auto& [rows, cost] : relate(of_types(info.subjects()), edge, phrase)) {
      for (auto& [joined, more] : led_to_by(set, rows)) result.emplace_back(joined, cost + more);
    }
  }
  if (some) return result;
  Joined none;
  for (auto& [joined, cost] : result) {
    if (SetRef others = complement(set, joined)) none.emplace_back(std::move(others), cost);
  }
  return none;
}

}  // namespace anima::ask
