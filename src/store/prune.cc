#include "store/prune.h"

#include <algorithm>
#include <string>

#include "store/log/attachment.h"
#include "store/log/stored_rows.h"

namespace anima::store {
namespace {

// Attachments that go in one turn: others want to write meanwhile.
constexpr std::size_t kEntriesPerTurn = 1'000;

Status drop(Log& log, std::span<const Sequence> entries, PruneReport& report) {
  while (!entries.empty()) {
    const std::size_t count = std::min(entries.size(), kEntriesPerTurn);
    ANIMA_ASSIGN(const auto turn, log.take_turn());
    PruneReport dropped;
    for (const Sequence entry : entries.first(count)) {
      ANIMA_ASSIGN(const std::uint64_t bytes, turn->drop_attachment(entry));
      if (bytes == 0) continue;
      ++dropped.entries;
      dropped.bytes += bytes;
    }
    ANIMA_TRY(turn->commit());
    report.entries += dropped.entries;
    report.bytes += dropped.bytes;
    entries = entries.subspan(count);
  }
  return {};
}

}  // namespace

bool has_attachment(const LogEntry& entry) { return detail::has_attachment(entry); }

std::string attachment_salt(std::string_view attachment) {
  return std::string(attachment.substr(0, detail::kSaltBytes));
}

Result<PruneReport> prune_attachments(Space& space, const Origin& origin,
                                      std::span<const Sequence> entries, bool shrink) {
  PruneReport report;
  if (!entries.empty()) {
    Origin told = origin;
    told.source = std::string(detail::kPruneSource);
    const std::string record = detail::prune_record(entries);
    ANIMA_TRY(space.write(told, [&](Transaction& transaction) {
      return transaction.record(RecordKind::kAudit, record);
    }));
    ANIMA_TRY(drop(space.log(), entries, report));
    if (shrink && !space.folder().empty()) {
      ANIMA_ASSIGN(detail::StoredRows* const rows, detail::rows_of(space.log()));
      ANIMA_TRY(rows->sweep(true));
    }
  }
  ANIMA_ASSIGN(report.log_bytes, space.log().stored_bytes());
  return report;
}

}  // namespace anima::store
