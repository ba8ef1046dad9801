// What is left in the log of an entry from whose payload something was taken for good: forgotten
// (store/forget.h) or given up (store/compact.h).
//
// On disk, never change: its row is hash(32) previous(32) layout(u8 = 3) left(32) sequence(u64)
// time(i64) trust(u8) format(varint) cause(varint) author(string) source(string) seal(string)
// payload_size(varint) part_size(varint) [payload], parts as in layout 1. `hash` is the entry's
// own, which cannot be computed from the rest any more; the entries behind it, the Merkle tree and
// signed checkpoints hold on to it. `left` is the digest of what is left (left_digest()), and the
// entry that says what was taken names it: source "anima forget" (kForgetSource), a record kAudit
// with the JSON
// {"forgotten":{..,"entries":[[sequence, hash, left], ..]}}; where something had been taken before,
// a fourth member is what was left then. A compaction (source "anima compact") answers for all that
// is cut up to its last entry: {"compacted":{..,"until","entries","digest"}}, the digest over their
// `left` in order. The last record that names an entry counts. Thread-safety: functions without
// state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/json/json.h"
#include "base/result.h"
#include "store/log.h"
#include "store/log/attachment.h"

namespace anima::store::detail {

inline constexpr std::uint8_t kRedactedLayout = 3;
// PRAGMA user_version of a log of schema 1 with such entries; with archived ones too.
inline constexpr std::int64_t kRedactedSchema = 1002;
inline constexpr std::int64_t kArchivedRedactedSchema = 1003;
// Of one that a compaction has cut; with archived entries too.
inline constexpr std::int64_t kCompactedSchema = 1004;
inline constexpr std::int64_t kArchivedCompactedSchema = 1005;
inline constexpr std::string_view kForgetSource = "anima forget";
inline constexpr std::string_view kCompactSource = "anima compact";
// Whether it is the schema of this program's logs or one of its states: with archived entries, with
// ones from which something was taken.
bool is_known_schema(std::int64_t schema);
bool has_archived(std::int64_t schema);
// The schema of the same log with archived entries, and without.
std::int64_t with_archived(std::int64_t schema);
std::int64_t without_archived(std::int64_t schema);
// And when an entry of it is cut, by a compaction or else.
std::int64_t with_redacted(std::int64_t schema, bool compacted);

// SHA-256 over hash, previous, header and payload, however the payload is stored.
Digest left_digest(const LogEntry& entry);

inline bool is_redacted(const LogEntry& entry) {
  const std::uint32_t format = format_without_act(entry);
  return format == kTakenFormat || format == kTakenAttachedFormat;
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
  // The log is compacted by this turn: a program that does not know of that must not read it.
  virtual Status mark_compacted() = 0;
};

// The digests of what is left of entries, in the order of the log, as one.
class LeftDigests {
 public:
  void add(std::string_view left);  // its bytes
  std::uint64_t count() const { return count_; }
  Digest finish();

 private:
  Sha256 digest_;
  std::uint64_t count_ = 0;
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
    // By what was forgotten since the newest compaction: whether, and what had been left before.
    bool named = false;
    std::optional<std::string> before;
  };
  struct Compaction {
    std::uint64_t until = 0, entries = 0;
    std::string digest;
  };
  void see_forgotten(const Json& forgotten);
  void see_compacted(const Json& compacted);
  bool compaction_holds() const;

  std::map<std::uint64_t, One> entries_;
  std::optional<Compaction> compaction_;  // the newest
};

// Calls `visit` for the JSON object "forgotten" of the entry, if it is one that forgot something.
Status visit_forgotten(const LogEntry& entry, const std::function<void(const Json&)>& visit);
// And "compacted", if it is one that tells of a compaction.
Status visit_compacted(const LogEntry& entry, const std::function<void(const Json&)>& visit);

}  // namespace anima::store::detail
