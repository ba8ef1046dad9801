#include "store/log/log_turn.h"

#include <algorithm>
#include <string_view>

#include "base/files/file.h"
#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/log_rows.h"
#include "store/log/redacted.h"

namespace anima::store::detail {
namespace {

Status create_schema(Database& database) {
  ANIMA_TRY(database.execute("PRAGMA page_size=4096; PRAGMA journal_mode=WAL"));
  ANIMA_TRY(database.execute("BEGIN IMMEDIATE"));
  // Somebody else may have been faster.
  Result<std::int64_t> tables = database.query_integer("SELECT count(*) FROM sqlite_schema");
  Status made;
  if (!tables) {
    made = fail(std::move(tables).error());
  } else if (*tables == 0) {
    made = database.execute(std::string(kLogTables) +
                            "PRAGMA application_id=" + std::to_string(kLogApplication) +
                            ";PRAGMA user_version=" + std::to_string(kLogSchema));
  }
  if (made) made = database.execute("COMMIT");
  if (!made) (void)database.execute("ROLLBACK");
  return made;
}

std::string wal_path(const Database& database) { return database.path() + "-wal"; }

}  // namespace

Status WritingConnection::open(const std::string& folder, const SqliteLogOptions& options) {
  const std::string path = log_path(folder);
  const DatabaseMode mode = options.create ? DatabaseMode::kCreate : DatabaseMode::kReadWrite;
  ANIMA_ASSIGN(database, Database::open(path, mode, options.vfs, kBusyMilliseconds));
  // A connection that has written nothing leaves the WAL as it found it: SQLite reads one with a
  // damaged page up to there, and what lies behind it is all that is left of the rest.
  database.checkpoint_on_close(false);
  wait = options.wait;
  // Turns are told apart by their own lock; the file itself only strangers can hold.
  database.wait_with([limit = wait](std::int64_t waited) {
    return waited < limit.milliseconds && !limit.stopped();
  });
  ANIMA_TRY(database.execute("PRAGMA synchronous=FULL"));
  ANIMA_ASSIGN(const std::int64_t tables,
               database.query_integer("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0) {
    if (!options.create) {
      return fail(ErrorCode::kNotFound, std::string(kEmptyLog), folder,
                  "finish it with `anima init`");
    }
    ANIMA_TRY(create_schema(database));
  }
  ANIMA_TRY(check_log_version(database, path));
  // A WAL that is reset, not removed, is overwritten in place: cheaper to sync than one that grows.
  ANIMA_TRY(
      database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                       "PRAGMA wal_autocheckpoint=2000; PRAGMA cache_size=-2048;"
                       "PRAGMA journal_size_limit=67108864"));
  database.keep_wal();
  ANIMA_ASSIGN(begin, database.prepare("BEGIN IMMEDIATE"));
  ANIMA_ASSIGN(commit, database.prepare("COMMIT"));
  ANIMA_ASSIGN(rollback, database.prepare("ROLLBACK"));
  ANIMA_ASSIGN(insert, database.prepare("INSERT INTO log(sequence, entry) VALUES(?, ?)"));
  ANIMA_ASSIGN(insert_part,
               database.prepare("INSERT INTO part(sequence, number, bytes) VALUES(?, ?, ?)"));
  const std::string attachment =
      " part WHERE sequence = ? AND number = " + std::to_string(kAttachmentPart);
  ANIMA_ASSIGN(attached, database.prepare("SELECT length(bytes) FROM" + attachment));
  ANIMA_ASSIGN(drop_part, database.prepare("DELETE FROM" + attachment));
  ANIMA_ASSIGN(replace, database.prepare("INSERT INTO log(sequence, entry) VALUES(?1, ?2) "
                                         "ON CONFLICT(sequence) DO UPDATE SET entry = ?2"));
  ANIMA_ASSIGN(drop_parts, database.prepare("DELETE FROM part WHERE sequence = ? AND number >= 0"));
  ANIMA_ASSIGN(last,
               database.prepare("SELECT sequence, entry FROM log ORDER BY sequence DESC LIMIT 1"));
  ANIMA_ASSIGN(lock, TurnLock::open(join_path(folder, "log.turn")));
  part_bytes = options.part_bytes;
  // In this order: a file that takes the place after the look is seen by the question.
  file = identity_of(path);
  if (!file || database.moved()) return fail(log_replaced(path));
  return {};
}

bool WritingConnection::in_place() const {
  return identity_of(database.path()) == file && (!wal || identity_of(wal_path(database)) == wal);
}

Status LogTurn::begin() {
  if (!writing_.in_place()) return fail(log_replaced(writing_.database.path()));
  ANIMA_TRY(writing_.lock->lock(*writing_.shared, writing_.wait));
  locked_ = true;
  if (Status begun = writing_.begin.run(); !begun) {
    if (begun.error().code != ErrorCode::kBusy) return begun;
    if (writing_.wait.stopped()) {
      return fail(ErrorCode::kCancelled, "stopped while waiting for the log",
                  writing_.database.path());
    }
    return fail(ErrorCode::kBusy,
                "another program has held the log for the " +
                    std::to_string(writing_.wait.milliseconds) +
                    " ms that a writer waits (turn_wait_milliseconds)",
                writing_.database.path(), "end it, or try again");
  }
  begun_ = true;
  if (!writing_.wal) writing_.wal = identity_of(wal_path(writing_.database));
  // The head that this process left is still the head unless another connection wrote since.
  std::uint32_t version = 0;
  writing_.database.data_version(&version);
  if (!writing_.head_known || version != writing_.data_version) {
    ANIMA_ASSIGN(writing_.head, read_head(writing_.last));
    writing_.head_known = true;
    writing_.data_version = version;
  }
  start_ = head_ = writing_.head;
  return check_acknowledged(writing_.head, writing_.shared->acknowledged(),
                            writing_.database.path());
}

Result<Head> LogTurn::append(LogEntry entry, Timestamp now) {
  entry.sequence = Sequence{to_number(head_.sequence) + 1};
  entry.time = std::max(now, head_.time);
  entry.previous = head_.hash;
  encode_entry(entry, writing_.part_bytes, row_);
  if (entry.payload.size() > writing_.part_bytes) ANIMA_TRY(insert_parts(entry));
  Statement& insert = writing_.insert;
  insert.bind(1, static_cast<std::int64_t>(entry.sequence));
  insert.bind_blob(2, row_);
  ANIMA_TRY(insert.run());
  if (!entry.attachment.empty()) {
    ANIMA_TRY(insert_part(entry.sequence, kAttachmentPart, entry.attachment));
  }
  head_ = Head{entry.sequence, entry.time, entry.hash};
  return head_;
}

// What goes is not left in free pages.
Status LogTurn::overwrite_what_goes() {
  if (dropped_) return {};
  ANIMA_TRY(writing_.database.execute("PRAGMA secure_delete=ON"));
  dropped_ = true;
  return {};
}

Status LogTurn::redact(const LogEntry& entry) {
  ANIMA_TRY(overwrite_what_goes());
  ANIMA_TRY(put(entry.sequence, stored_redacted(entry, writing_.part_bytes)));
  return redacted_ ? Status() : mark_redacted(false);
}

Status LogTurn::put(Sequence sequence, const EntryRows& entry) {
  changed_ = true;
  const auto row = static_cast<std::int64_t>(sequence);
  writing_.drop_parts.bind(1, row);
  ANIMA_TRY(writing_.drop_parts.run());
  std::int64_t number = 0;
  for (const std::string& part : entry.parts) ANIMA_TRY(insert_part(sequence, number++, part));
  if (entry.attachment) {
    writing_.drop_part.bind(1, row);
    ANIMA_TRY(writing_.drop_part.run());
    if (!entry.attachment->empty())
      ANIMA_TRY(insert_part(sequence, kAttachmentPart, *entry.attachment));
  }
  writing_.replace.bind(1, row);
  writing_.replace.bind_blob(2, entry.row);
  return writing_.replace.run();
}

Status LogTurn::set_schema_version(std::int64_t version) {
  changed_ = true;
  return writing_.database.execute("PRAGMA user_version=" + std::to_string(version));
}

Status LogTurn::mark_compacted() { return mark_redacted(true); }

Status LogTurn::mark_redacted(bool compacted) {
  Database& database = writing_.database;
  ANIMA_ASSIGN(const std::int64_t schema, database.query_integer("PRAGMA user_version"));
  redacted_ = true;
  return set_schema_version(with_redacted(schema, compacted));
}

Result<std::uint64_t> LogTurn::drop_attachment(Sequence sequence) {
  ANIMA_TRY(overwrite_what_goes());
  const auto row = static_cast<std::int64_t>(sequence);
  writing_.attached.bind(1, row);
  ANIMA_ASSIGN(const bool found, writing_.attached.step());
  const std::int64_t bytes = found ? writing_.attached.integer(0) : 0;
  writing_.attached.reset();
  if (!found) return 0;
  writing_.drop_part.bind(1, row);
  ANIMA_TRY(writing_.drop_part.run());
  changed_ = true;
  return static_cast<std::uint64_t>(bytes);
}

Status LogTurn::insert_parts(const LogEntry& entry) {
  const std::string_view payload = entry.payload;
  const std::uint64_t step = writing_.part_bytes;
  std::int64_t number = 0;
  for (std::uint64_t at = 0; at < payload.size(); at += step, ++number) {
    ANIMA_TRY(insert_part(entry.sequence, number, payload.substr(at, step)));
  }
  return {};
}

Status LogTurn::insert_part(Sequence sequence, std::int64_t number, std::string_view bytes) {
  Statement& insert = writing_.insert_part;
  insert.bind(1, static_cast<std::int64_t>(sequence));
  insert.bind(2, number);
  insert.bind_blob(3, bytes);
  return insert.run();
}

// No entry is new, so nobody is told of a head.
Status LogTurn::commit_changed() {
  Status committed = writing_.commit.run();
  if (committed) begun_ = false;
  writing_.head_known = false;
  if (committed) committed = check_in_place();
  finish();
  return committed;
}

// After the commit: what was written into a file that is gone is not kept.
Status LogTurn::check_in_place() const {
  if (writing_.in_place()) return {};
  return fail(ErrorCode::kIo,
              "the log was deleted, moved or replaced while it was written; it is not known "
              "whether the entry was written",
              writing_.database.path(), "open the space again, where it lies now, and look");
}

Status LogTurn::commit() {
  ANIMA_CHECK(guard_.owns_lock());
  if (head_.sequence == start_.sequence) {
    if (changed_) return commit_changed();
    finish();
    return {};
  }
  writing_.shared->announce(head_.sequence);
  announced_ = true;
  const Status committed = writing_.commit.run();
  if (committed) {
    begun_ = false;
    if (Status kept = check_in_place(); !kept) {
      // The head stays announced: only the log knows.
      writing_.head_known = false;
      finish();
      return kept;
    }
    writing_.database.checkpoint_on_close(true);
    writing_.head = head_;
    announced_ = false;
    writing_.shared->settle(head_.sequence);
    return {};
  }
  finish();
  return committed.error().code == ErrorCode::kIo ? fail(in_doubt(committed.error())) : committed;
}

// What was written may be read back when the log is opened next, although it could not be synced.
Error LogTurn::in_doubt(const Error& why) const {
  return {ErrorCode::kIo,
          "it is not known whether " + entry_place(head_.sequence) + " was written: " + why.message,
          why.where,
          "look before you do it again: `anima history`; `anima doctor` tells of the disk"};
}

void LogTurn::finish() {
  if (begun_) {
    // After some failures SQLite has rolled back by itself; then this fails and changes nothing.
    (void)writing_.rollback.run();
    begun_ = false;
    writing_.head_known = false;
    if (announced_) writing_.shared->settle(start_.sequence);
  }
  if (locked_) {
    writing_.lock->unlock(*writing_.shared);
    locked_ = false;
  }
  if (guard_.owns_lock()) guard_.unlock();
}

}  // namespace anima::store::detail
