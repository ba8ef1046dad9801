#include "store/log/sqlite_log.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "store/log/exclusive_log.h"
#include "store/log/log_rows.h"
#include "store/log/log_turn.h"
#include "store/log/read_batches.h"
#include "store/log/shared_head.h"
#include "store/log/sqlite.h"
#include "store/log/stored_rows.h"
#include "store/space_place.h"

namespace anima::store::detail {
namespace {

constexpr std::int64_t kFollowSliceMilliseconds = 50;

class SqliteLog final : public Log, public StoredRows {
 public:
  SqliteLog(std::string folder, SqliteLogOptions options)
      : folder_(std::move(folder)),
        path_(log_path(folder_)),
        options_(std::move(options)),
        readers_(path_, options_.vfs) {}

  Status open() {
    if (options_.read_only) {
      ANIMA_TRY(open_reading());
    } else {
      ANIMA_TRY(writing_.open(folder_, options_));
    }
    file_ = identity_of(path_);
    readers_.expect(file_);
    // Without it a reader asks the log each time.
    if (auto shared = SharedHead::open(join_path(folder_, "log.head"), options_.read_only)) {
      shared_ = std::move(*shared);
      writing_.shared = shared_.get();
    } else if (!options_.read_only) {
      return fail(std::move(shared).error());
    }
    return options_.read_only ? trust_shared_head() : repair_shared_head();
  }

  Result<Head> head() override {
    ANIMA_TRY(check_unchanged());
    // A log that lies there no longer may hold what nobody was told is kept.
    if (identity_of(path_) != file_) return fail(log_replaced(path_));
    ANIMA_ASSIGN(ReadingPool::Lease lease, readers_.lease());
    return read_head(lease->last);
  }

  std::optional<Sequence> known_head() override {
    return shared_ != nullptr && !lost_tail_ ? shared_->known() : std::nullopt;
  }

  Sequence acknowledged() override {
    return shared_ != nullptr ? shared_->acknowledged() : Sequence::kNone;
  }

  Status read(Sequence first, const std::function<Status(const LogEntry&)>& visit) override {
    return read_in_batches(
        first, [this](Sequence from) { return read_batch(from); }, visit);
  }

  Result<LogEntry> entry(Sequence sequence) override {
    ANIMA_ASSIGN(ReadingPool::Lease lease, readers_.lease());
    lease->one.reset();
    lease->one.bind(1, static_cast<std::int64_t>(sequence));
    ANIMA_ASSIGN(const bool found, lease->one.step());
    if (!found) {
      lease->one.reset();
      return fail(ErrorCode::kNotFound, "there is no such entry", entry_place(sequence));
    }
    Result<LogEntry> entry = read_row(lease->one, lease->parts, sequence);
    lease->one.reset();
    return entry;
  }

  Result<std::string> attachment(Sequence sequence) override {
    ANIMA_ASSIGN(ReadingPool::Lease lease, readers_.lease());
    Statement& statement = lease->attachment;
    statement.reset();
    statement.bind(1, static_cast<std::int64_t>(sequence));
    ANIMA_ASSIGN(const bool found, statement.step());
    std::string bytes =
        found && statement.is_blob(0) ? std::string(statement.blob(0)) : std::string();
    statement.reset();
    return bytes;
  }

  Result<std::uint64_t> stored_bytes() override {
    ANIMA_ASSIGN(ReadingPool::Lease lease, readers_.lease());
    ANIMA_ASSIGN(const std::int64_t pages, lease->database.query_integer("PRAGMA page_count"));
    ANIMA_ASSIGN(const std::int64_t size, lease->database.query_integer("PRAGMA page_size"));
    return static_cast<std::uint64_t>(pages * size);
  }

  Result<std::unique_ptr<Turn>> take_turn() override {
    if (options_.read_only) {
      return fail(ErrorCode::kDenied, kOpenedReadOnly, path_);
    }
    auto turn = std::make_unique<LogTurn>(writing_);
    ANIMA_TRY(turn->begin());
    return turn;
  }

  Result<bool> follow(Sequence after, std::int64_t timeout_milliseconds) override;

