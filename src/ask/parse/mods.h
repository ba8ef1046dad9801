// What the files that read verb phrases share: results of one set, and lists put together.
// Thread-safety: pure functions.
#pragma once

#include <utility>

#include "ask/parse/parser.h"

namespace anima::ask {

// Of what is said of nothing that is named.
inline constexpr double kLooseCost = 0.2;

// No result when there is no set.
inline Joined single(SetRef set) {
  Joined joined;
  if (set != nullptr) joined.emplace_back(std::move(set), 0);
  return joined;
}

// `more` behind `out`, each dearer by `cost`.
template <typename List>
void append(List& out, const List& more, double cost = 0) {
  for (auto one : more) {
    one.cost += cost;
    out.push_back(std::move(one));
  }
}

// What both say of a thing, or one of them.
Mod both_or_either(const Mod& first, const Mod& second, bool all);

}  // namespace anima::ask
