// Pruning: what was attached to old entries goes, while the entries stay.
//
// Whoever writes decides what may go one day (Transaction::attach): records that nobody needs for
// the knowledge itself. The log says first which attachments go, then they are taken from its
// file, whose pages are overwritten as SQLite moves them there from its WAL; an interrupted pruning
// is finished by the next one of the same entries. The log verifies before and after.
// Thread-safety: functions without state; the space may be in use by this process and others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/ids.h"
#include "store/space.h"

namespace anima::store {

// What the space drew from its randomness for an attachment; who repeats the entry gives it again.
std::string attachment_salt(std::string_view attachment);

struct PruneReport {
  std::uint64_t entries = 0;    // whose attachments went
  std::uint64_t bytes = 0;      // of those attachments
  std::uint64_t log_bytes = 0;  // of the log afterwards
};

// Whether the entry had something attached, pruned or not. O(1).
bool has_attachment(const LogEntry& entry);

// Takes the attachments of the entries, which are in order; those that have none are passed over.
// With `shrink` the file gives what became free back to the disk, which rewrites it; else entries
// to come take that room. Errors: kDenied, kIo, kDiskFull; those of writing.
Result<PruneReport> prune_attachments(Space& space, const Origin& origin,
                                      std::span<const Sequence> entries, bool shrink);

}  // namespace anima::store
