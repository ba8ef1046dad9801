// Small reads and writes of statements that the writers of what was told share. Thread-safety: that
// of the snapshot or the transaction. Errors: those of the space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/transaction.h"

namespace anima::agent::detail {

inline constexpr std::string_view kBeginOfLink = "valid_from", kEndOfLink = "valid_to",
                                  kNewerThanLink = "superseded_by";

bool is_link(const store::Triple& fact);
// Copied, so that a write may follow. O(n).
std::vector<std::uint32_t> objects_of(const store::Snapshot& now, store::EntityId subject,
                                      store::Predicate predicate);
bool stands_in(const store::Snapshot& now, const store::Triple& fact, store::GraphId graph);
// As `superseded_by` names it: "P:12".
std::string link_id(store::EntityId link);
// What metadata says of a link, in one graph; no texts: it goes there.
Status set_texts(store::Transaction& transaction, store::EntityId link, std::string_view key,
                 const std::vector<std::string>& texts, const store::AssertOptions& options);

}  // namespace anima::agent::detail