  StoredRows* rows() override { return this; }
  Result<std::int64_t> schema_version() override {
    ANIMA_ASSIGN(ReadingPool::Lease lease, readers_.lease());
    return lease->database.query_integer("PRAGMA user_version");
  }
  Result<EntryRows> stored(Sequence sequence) override;
  Status copy_to(const std::string& path, const CopyProgress& progress) override;
  Result<bool> sweep(bool shrink) override;
  std::string place() const override { return path_; }

 private:
  struct AsItLies {
    FileInfo log, wal;  // wal: of no bytes where there is none
  };

  Status open_reading();
  Result<AsItLies> as_it_lies() const;
  Status trust_shared_head();
  Status repair_shared_head();
  Status check_unchanged();
  Result<ReadBatch> read_batch(Sequence first);

  const std::string folder_, path_;
  const SqliteLogOptions options_;
  std::unique_ptr<SharedHead> shared_;
  bool lost_tail_ = false;  // the log ends before the shared head, which then says nothing of it
  std::optional<AsItLies> as_opened_;  // of a log that is read as it lies
  std::optional<FileIdentity> file_;
  WritingConnection writing_;
  ReadingPool readers_;
};

// --- opening ------------------------------------------------------------------------------------

Status SqliteLog::open_reading() {
  ANIMA_ASSIGN(const AsItLies before, as_it_lies());
  DatabaseMode mode = DatabaseMode::kReadOnly;
  ANIMA_ASSIGN(Database database,
               Database::open_to_read(path_, options_.vfs, kBusyMilliseconds, &mode));
  if (mode != DatabaseMode::kReadOnly) {
    readers_.set_mode(mode);
    as_opened_ = before;
  }
  return check_log_version(database, path_);
}

Result<SqliteLog::AsItLies> SqliteLog::as_it_lies() const {
  AsItLies files;
  ANIMA_ASSIGN(files.log, system_files().info(path_));
  const Result<FileInfo> wal = system_files().info(path_ + "-wal");
  if (wal) files.wal = *wal;
  return files;
}

// SQLite does not look whether a file that it reads as it lies is written by somebody who can.
Status SqliteLog::check_unchanged() {
  if (!as_opened_) return {};
  ANIMA_ASSIGN(const AsItLies now, as_it_lies());
  const auto same = [](const FileInfo& a, const FileInfo& b) {
    return a.size == b.size && (a.size == 0 || a.modified == b.modified);
  };
  if (same(now.log, as_opened_->log) && same(now.wal, as_opened_->wal)) return {};
  return fail(ErrorCode::kBusy,
              "the log has been written since it was opened here, and cannot be followed", path_,
              "open the space again");
}

// What is left of a log that lost its tail can be read.
Status SqliteLog::trust_shared_head() {
  if (shared_ == nullptr) return {};
  const Sequence acknowledged = shared_->acknowledged();  // before the log: it only grows
  const Result<Head> now = head();
  lost_tail_ = now && acknowledged > now->sequence;
  return {};
}

Status SqliteLog::repair_shared_head() {
  const Sequence acknowledged = shared_->acknowledged();  // before the log: it only grows
  if (const Result<Head> now = read_head(writing_.last)) {
    ANIMA_TRY(check_acknowledged(*now, acknowledged, path_));
  }
  // Whoever has the turn now keeps the head right.
  if (!writing_.mutex.try_lock()) return {};
  const std::lock_guard guard(writing_.mutex, std::adopt_lock);
  ANIMA_ASSIGN(const bool mine, writing_.lock->try_lock());
  if (!mine) return {};
  const Result<Head> head = read_head(writing_.last);
  // A damaged head entry is reported by whoever reads it.
  if (head) shared_->settle(head->sequence);
  writing_.lock->unlock(*shared_);
  return {};
}

// --- reading ------------------------------------------------------------------------------------

// A statement that stayed open would keep the WAL from being reset.
Result<ReadBatch> SqliteLog::read_batch(Sequence first) {
  ANIMA_TRY(check_unchanged());
  ANIMA_ASSIGN(ReadingPool::Lease lease, readers_.lease());
  ReadBatch batch;
  std::size_t bytes = 0;
  lease->from.reset();
  lease->from.bind(1, static_cast<std::int64_t>(first));
  while (bytes < kReadBatchBytes) {
    const Sequence expected{to_number(first) + batch.entries.size()};
    const Result<bool> more = lease->from.step();
    if (!more) {
      batch.damage = more.error();
      if (batch.damage->code == ErrorCode::kCorrupt) batch.damage->where = entry_place(expected);
      break;
    }
    if (!*more) break;
    Result<LogEntry> entry = read_row(lease->from, lease->parts, expected);
    if (!entry) {
      batch.damage = std::move(entry).error();
      break;
    }
    bytes += entry->payload.size() + 256;
    batch.entries.push_back(std::move(*entry));
  }
  batch.full = bytes >= kReadBatchBytes;
  lease->from.reset();
  return batch;
}

Result<bool> SqliteLog::follow(Sequence after, std::int64_t timeout_milliseconds) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + milliseconds(timeout_milliseconds);
  while (true) {
    const std::uint32_t ticket = shared_ != nullptr ? shared_->ticket() : 0;
    std::optional<Sequence> known = known_head();
    if (!known) {
      ANIMA_ASSIGN(const Head now, head());
      known = now.sequence;
    }
    if (*known > after) return true;
    const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now()).count();
    if (left <= 0) return false;
    const std::int64_t slice = std::min<std::int64_t>(left, kFollowSliceMilliseconds);
    if (shared_ != nullptr) {
      shared_->wait(ticket, slice);
    } else {
      std::this_thread::sleep_for(milliseconds(slice));
    }
  }
}

