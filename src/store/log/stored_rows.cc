#include "store/log/stored_rows.h"

#include <utility>

#include "store/log/archived.h"
#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/sqlite_log.h"

namespace anima::store::detail {

Result<StoredRows*> rows_of(Log& log) {
  if (StoredRows* const rows = log.rows()) return rows;
  return fail(ErrorCode::kUnsupported, "a log in memory has no rows to copy, archive or sweep");
}

Result<RowTurn*> rows_of(Log::Turn& turn) {
  if (auto* const rows = dynamic_cast<RowTurn*>(&turn)) return rows;
  return fail(ErrorCode::kUnsupported, "nothing can be put into the rows of this log");
}

std::vector<std::string> parts_of(std::string_view payload, std::uint64_t part_bytes) {
  std::vector<std::string> parts;
  if (payload.size() <= part_bytes) return parts;
  for (std::uint64_t at = 0; at < payload.size(); at += part_bytes)
    parts.emplace_back(payload.substr(at, part_bytes));
  return parts;
}

EntryRows stored_redacted(const LogEntry& entry, std::uint64_t part_bytes) {
  EntryRows stored;
  stored.row = encode_redacted(entry, part_bytes);
  stored.parts = parts_of(entry.payload, part_bytes);
  if (!has_attachment(entry)) stored.attachment.emplace();
  return stored;
}

Result<LogEntry> whole_entry(Sequence sequence, const EntryRows& stored) {
  ANIMA_ASSIGN(DecodedRow row, decode_row(sequence, stored.row));
  if (row.archived) return archived_error(sequence);
  std::string payload;
  for (const std::string& part : stored.parts) payload += part;
  if (row.parts() != stored.parts.size() ||
      (row.parts() != 0 && payload.size() != row.payload_size)) {
    return fail(ErrorCode::kCorrupt, "its parts are not all there", entry_place(sequence));
  }
  ANIMA_TRY(check_hash(row, payload));
  if (row.parts() != 0) row.entry.payload = std::move(payload);
  return std::move(row.entry);
}

Result<LogFile> LogFile::create(const std::string& path, std::optional<std::int64_t> version,
                                const std::string& more_sql) {
  LogFile file;
  ANIMA_ASSIGN(file.database_, Database::open(path, DatabaseMode::kCreate, {}, 0));
  std::string sql = "PRAGMA page_size=4096; PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;";
  sql += "BEGIN IMMEDIATE;" + std::string(kLogTables) + more_sql;
  if (version) {
    sql += "PRAGMA application_id=" + std::to_string(kLogApplication) +
           ";PRAGMA user_version=" + std::to_string(*version);
  }
  ANIMA_TRY(file.database_.execute(sql));
  ANIMA_ASSIGN(file.entry_,
               file.database_.prepare("INSERT INTO log(sequence, entry) VALUES(?, ?)"));
  ANIMA_ASSIGN(file.part_,
               file.database_.prepare("INSERT INTO part(sequence, number, bytes) VALUES(?, ?, ?)"));
  return file;
}

Status LogFile::put(Sequence sequence, const EntryRows& entry) {
  const auto row = static_cast<std::int64_t>(sequence);
  entry_.bind(1, row);
  entry_.bind_blob(2, entry.row);
  ANIMA_TRY(entry_.run());
  const auto put_part = [&](std::int64_t number, std::string_view bytes) -> Status {
    part_.bind(1, row);
    part_.bind(2, number);
    part_.bind_blob(3, bytes);
    return part_.run();
  };
  std::int64_t number = 0;
  for (const std::string& part : entry.parts) ANIMA_TRY(put_part(number++, part));
  if (!entry.attachment || entry.attachment->empty()) return {};
  return put_part(kAttachmentPart, *entry.attachment);
}

Status LogFile::finish() { return database_.execute("COMMIT"); }

Result<FileRows> FileRows::open(Database& database) {
  FileRows rows;
  ANIMA_ASSIGN(rows.entry_, database.prepare("SELECT entry FROM log WHERE sequence = ?"));
  ANIMA_ASSIGN(
      rows.parts_,
      database.prepare("SELECT number, bytes FROM part WHERE sequence = ? ORDER BY number"));
  return rows;
}

Result<EntryRows> FileRows::read(Sequence sequence) {
  EntryRows stored;
  entry_.reset();
  entry_.bind(1, static_cast<std::int64_t>(sequence));
  ANIMA_ASSIGN(const bool there, entry_.step());
  const bool good = there && entry_.is_blob(0);
  if (good) stored.row = std::string(entry_.blob(0));
  entry_.reset();
  if (!good) return fail(ErrorCode::kCorrupt, "it is missing", entry_place(sequence));
  parts_.reset();
  parts_.bind(1, static_cast<std::int64_t>(sequence));
  while (true) {
    ANIMA_ASSIGN(const bool more, parts_.step());
    if (!more) break;
    if (parts_.integer(0) == kAttachmentPart) {
      stored.attachment = std::string(parts_.blob(1));
    } else {
      stored.parts.emplace_back(parts_.blob(1));
    }
  }
  parts_.reset();
  return stored;
}

}  // namespace anima::store::detail
