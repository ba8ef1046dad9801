// What a model may propose, and the checks that each proposal passes before it is taken: those of
// the phase itself, and that nothing reviewed, protected or trusted more is touched.
//
// * Domains: for what lies in Unsorted after phases 3 and 4, one of the domains that are there.
// * Facts: what an old event states that no form finds, in words that stand in it, about things
// that
//   are known, with a predicate that is in use.
// * Contradictions: which of two statements with one subject and predicate cannot both hold; which
//   of them is the newer is not the model's to say.
// * Merges: pairs that are perhaps the same, when nothing speaks against it.
// A model names numbers of what it was shown: it cannot point at anything else. A proposal that
// fails a check is listed with the reason. Thread-safety: one thread.
#pragma once

#include <string_view>
#include <vector>

#include "sleep/detail/consolidation.h"

namespace anima::sleep::detail {

// Items of the record whose reasons hold a model's or a server's own words: these stay out of the
// knowledge, which would trust them as the system's.
inline constexpr std::string_view kNotTaken = "proposal not taken";
inline constexpr std::string_view kSaidSame = "the same, a model says";
inline constexpr std::string_view kWithoutModel = "without the model";

// After phase 4, 5 or 6; nothing for the others, and nothing without a model.
Status ask_for_proposals(Cycle& cycle, int phase);

// Within phase 5, before the events are consolidated.
void add_proposed_facts(Cycle& cycle, const Reading& reading, Consolidation& consolidation,
                        const std::vector<EntityId>& events);

}  // namespace anima::sleep::detail
