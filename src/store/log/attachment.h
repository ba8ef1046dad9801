// An attachment: records of an entry that may be pruned one day.
//
// On disk, never change: salt(16 bytes) and operations of kind kRecord. They lie in the table
// `part` under the number -1. The payload of their entry ends with an operation kAttachment, the
// SHA-256 of the whole attachment, and the entry has the format kAttachedFormat; so the entry's
// hash answers for the attachment while it is there, and holds when it is gone. The salt keeps the
// digest of what is gone from telling what it was.
// That attachments were pruned is told by an entry of its own: this source, and a record kAudit
// with the JSON {"pruned":[[first, last], ..]}, ranges of sequences in order.
// Thread-safety: functions without state.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "store/log.h"

namespace anima::store::detail {

inline constexpr std::uint32_t kAttachedFormat = 2;  // LogEntry::format
// The same two after something was taken from the payload (redacted.h).
inline constexpr std::uint32_t kTakenFormat = 3, kTakenAttachedFormat = 4;
// Added to each of the four, and to 1: the first operation says which act the entry belongs to
// (act_operation.h).
inline constexpr std::uint32_t kWithAct = 16;
inline constexpr std::int64_t kAttachmentPart = -1;  // its number among the parts
inline constexpr std::size_t kMaxAttachmentBytes = std::size_t{32} << 20;
inline constexpr std::size_t kSaltBytes = 16;
inline constexpr std::string_view kPruneSource = "anima prune";

inline bool has_act(const LogEntry& entry) {
  return entry.format > kWithAct && entry.format <= kWithAct + kTakenAttachedFormat;
}
inline std::uint32_t format_without_act(const LogEntry& entry) {
  return has_act(entry) ? entry.format - kWithAct : entry.format;
}
inline bool has_attachment(const LogEntry& entry) {
  const std::uint32_t format = format_without_act(entry);
  return format == kAttachedFormat || format == kTakenAttachedFormat;
}

// Requires encoded records. Gives the entry an attachment; its payload and format tell of it.
void attach(LogEntry& entry, std::string_view records, Random& random);
// The encoded records of an attachment. Errors: kCorrupt when it is not what the entry tells of.
Result<std::string_view> attached_records(const LogEntry& entry, std::string_view attachment);

// The record of a pruning; `entries` in order.
std::string prune_record(std::span<const Sequence> entries);

// Whether somebody answers for attachments that are gone.
class PruneCheck {
 public:
  void missing(Sequence entry) { missing_.push_back({entry, false}); }
  bool empty() const { return missing_.empty(); }
  void see_record(std::string_view json);
  // Fails with the place of the first that no record answers for.
  Status check() const;

 private:
  struct One {
    Sequence entry = Sequence::kNone;
    bool answered = false;
  };
  std::vector<One> missing_;
};

}  // namespace anima::store::detail
