// What is left in the log of an entry whose payload lies in an archive (store/archive.h).
//
// Its row is hash(32) previous(32) layout(u8 = 2) sequence(u64) time(i64) trust(u8) cause(varint)
// author(string) source(string). Its own hash cannot be computed from that, so the archiving leaves
// a record: JSON {"archive":1,"first","last","entries","digest"}, the digest over what remains.
// Thread-safety: functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/result.h"
#include "store/log.h"

namespace anima::store::detail {

// PRAGMA user_version of a log of schema 1 with archived entries, which a program that knows only
// whole ones must not read.
inline constexpr std::int64_t kArchivedSchema = 1001;
inline constexpr std::uint32_t kArchivedFormat = 0;  // LogEntry::format
inline constexpr std::string_view kArchiveSource = "anima archive";

inline bool is_archived(const LogEntry& entry) {
  return entry.format == kArchivedFormat && entry.seal.empty() && entry.payload.empty();
}

// The row that stays; requires an entry that is not sealed.
std::string encode_archived(const LogEntry& entry);

Unexpected<Error> archived_error(Sequence sequence);

// The remains of entries, in order, for the digest of a record.
class Remains {
 public:
  void add(const LogEntry& entry);
  bool empty() const { return list_.empty(); }
  // The record of what was added.
  std::string record() const;
  // Marks what the record answers for, when its digest is that of the remains in its range.
  void see_record(std::string_view json);
  // Fails with the place of the first that no record answers for.
  Status check() const;

 private:
  struct One {
    Sequence sequence = Sequence::kNone;
    Digest digest{};
    bool answered = false;
  };
  static std::string digest_of(const One* begin, const One* end);
  std::vector<One> list_;
};

}  // namespace anima::store::detail
