// What is left in the log of an entry from whose payload something was taken for good: forgotten
// (store/forget.h).
//
// On disk, never change: its row is hash(32) previous(32) layout(u8 = 3) left(32) sequence(u64)
// time(i64) trust(u8) format(varint) cause(varint) author(string) source(string) seal(string)
// payload_size(varint) part_size(varint) [payload], parts as in layout 1. `hash` is the entry's
// own, which cannot be computed from the rest any more; the entries behind it, the Merkle tree and
// signed checkpoints hold on to it. `left` is the digest of what is left (left_digest()), and the
// entry that says what was taken names it: source "anima forget" (kForgetSource), a record kAudit
// with the JSON
// {"forgotten":{..,"entries":[[sequence, hash, left], ..]}}. The last record that names an entry
// counts. Thread-safety: functions without state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/json.h"
#include "base/result.h"
#include "store/log.h"
#include "store/log/attachment.h"

namespace anima::store::detail {

inline constexpr std::uint8_t kRedactedLayout = 3;
// PRAGMA user_version of a log of schema 1 with such entries; with archived ones too.
inline constexpr std::int64_t kRedactedSchema = 1002;
inline constexpr std::int64_t kArchivedRedactedSchema = 1003;
inline constexpr std::string_view kForgetSource = "anima forget";

// SHA-256 over hash, previous, header and payload, however the payload is stored.
Digest left_digest(const LogEntry& entry);

inline bool is_redacted(const LogEntry& entry) {
  return entry.format == kTakenFormat || entry.format == kTakenAttachedFormat;
}

// Requires a redacted entry with its original hash. The payload is left out of the row when it is
// longer than part_bytes, and the caller stores the parts.
std::string encode_redacted(const LogEntry& entry, std::uint64_t part_bytes);

// A turn that can put what is left of an entry in its place; so are those of a log in a folder and
// of one in memory.
class RedactingTurn {
 public:
  virtual ~RedactingTurn() = default;
  // The entry has the hash, the chain and the header of the one that was there before this turn,
  // and a format that says that something was taken. What is attached stays only where the format
  // says that something is.
  virtual Status redact(const LogEntry& entry) = 0;
};

// Whether somebody answers for what is left of entries.
class RedactionCheck {
 public:
  // To be called for each entry of the log, in order. Errors: those of reading its records.
  Status see(const LogEntry& entry);
  // Fails with the place of the first entry that no record answers for.
  Status check() const;

 private:
  struct One {
    Digest hash{}, left{};
    bool answered = false;
  };
  std::map<std::uint64_t, One> entries_;
};

// Calls `visit` for the JSON object "forgotten" of the entry, if it is one that forgot something.
Status visit_forgotten(const LogEntry& entry, const std::function<void(const Json&)>& visit);

}  // namespace anima::store::detail