// --- rows ---------------------------------------------------------------------------------------

Result<EntryRows> SqliteLog::stored(Sequence sequence) {
  ANIMA_ASSIGN(ReadingPool::Lease lease, readers_.lease());
  ANIMA_ASSIGN(FileRows rows, FileRows::open(lease->database));
  return rows.read(sequence);
}

Status SqliteLog::copy_to(const std::string& path, const CopyProgress& progress) {
  ANIMA_TRY(check_unchanged());
  ANIMA_ASSIGN(Database from, Database::open_to_read(path_, options_.vfs, kBusyMilliseconds));
  ANIMA_ASSIGN(Database to, Database::open(path, DatabaseMode::kCreate, {}, 0));
  ANIMA_TRY(copy_database(from, to, [&](std::uint64_t left, std::uint64_t all) {
    return !progress || progress(all - left, all);
  }));
  return to.execute("PRAGMA journal_mode=DELETE");
}

Result<bool> SqliteLog::sweep(bool shrink) {
  ANIMA_ASSIGN(ExclusiveLog writing, ExclusiveLog::open(folder_));
  if (shrink) ANIMA_TRY(writing.shrink());
  return writing.fold();
}

}  // namespace

std::string log_path(const std::string& folder) { return join_path(folder, "log.db"); }

Error no_space(const std::string& folder) {
  return {ErrorCode::kNotFound, "there is no space", folder, "make one with `anima init`"};
}

Result<std::int64_t> sqlite_schema_version(const std::string& folder) {
  ANIMA_ASSIGN(Database database, Database::open_to_read(log_path(folder), {}, kBusyMilliseconds));
  const Status known = check_log_version(database, log_path(folder));
  if (!known && known.error().code == ErrorCode::kCorrupt) return fail(known.error());
  return database.query_integer("PRAGMA user_version");
}

namespace {

// The log is there: what could not be found is a file beside it, such as the index of a WAL that
// cannot be made on a file system that can only be read, or a link to nothing.
Error with_a_log(Error error) {
  if (error.code != ErrorCode::kNotFound || error.message == kEmptyLog) return error;
  error.code = ErrorCode::kIo;
  error.message =
      "the log is there, and a file beside it cannot be opened or made: " + error.message;
  error.hint =
      "`anima doctor` names what is in the way; of a disk that can only be read, copy the folder "
      "to one that can be written";
  return error;
}

}  // namespace

Result<std::unique_ptr<Log>> open_sqlite_log(const std::string& folder,
                                             const SqliteLogOptions& options) {
  const auto file = system_files().info(log_path(folder));
  if (!options.create && !file) return fail(no_space(folder));
  const bool is_there = file && file->size > 0;
  auto log = std::make_unique<SqliteLog>(folder, options);
  if (Status opened = log->open(); !opened)
    return fail(is_there ? with_a_log(std::move(opened).error()) : std::move(opened).error());
  return log;
}

}  // namespace anima::store::detail
