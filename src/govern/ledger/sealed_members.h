// Contents of records that can be erased: members of a JSON object that lie in the log under a key
// of the space (`seal`, `sealed`), so that destroying the key destroys them and every proof over
// the log still verifies, for it is over the sealed bytes. On disk: docs/formats.md. Thread-safety:
// that of the space.
#pragma once

#include <span>
#include <string_view>

#include "base/json/json.h"
#include "base/result.h"
#include "store/space.h"

namespace anima::govern {

// Under which `anima erase audit` finds what was asked, why, and what came of it.
inline constexpr std::string_view kAuditKey = "audit";
// Of an event of an approval.
inline constexpr std::string_view kSealedOfApprovals[] = {"arguments", "evidence", "values",
                                                          "reason"};
// Of the details of an audit entry that tells of a call or an approval.
inline constexpr std::string_view kSealedOfAudits[] = {"arguments", "output",   "changes", "reason",
                                                       "error",     "evidence", "missing"};

// Moves those of the members that are there under the key, which is made when it is new. Errors:
// those of Space::seal().
Status seal_members(store::Space& space, std::string_view key,
                    std::span<const std::string_view> names, Json& object);
// Puts back what was moved. What is erased, or whose key is not here, stays away: members `seal`
// and `sealed` are left then, else not. Errors: kCorrupt (the bytes are not what was sealed).
Status unseal_members(store::Space& space, Json& object);

}  // namespace anima::govern
