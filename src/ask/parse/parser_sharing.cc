// What two things have in common: "use the same zone as Ghana", "have the same section as vim".
#include "ask/parse/parser.h"

namespace anima::ask {

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
                         SetRef others = outer;
                         // A thing is not told to have the same as itself.
                         if (set->names.empty() && !other.set->names.empty()) {
                           Restriction itself, none;
                           itself.kind = Restriction::Kind::kNamed;
                           itself.names = other.set->names;
                           none.kind = Restriction::Kind::kNot;
                           none.parts.push_back(itself);
                           others = joins_.with(outer, none);
                         }
                         joined.emplace_back(std::move(others), price + near + far);
                       }
                     }
                   }
                   return joined;
                 });
    }
  }
}

}  // namespace anima::ask
