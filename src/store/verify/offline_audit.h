// Audit without the space: what `anima audit export`, `prove` and `checkpoint` wrote, checked with
// nothing but those files and the public key that the reader trusts.
//
// An exported log is checked entry by entry: each hash is computed again from the entry's fields
// and payload, each entry continues the one before, and the tree over them has the root that the
// checkpoint signs. A single entry is checked by its proof: the path leads from its hash to a root,
// which must be the signed one. Thread-safety: functions without state. Errors: kCorrupt with the
// line or field of the first damage; kSyntax. Source: DATA.md 11; RFC 9162, 2.1.3.2.
#pragma once

#include <optional>
#include <string_view>

#include "base/crypto.h"
#include "base/json/json.h"
#include "base/result.h"
#include "store/verify/audit.h"

namespace anima::store {

// What entry_to_json() wrote. Errors: kCorrupt.
Result<LogEntry> entry_from_json(const Json& json, std::string_view where);
// What its hash must be, by its other fields.
Digest entry_hash(LogEntry entry);
Result<InclusionProof> inclusion_proof_from_json(const Json& json, std::string_view where);

// The checkpoint's signature, by its own key, which must be `trusted`.
Status verify_signature(const Checkpoint& checkpoint, const PublicKey& trusted);

// One entry a line, from the first on. With a checkpoint: the log reaches it and has its root
// there.
Result<AuditReport> verify_exported_log(std::string_view lines, std::string_view where,
                                        const std::optional<Checkpoint>& checkpoint);

// The proof's path holds, its tree is the checkpoint's, and the entry (when given) is the one
// proved.
Status verify_exported_proof(const InclusionProof& proof, const Checkpoint& checkpoint,
                             const std::optional<LogEntry>& entry);

}  // namespace anima::store
