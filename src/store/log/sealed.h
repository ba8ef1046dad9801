// Sealing the payload of a log entry.
//
// On disk, never change: entities(varint) literals(varint) graphs(varint) || seal(key, operations).
// The bounds stay readable when the key is gone, so that ids are never reused. Thread-safety:
// functions without state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/keys/key_service.h"
#include "store/log.h"
#include "store/log/id_bounds.h"
#include "store/seal_state.h"

namespace anima::store::detail {

std::string seal_payload(const Finished& finished, const SealKey& key, Random& random);

struct OpenedPayload {
  SealState state = SealState::kOpen;  // else only the bounds can be read
  IdBounds bounds;                     // of a sealed payload
  std::string operations;
};
// What is sealed in the payload of an entry; lives as long as the entry. Errors: kCorrupt when the
// bounds before it are damaged.
Result<std::string_view> sealed_part(const LogEntry& entry, IdBounds* bounds = nullptr);
// A key that does not open what was sealed under its name is not the key: kSealed. Errors: kCorrupt
// when the bounds are damaged.
Result<OpenedPayload> open_payload(const LogEntry& entry, KeyService& keys);

// An erasure is an entry of its own: this source, and a record kAudit with the JSON
// {"erased":[seals]}. It names generations, so that replaying it never touches a key of the same
// name made later.
inline constexpr std::string_view kErasureSource = "anima erase";
// So is a redaction (redacted.h), which no key belongs to: it counts as the destruction of the seal
// "#forgotten/N", N its own number, so that whoever keeps views of the log treats them alike; that
// of a compaction is "#forgotten/N/U", U the last entry that it has cut. No key has such a name.
inline constexpr std::string_view kForgottenSeal = "#forgotten/";
std::string erasure_record(const std::vector<std::string>& seals);
// Of the seal of a compaction.
struct CompactedSeal {
  std::uint64_t entry = 0;  // that tells of it
  std::uint64_t until = 0;  // the oldest entry whose state can be read
};
std::optional<CompactedSeal> compacted_seal(std::string_view seal);
// Calls `visit` for each seal that the entry says is destroyed; costs one comparison for all
// others.
Status visit_erasures(const LogEntry& entry, const std::function<void(std::string)>& visit);

}  // namespace anima::store::detail
