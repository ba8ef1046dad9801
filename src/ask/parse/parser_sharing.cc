// What two things have in common: "use the same zone as Ghana", "have the same section as vim".
#include "ask/parse/parser.h"

namespace anima::ask {

// A thing is not told to have the same as itself; whether one that is named has, is asked of it.
SetRef Parser::without(const SetRef& set, const SetRef& other) const {
  if (!set->names.empty() || other->names.empty()) return set;
  Restriction itself, none;
  itself.kind = Restriction::Kind::kNamed;
  itself.names = other->names;
  none.kind = Restriction::Kind::kNot;
  none.parts.push_back(itself);
  return joins_.with(set, none);
}

// "use zones in Europe and zones in Asia": some of the one and some of the other.
void Parser::both_objects(const Noun& first, const Edge& edge, double cost, Mods& out) {
  const auto kind = [](const Phrase& phrase) {
    return phrase.quantity == Quantity::kSome && phrase.set->names.empty() &&
           !phrase.set->anything && !phrase.set->best && !phrase.set->restrictions.empty();
  };
  if (!kind(first.phrase)) return;
  for (const std::size_t next : after(first.end, WordClass::kAnd)) {
    for (const Noun& second : nouns(next)) {
      if (!kind(second.phrase)) continue;
      Mod mod;
      mod.end = second.end;
      mod.cost = cost + first.cost + second.cost + 0.1;
      mod.apply = [this, edge, first, second](const SetRef& set) {
        Joined joined;
        for (auto& [one, near] : joins_.relate(set, edge, first.phrase)) {
          for (auto& [both, far] : joins_.relate(one, edge, second.phrase))
            joined.emplace_back(both, near + far);
        }
        return joined;
      };
      out.push_back(std::move(mod));
    }
  }
}

// "both Spain and France": all of what is named, with a word that only says so.
void Parser::both_named(std::size_t at, Nouns& out) {
  for (const std::size_t end : after(at, WordClass::kBoth)) {
    for (Noun both : nouns(end)) {
      if (!both.phrase.each_name || both.phrase.set->names.size() != 2) continue;
      both.phrase.quantity = Quantity::kAll;
      out.push_back(std::move(both));
    }
  }
}

// "neither Spain nor France": none of what is named.
void Parser::neither(std::size_t at, Nouns& out) {
  const auto name = [](const Noun& noun) {
    return noun.phrase.quantity == Quantity::kSome && !noun.phrase.set->names.empty() &&
           noun.phrase.set->restrictions.empty() && !noun.phrase.set->best;
  };
  for (const std::size_t end : after(at, WordClass::kNeither)) {
    for (const Noun& first : nouns(end)) {
      if (!name(first)) continue;
      for (const std::size_t nor : after(first.end, WordClass::kNor)) {
        for (const Noun& second : nouns(nor)) {
          if (!name(second)) continue;
          Noun none = second;
          none.cost += first.cost;
          auto names = first.phrase.set->names;
          names.insert(names.end(), second.phrase.set->names.begin(),
                       second.phrase.set->names.end());
          none.phrase.set = joins_.of_things(names);
          none.phrase.quantity = Quantity::kNone;
          out.push_back(std::move(none));
        }
      }
    }
  }
}

void Parser::same_as(std::size_t at, const std::optional<Edge>& edge, double cost, Mods& out) {
  for (const std::size_t same : after(at, WordClass::kSame)) {
    const auto with_other = [&](std::size_t end, double so_far, const auto& apply) {
      for (const std::size_t as : after(end, WordClass::kAs)) {
        for (const Noun& other : nouns(as)) {
          if (other.phrase.quantity != Quantity::kSome || other.phrase.set->anything) continue;
          Mod mod;
          mod.end = other.end;
          mod.cost = cost + so_far + other.cost;
          mod.apply = [apply, other](const SetRef& set) { return apply(set, other.phrase); };
          out.push_back(std::move(mod));
        }
      }
    };
    if (!edge) {
      for (const Sense* sense : senses(same, Sense::Kind::kAttribute)) {
        with_other(sense->end, sense->cost, [this, sense](const SetRef& set, const Phrase& other) {
          Joined joined;
          SetRef equal = joins_.than(set, sense->attribute, Compare::kEqual, other.set);
          if (equal != nullptr) joined.emplace_back(without(equal, other.set), 0);
          return joined;
        });
      }
    }
    for (const Noun& shared : nouns(same)) {
      if (shared.phrase.quantity != Quantity::kSome || !shared.phrase.set->names.empty()) continue;
      with_other(shared.end, shared.cost,
                 [this, shared, edge](const SetRef& set, const Phrase& other) {
                   Joined joined;
                   std::vector<std::pair<Edge, double>> edges;
                   if (edge)
                     edges.emplace_back(*edge, 0);
                   else if (shared.phrase.through)
                     edges.emplace_back(*shared.phrase.through, 0);
                   else
                     edges = joins_.unnamed_edges(set->types, shared.phrase.set->types, "");
                   for (const auto& [step, price] : edges) {
                     const Edge back{step.predicate, !step.inverse, step.closure};
                     for (auto& [inner, near] : joins_.relate(shared.phrase.set, back, other)) {
                       for (auto& [outer, far] : joins_.relate(set, step, Phrase{inner})) {
                         joined.emplace_back(without(outer, other.set), price + near + far);
                       }
                     }
                   }
                   return joined;
                 });
    }
  }
}

}  // namespace anima::ask
