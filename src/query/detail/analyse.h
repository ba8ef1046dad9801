// What a node's rows are known to hold before they are made.
#pragma once

#include "query/detail/match.h"

namespace anima::query::detail {

SlotSet set_of(const std::vector<Slot>& slots);
SlotSet slots_of_match(const Node& node);
SlotSet slots_of_path(const PathPattern& path);

// Slots that a node binds, given what its seed rows bind.
Bound analyse(const Node& node, const Bound& in);

// Whether no two rows of the node agree in all of `keys`. Statements are a set, so a match that
// keeps every slot is one; what an entity has one of (its type, its name) tells no rows apart.
bool is_set(const Node& node, const SlotSet& keys);

}  // namespace anima::query::detail
