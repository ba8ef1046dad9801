#include "store/log/log_rows.h"

#include <utility>

#include "store/log/archived.h"
#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/log/sqlite_log.h"

namespace anima::store::detail {
namespace {

Error version_error(std::int64_t found, const std::string& path) {
  if (found > kLogSchema) {
    return Error{ErrorCode::kVersionMismatch,
                 "the log has schema version " + std::to_string(found) + ", this program knows " +
                     std::to_string(kLogSchema),
                 path, "use a newer anima, or restore a backup made by this version"};
  }
  return Error{ErrorCode::kVersionMismatch,
               "the log has the older schema version " + std::to_string(found), path,
               "run `anima migrate`: it makes a backup first"};
}

Status no_blob(Sequence sequence) {
  return fail(ErrorCode::kCorrupt, "its row holds no bytes", entry_place(sequence));
}

// Puts the parts of a long payload together.
Status load_parts(Statement& statement, DecodedRow& row) {
  if (row.parts() == 0) return {};
  const Sequence sequence = row.entry.sequence;
  statement.reset();
  statement.bind(1, static_cast<std::int64_t>(sequence));
  std::string& payload = row.entry.payload;
  std::int64_t number = 0;
  while (true) {
    ANIMA_ASSIGN(const bool more, statement.step());
    if (!more) break;
    if (statement.integer(0) != number || !statement.is_blob(1)) {
      statement.reset();
      return fail(ErrorCode::kCorrupt, "part " + std::to_string(number) + " is missing",
                  entry_place(sequence));
    }
    payload += statement.blob(1);
    ++number;
  }
  statement.reset();
  if (payload.size() != row.payload_size) {
    return fail(ErrorCode::kCorrupt,
                "its parts hold " + std::to_string(payload.size()) + " bytes of " +
                    std::to_string(row.payload_size),
                entry_place(sequence));
  }
  return {};
}

}  // namespace

Status check_log_version(Database& database, const std::string& path) {
  ANIMA_ASSIGN(const std::int64_t application, database.query_integer("PRAGMA application_id"));
  ANIMA_ASSIGN(const std::int64_t schema, database.query_integer("PRAGMA user_version"));
  if (application != kLogApplication) {
    return fail(ErrorCode::kCorrupt, "this SQLite file is no Anima log", path);
  }
  return is_known_schema(schema) ? Status() : fail(version_error(schema, path));
}

Result<std::unique_ptr<ReadingConnection>> ReadingConnection::open(const std::string& path,
                                                                   DatabaseMode mode,
                                                                   const std::string& vfs) {
  auto made = std::make_unique<ReadingConnection>();
  Database& database = made->database;
  ANIMA_ASSIGN(database, Database::open(path, mode, vfs, kBusyMilliseconds));
  database.keep_wal();
  ANIMA_ASSIGN(made->last,
               database.prepare("SELECT sequence, entry FROM log ORDER BY sequence DESC LIMIT 1"));
  ANIMA_ASSIGN(
      made->from,
      database.prepare("SELECT sequence, entry FROM log WHERE sequence >= ? ORDER BY sequence"));
  ANIMA_ASSIGN(made->one, database.prepare("SELECT sequence, entry FROM log WHERE sequence = ?"));
  ANIMA_ASSIGN(made->parts,
               database.prepare("SELECT number, bytes FROM part WHERE sequence = ? AND number >= 0 "
                                "ORDER BY number"));
  ANIMA_ASSIGN(made->attachment,
               database.prepare("SELECT bytes FROM part WHERE sequence = ? AND number = " +
                                std::to_string(kAttachmentPart)));
  return made;
}

ReadingPool::Lease::~Lease() {
  if (connection_ == nullptr) return;
  const MutexLock guard(pool_->mutex_);
  pool_->idle_.push_back(std::move(connection_));
}

Result<ReadingPool::Lease> ReadingPool::lease() {
  {
    const MutexLock guard(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<ReadingConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(connection));
    }
  }
  ANIMA_ASSIGN(auto connection, ReadingConnection::open(path_, mode_, vfs_));
  if (file_ && (identity_of(path_) != file_ || connection->database.moved())) {
    return fail(log_replaced(path_));
  }
  return Lease(*this, std::move(connection));
}

Result<LogEntry> read_row(Statement& statement, Statement& parts, Sequence expected) {
  const Sequence sequence{static_cast<std::uint64_t>(statement.integer(0))};
  if (sequence != expected) {
    return fail(ErrorCode::kCorrupt, "it is missing; the next one is " + entry_place(sequence),
                entry_place(expected));
  }
  if (!statement.is_blob(1)) return fail(no_blob(sequence).error());
  ANIMA_ASSIGN(DecodedRow row, decode_row(sequence, statement.blob(1)));
  if (row.archived) return std::move(row.entry);
  ANIMA_TRY(load_parts(parts, row));
  ANIMA_TRY(check_hash(row, row.parts() == 0 ? std::string_view() : row.entry.payload));
  return std::move(row.entry);
}

Status check_acknowledged(const Head& head, Sequence acknowledged, const std::string& path) {
  if (acknowledged <= head.sequence) return {};
  return fail(ErrorCode::kCorrupt, lost_tail(head.sequence, "log.head", acknowledged), path,
              std::string(kLostTailHint));
}

Result<Head> read_head(Statement& last) {
  last.reset();
  ANIMA_ASSIGN(const bool found, last.step());
  if (!found) {
    last.reset();
    return Head{};
  }
  const Sequence sequence{static_cast<std::uint64_t>(last.integer(0))};
  if (!last.is_blob(1)) return fail(no_blob(sequence).error());
  Result<DecodedRow> row = decode_row(sequence, last.blob(1));
  last.reset();
  if (!row) return fail(std::move(row).error());
  return Head{sequence, row->entry.time, row->entry.hash};
}

}  // namespace anima::store::detail
