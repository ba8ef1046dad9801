// Relations that are not named: "visits of Ada", "services per host".
#include <algorithm>

#include "ask/parse/joins.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

constexpr double kOtherPrepositionCost = 0.3;

}  // namespace

std::vector<std::pair<Edge, double>> Joins::unnamed_edges(const TypeSet& from, const TypeSet& to,
                                                          const std::string& preposition,
                                                          const SetExpr* target,
                                                          const SetExpr* source) const {
  std::vector<std::pair<Edge, double>> same, inside, verbs, nouns;
  const bool place = lexicon_.pack().contains_things(preposition);
  const bool loose = preposition.empty() || has_class(preposition, WordClass::kOf) ||
                     has_class(preposition, WordClass::kWith);
  const bool by = !loose && lexicon_.pack().is_by(preposition);
  for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
    const PredicateInfo& info = schema_.predicates[i];
    if (info.derived) continue;
    for (const bool inverse : {false, true}) {
      if (info.follow(from, inverse).both(to).empty()) continue;
      const Edge edge{static_cast<int>(i), inverse, false};
      if (target != nullptr && !recorded(*target, edge)) continue;
      if (!preposition.empty() && info.preposition == preposition && !inverse) {
        same.emplace_back(edge, 0);
      } else if (by && !inverse) {
        nouns.emplace_back(edge, 0);
      } else if (!place && !loose) {
        continue;  // this preposition means its own relation only
      } else if (info.contains) {
        inside.emplace_back(edge, 0);
      } else if (place) {
        if (info.follow(to, !inverse).both(from).both(to).empty())
          verbs.emplace_back(edge, kOtherPrepositionCost);
      } else if (info.words.size() == 1 && lexicon_.pack().is_base(info.words[0]) &&
                 info.preposition.empty()) {
        nouns.emplace_back(edge, 0);
      } else {
        verbs.emplace_back(edge, 0);
      }
    }
  }
  // "By Ada" says no more than that she did it: `doctor` beside `referred_by`.
  if (by && !same.empty()) std::swap(same, verbs);
  if (!same.empty() || (by && verbs.empty())) return same;
  if (!inside.empty()) {
    // "Letters of Norland": `delivered_in` says no more of it than `sent_from`.
    std::vector<std::pair<Edge, double>> alike = place ? decltype(verbs){} : verbs;
    std::erase_if(alike, [&](const auto& verb) {
      return std::ranges::none_of(
          inside, [&](const auto& one) { return lead_alike(verb.first, one.first, from, to); });
    });
    inside.insert(inside.end(), alike.begin(), alike.end());
    return inside;
  }
  // A verb goes before a noun, but not before one that leads to the same as it does: `lead` beside
  // `members`, `doctor` beside `referred_by`.
  for (const auto& noun : nouns) {
    if (verbs.empty() || std::ranges::any_of(verbs, [&](const auto& verb) {
          return lead_alike(verb.first, noun.first, from, to);
        }))
      same.push_back(noun);
  }
  verbs.insert(verbs.end(), same.begin(), same.end());
  const auto is_named = [&](const Edge& edge) {
    const SetExpr* said = edge.inverse ? source : target;
    return (said == nullptr || said->by_type || (said->names.empty() && !said->anything)) &&
           is_called_as(predicate(edge.predicate), edge.inverse ? from : to);
  };
  std::vector<std::pair<Edge, double>> meant;
  for (const auto& one : verbs) {
    const bool other_named = std::ranges::any_of(verbs, [&](const auto& other) {
      return is_named(other.first) && lead_alike(one.first, other.first, from, to);
    });
    if (is_named(one.first) || !other_named) meant.push_back(one);
  }
  return meant;
}

// In one direction, from these types to the same of those.
bool Joins::lead_alike(const Edge& a, const Edge& b, const TypeSet& from, const TypeSet& to) const {
  const auto ends = [&](const Edge& edge) {
    return predicate(edge.predicate).follow(from, edge.inverse).both(to);
  };
  return a.inverse == b.inverse && ends(a) == ends(b);
}

