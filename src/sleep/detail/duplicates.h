// Merging what is surely one thing. Thread-safety: one thread.
#pragma once

#include <string_view>

#include "sleep/detail/duplicate_finder.h"

namespace anima::sleep::detail {

// One action that merges the others into the best connected, as KIP's MERGE does; its `merged_from`
// keeps what the others were. Requires at least two members of one type, none of them protected.
Result<Action> merge_action(Cycle& cycle, const Reading& reading, std::vector<EntityId> members,
                            std::string reason);

// Why the things of these pairs are one: of several pairs each with its own reason.
std::string reason_of_merge(const Reading& reading, const std::vector<const Pair*>& pairs);

// Why a pair that somebody made two again is left alone.
inline constexpr std::string_view kParted =
    "they were one already, and somebody took that back; `anima sleep merge` makes them one";

// Why concepts that are the same are not merged after all; empty when nothing speaks against it.
std::string objection_to_merge(const Reading& reading, DuplicateFinder& finder,
                               const std::vector<EntityId>& members);

}  // namespace anima::sleep::detail
