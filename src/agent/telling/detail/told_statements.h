// Small reads of statements that the writers of what was told share. Thread-safety: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ask/ask.h"
#include "store/snapshot.h"

namespace anima::agent::detail {

inline constexpr std::string_view kBeginOfLink = "valid_from", kEndOfLink = "valid_to",
                                  kNewerThanLink = "superseded_by";

// "Ada's phone", "Ada works_at".
std::string fact_label(const store::Snapshot& now, const store::Triple& fact);
// Whether the memory of that id is kept.
bool is_remembered(const store::Snapshot& now, std::string_view memory);
bool is_link(const store::Triple& fact);
// As it stands in the space; nullopt: the space does not have its words.
std::optional<store::Triple> written_as(const store::Snapshot& now, const ask::Statement& said);
// Copied, so that a write may follow. O(n).
std::vector<std::uint32_t> objects_of(const store::Snapshot& now, store::EntityId subject,
                                      store::Predicate predicate);
bool stands_in(const store::Snapshot& now, const store::Triple& fact, store::GraphId graph);
// It is there, and is valid then.
bool holds(const store::Snapshot& now, const store::Triple& fact, Timestamp time);
// As `superseded_by` names it: "P:12".
std::string link_id(store::EntityId link);

}  // namespace anima::agent::detail