// `doctor`, where it leads to what is of the type Doctor.
bool Joins::is_called_as(const PredicateInfo& info, const TypeSet& types) const {
  if (info.words.size() != 1) return false;
  const std::string stem = lexicon_.pack().stem(info.words.front());
  const TypeSet ends = info.objects().both(types);
  return std::ranges::any_of(ends.ids(), [&](TypeId type) {
    return lexicon_.pack().stem(fold_case(schema_.types[type].name)) == stem;
  });
}

Joined Joins::relate_unnamed(const SetRef& set, const Phrase& target,
                             const std::string& preposition) const {
  const bool own = !preposition.empty() && !lexicon_.pack().contains_things(preposition) &&
                   !has_class(preposition, WordClass::kOf) &&
                   !has_class(preposition, WordClass::kWith);
  // "Greta as manager" is no Greta whose manager is one.
  if (target.through) {
    const SetRef rows = own ? nullptr : rows_of_role(set, target);
    return rows == nullptr ? Joined{} : relate(rows, *target.through, target);
  }
  Joined result, by_rows;
  const auto edges =
      unnamed_edges(set->types, target.set->types, preposition, target.set.get(), set.get());
  // "Which class has maths": lessons that have both say so, and not the subject of its teacher.
  const bool of_value = preposition.empty() && target.set->by_value;
  for (const auto& [edge, cost] : edges) {
    for (auto& [joined, more] : relate(set, edge, target))
      (of_value && edge.inverse ? by_rows : result).emplace_back(joined, cost + more);
  }
  if (!by_rows.empty()) return by_rows;
  if (!result.empty() || target.set->anything || set->anything || own) return result;
  return chained(set, target, preposition.empty());
}

// "Harvests with a foreman in 2025": what is said of the row that he is one in is said of them.
SetRef Joins::rows_of_role(const SetRef& set, const Phrase& role) const {
  SetRef rows = set;
  for (const Restriction& one : role.set->restrictions) {
    const bool is_of_role = one.kind == Restriction::Kind::kRelation &&
                            one.edge.predicate == role.through->predicate && one.target->anything &&
                            !one.target->restrictions.empty();
    if (is_of_role && rows != nullptr) rows = within(rows, one.target);
  }
  return rows;
}

Joined Joins::led_to_by(const SetRef& set, const SetRef& rows) const {
  Joined result;
  for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
    const PredicateInfo& info = schema_.predicates[i];
    if (info.derived || !info.functional || !is_called_as(info, set->types)) continue;
    for (auto& [joined, cost] : relate(set, Edge{static_cast<int>(i), true, false}, Phrase{rows}))
      result.emplace_back(joined, cost + kChainCost);
  }
  return result;
}

// Two steps: the second through a container, or both through one type of things that happen.
// `had`: nothing says more than that it has the target, so what happens goes before what is linked.
Joined Joins::chained(const SetRef& set, const Phrase& target, bool had) const {
  Joined nested, inside, other, by_rows;
  if (target.quantity != Quantity::kSome) return nested;
  for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
    for (const bool inverse : {false, true}) {
      const PredicateInfo& first = schema_.predicates[i];
      if (first.derived) continue;
      const TypeSet middle = first.follow(set->types, inverse);
      if (middle.empty()) continue;
      for (std::size_t j = 0; j < schema_.predicates.size(); ++j) {
        for (const bool back : {false, true}) {
          const PredicateInfo& second = schema_.predicates[j];
          if (second.derived || (i == j && back != inverse)) continue;
          if (second.follow(middle, back).both(target.set->types).empty()) continue;
          // Through what both belong to says nothing of either.
          if (!inverse && back && !second.contains) continue;
          const Edge edge{static_cast<int>(j), back, false};
          if (!recorded(*target.set, edge)) continue;
          for (auto& [inner, cost] : relate(of_types(middle), edge, target)) {
            for (auto& [outer, more] :
                 relate(set, Edge{static_cast<int>(i), inverse, false}, Phrase{inner})) {
              const bool contained = second.contains && !back;
              (contained && first.contains && !inverse ? nested
               : contained                             ? inside
               : had && inverse && !back               ? by_rows
                                                       : other)
                  .emplace_back(outer, cost + more + kChainCost);
            }
          }
        }
      }
    }
  }
  if (!nested.empty()) return nested;
  if (!inside.empty()) return inside;
  return !by_rows.empty() ? by_rows : other;
}

}  // namespace anima::ask
