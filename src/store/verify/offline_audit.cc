#include "store/verify/offline_audit.h"

#include <algorithm>

#include "store/log/entry_codec.h"
#include "store/log/redacted.h"

namespace anima::store {
namespace {

Result<std::string> text_field(const Json& json, std::string_view key, std::string_view where) {
  const Json* value = json.find(key);
  if (value != nullptr && value->is_string()) return value->as_string();
  return fail(ErrorCode::kCorrupt, "the text \"" + std::string(key) + "\" is missing",
              std::string(where));
}

Result<std::uint64_t> number_field(const Json& json, std::string_view key, std::string_view where) {
  const Json* value = json.find(key);
  if (value != nullptr && value->is_integer() && value->as_integer() >= 0)
    return static_cast<std::uint64_t>(value->as_integer());
  return fail(ErrorCode::kCorrupt, "the number \"" + std::string(key) + "\" is missing",
              std::string(where));
}

Result<Digest> digest_of(std::string_view hex, std::string_view where) {
  const auto bytes = from_hex(hex);
  if (!bytes || bytes->size() != sizeof(Digest))
    return fail(ErrorCode::kCorrupt, "a digest is not 64 hexadecimal digits", std::string(where));
  Digest digest{};
  std::copy(bytes->begin(), bytes->end(), digest.begin());
  return digest;
}

Result<Digest> digest_field(const Json& json, std::string_view key, std::string_view where) {
  ANIMA_ASSIGN(const std::string hex, text_field(json, key, where));
  return digest_of(hex, where);
}

Result<Trust> trust_field(const Json& json, std::string_view where) {
  ANIMA_ASSIGN(const std::string name, text_field(json, "trust", where));
  if (const auto trust = trust_called(name)) return *trust;
  return fail(ErrorCode::kCorrupt, "\"" + name + "\" is no trust level", std::string(where));
}

}  // namespace

Result<LogEntry> entry_from_json(const Json& json, std::string_view where) {
  LogEntry entry;
  ANIMA_ASSIGN(const std::uint64_t sequence, number_field(json, "sequence", where));
  entry.sequence = Sequence{sequence};
  ANIMA_ASSIGN(const std::string time, text_field(json, "time", where));
  ANIMA_ASSIGN(entry.time, parse_timestamp(time));
  ANIMA_ASSIGN(entry.origin.author, text_field(json, "author", where));
  ANIMA_ASSIGN(entry.origin.source, text_field(json, "source", where));
  ANIMA_ASSIGN(entry.origin.trust, trust_field(json, where));
  ANIMA_ASSIGN(const std::uint64_t cause, number_field(json, "cause", where));
  entry.origin.cause = Sequence{cause};
  ANIMA_ASSIGN(const std::uint64_t format, number_field(json, "format", where));
  if (format > UINT32_MAX)
    return fail(ErrorCode::kCorrupt, "the format number is above 32 bits", std::string(where));
  entry.format = static_cast<std::uint32_t>(format);
  ANIMA_ASSIGN(entry.seal, text_field(json, "seal", where));
  ANIMA_ASSIGN(const std::string payload, text_field(json, "payload", where));
  const auto bytes = from_hex(payload);
  if (!bytes)
    return fail(ErrorCode::kCorrupt, "the payload is not hexadecimal", std::string(where));
  entry.payload = *bytes;
  ANIMA_ASSIGN(entry.previous, digest_field(json, "previous", where));
  ANIMA_ASSIGN(entry.hash, digest_field(json, "hash", where));
  // The hash covers what was read; anything beside it would seem to be vouched for too.
  if (!(entry_to_json(entry) == json)) {
    return fail(ErrorCode::kCorrupt, "the entry says more than its hash covers, or in another form",
                std::string(where));
  }
  return entry;
}

Digest entry_hash(LogEntry entry) {
  std::string row;
  detail::encode_entry(entry, detail::kPartBytes, row);
  return entry.hash;
}

namespace {

// Of an entry from which something was taken, the log that it is in answers for its hash.
bool says_what_it_is(const LogEntry& entry) {
  return detail::is_redacted(entry) || entry.hash == entry_hash(entry);
}

}  // namespace

Result<InclusionProof> inclusion_proof_from_json(const Json& json, std::string_view where) {
  if (json.find("anima_proof") == nullptr) {
    return fail(ErrorCode::kCorrupt, "this is no proof", std::string(where),
                "`anima audit prove SEQ` writes one");
  }
  InclusionProof proof;
  ANIMA_ASSIGN(const std::uint64_t sequence, number_field(json, "sequence", where));
  proof.sequence = Sequence{sequence};
  ANIMA_ASSIGN(proof.entries, number_field(json, "entries", where));
  ANIMA_ASSIGN(proof.hash, digest_field(json, "hash", where));
  ANIMA_ASSIGN(proof.root, digest_field(json, "root", where));
  const Json* path = json.find("path");
  if (path == nullptr || !path->is_array())
    return fail(ErrorCode::kCorrupt, "the list \"path\" is missing", std::string(where));
  for (const Json& node : path->as_array()) {
    if (!node.is_string())
      return fail(ErrorCode::kCorrupt, "a node of the path is no text", std::string(where));
    ANIMA_ASSIGN(const Digest digest, digest_of(node.as_string(), where));
    proof.path.push_back(digest);
  }
  return proof;
}

Status verify_signature(const Checkpoint& checkpoint, const PublicKey& trusted) {
  if (checkpoint.key != trusted) {
    return fail(ErrorCode::kCorrupt,
                "the checkpoint is signed with the key " + to_hex(checkpoint.key), {},
                "not with the one that you trust");
  }
  if (!verify(trusted, checkpoint.signed_text(), checkpoint.signature))
    return fail(ErrorCode::kCorrupt, "the checkpoint's signature is false");
  return {};
}

Result<AuditReport> verify_exported_log(std::string_view lines, std::string_view where,
                                        const std::optional<Checkpoint>& checkpoint) {
  AuditReport report;
  MerkleFrontier tree;
  detail::RedactionCheck redacted;
  std::size_t number = 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string_view line = lines.substr(at, end - at);
    at = end + 1;
    const std::string place = std::string(where) + ":" + std::to_string(++number);
    if (line.empty()) continue;
    const auto json = parse_json(line);
    if (!json) return fail(ErrorCode::kCorrupt, json.error().message, place);
    ANIMA_ASSIGN(const LogEntry entry, entry_from_json(*json, place));
    if (detail::to_number(entry.sequence) != report.entries + 1)
      return fail(ErrorCode::kCorrupt, "the entries are not numbered 1, 2, 3 ..", place);
    if (entry.previous != report.head.hash)
      return fail(ErrorCode::kCorrupt, "the entry does not continue the one before", place);
    if (!says_what_it_is(entry))
      return fail(ErrorCode::kCorrupt, "the entry's hash does not fit its content", place);
    ANIMA_TRY(redacted.see(entry));
    if (entry.time < report.head.time)
      return fail(ErrorCode::kCorrupt, "its time is before that of the entry before it", place);
    ++report.entries;
    report.head = {entry.sequence, entry.time, entry.hash};
    tree.add(merkle_entry_leaf(entry.hash));
    if (!checkpoint || checkpoint->sequence != entry.sequence) continue;
    if (checkpoint->hash != entry.hash || checkpoint->root != tree.root())
      return fail(ErrorCode::kCorrupt, "the log is not the one that the checkpoint signs", place);
    report.checkpoint = entry.sequence;
  }
  if (report.entries == 0)
    return fail(ErrorCode::kCorrupt, "the log holds no entry", std::string(where));
  ANIMA_TRY(redacted.check());
  report.root = tree.root();
  if (checkpoint && !report.checkpoint) {
    return fail(ErrorCode::kCorrupt,
                "the log ends before the checkpoint: its tail was cut, or it was exported earlier",
                std::string(where));
  }
  return report;
}

Status verify_exported_proof(const InclusionProof& proof, const Checkpoint& checkpoint,
                             const std::optional<LogEntry>& entry) {
  if (!proof.holds())
    return fail(ErrorCode::kCorrupt, "the proof's path does not lead to its root");
  if (proof.root != checkpoint.root || proof.entries != detail::to_number(checkpoint.sequence)) {
    return fail(ErrorCode::kCorrupt,
                "the proof is about another state of the log than the checkpoint", {},
                "make both at the same entry");
  }
  if (!entry) return {};
  if (entry->sequence != proof.sequence || entry->hash != proof.hash)
    return fail(ErrorCode::kCorrupt, "the entry is not the one that is proved");
  if (!says_what_it_is(*entry))
    return fail(ErrorCode::kCorrupt, "the entry's hash does not fit its content");
  return {};
}

}  // namespace anima::store
