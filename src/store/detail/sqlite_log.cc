#include "store/detail/sqlite_log.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "store/detail/archived.h"
#include "store/detail/shared_head.h"
#include "store/detail/sqlite.h"

namespace anima::store::detail {
namespace {

constexpr int kBusyMilliseconds = 30'000;  // only strangers (the sqlite3 program) make us wait
constexpr std::size_t kReadBatchBytes = std::size_t{256} << 10;
constexpr std::int64_t kFollowSliceMilliseconds = 50;

constexpr char kSchemaSql[] =
    "CREATE TABLE log(sequence INTEGER PRIMARY KEY, entry BLOB NOT NULL);"
    "CREATE TABLE part(sequence INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,"
    " PRIMARY KEY(sequence, number)) WITHOUT ROWID;";

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

// One connection for reading, with its statements.
struct Reader {
  Database database;
  Statement last, from, one, parts;

  static Result<std::unique_ptr<Reader>> open(const std::string& path, DatabaseMode mode,
                                              const std::string& vfs) {
    auto reader = std::make_unique<Reader>();
    ANIMA_ASSIGN(reader->database, Database::open(path, mode, vfs, kBusyMilliseconds));
    reader->database.keep_wal();
    ANIMA_TRY(reader->prepare());
    return reader;
  }
  Status prepare() {
    ANIMA_ASSIGN(
        last, database.prepare("SELECT sequence, entry FROM log ORDER BY sequence DESC LIMIT 1"));
    ANIMA_ASSIGN(
        from,
        database.prepare("SELECT sequence, entry FROM log WHERE sequence >= ? ORDER BY sequence"));
    ANIMA_ASSIGN(one, database.prepare("SELECT sequence, entry FROM log WHERE sequence = ?"));
    ANIMA_ASSIGN(parts, database.prepare(
                            "SELECT number, bytes FROM part WHERE sequence = ? ORDER BY number"));
    return {};
  }
};

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

// The entry of the current row of `statement`, hash checked. Keeps no view of the row.
Result<LogEntry> take_row(Statement& statement, Statement& parts, Sequence expected) {
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

Result<Head> head_of(Statement& last) {
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

class SqliteLog;

// What the writing connection needs for one turn after the other.
struct Writing {
  Database database;
  Statement begin, commit, rollback, insert, insert_part, last;
  std::mutex mutex;                // the turn among this process's threads
  std::unique_ptr<TurnLock> lock;  // and among processes
  Head head;                       // valid while data_version is what SQLite says
  std::uint32_t data_version = 0;
  bool head_known = false;
};

class SqliteTurn final : public Log::Turn {
 public:
  SqliteTurn(SqliteLog& log, std::unique_lock<std::mutex> guard)
      : log_(log), guard_(std::move(guard)) {}
  ~SqliteTurn() override;

  Status begin();
  Head head() const override { return head_; }
  Result<Head> append(LogEntry entry, Timestamp now) override;
  Status commit() override;

 private:
  Status insert_parts(const LogEntry& entry);
  void finish();

  SqliteLog& log_;
  std::unique_lock<std::mutex> guard_;
  Head start_, head_;
  std::string row_;
  bool locked_ = false, begun_ = false, announced_ = false;
};

class SqliteLog final : public Log {
 public:
  SqliteLog(std::string folder, SqliteLogOptions options)
      : folder_(std::move(folder)), path_(log_path(folder_)), options_(std::move(options)) {}

  Status open() {
    if (options_.read_only) {
      ANIMA_TRY(open_reading());
    } else {
      ANIMA_TRY(open_writing());
    }
    if (auto shared = SharedHead::open(join_path(folder_, "log.head"), options_.read_only)) {
      shared_ = std::move(*shared);
    } else if (!options_.read_only) {
      return fail(std::move(shared).error());
    }
    return repair_shared_head();
  }

  Result<Head> head() override {
    ANIMA_ASSIGN(Lease lease, reader());
    return head_of(lease->last);
  }

  std::optional<Sequence> known_head() override {
    return shared_ != nullptr ? shared_->known() : std::nullopt;
  }

  Status read(Sequence first, const std::function<Status(const LogEntry&)>& visit) override;

  Result<LogEntry> entry(Sequence sequence) override {
    ANIMA_ASSIGN(Lease lease, reader());
    lease->one.reset();
    lease->one.bind(1, static_cast<std::int64_t>(sequence));
    ANIMA_ASSIGN(const bool found, lease->one.step());
    if (!found) {
      lease->one.reset();
      return fail(ErrorCode::kNotFound, "there is no such entry", entry_place(sequence));
    }
    Result<LogEntry> entry = take_row(lease->one, lease->parts, sequence);
    lease->one.reset();
    return entry;
  }

  Result<std::uint64_t> stored_bytes() override {
    ANIMA_ASSIGN(Lease lease, reader());
    ANIMA_ASSIGN(const std::int64_t pages, lease->database.query_integer("PRAGMA page_count"));
    ANIMA_ASSIGN(const std::int64_t size, lease->database.query_integer("PRAGMA page_size"));
    return static_cast<std::uint64_t>(pages * size);
  }

  Result<std::unique_ptr<Turn>> take_turn() override {
    if (options_.read_only) {
      return fail(ErrorCode::kDenied, "the space was opened read-only", path_);
    }
    auto turn = std::make_unique<SqliteTurn>(*this, std::unique_lock(writing_.mutex));
    ANIMA_TRY(turn->begin());
    return turn;
  }

  Result<bool> follow(Sequence after, std::int64_t timeout_milliseconds) override;

 private:
  friend class SqliteTurn;

  // A reading connection, given back at the end.
  class Lease {
   public:
    Lease(SqliteLog& log, std::unique_ptr<Reader> reader)
        : log_(&log), reader_(std::move(reader)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) noexcept = default;
    ~Lease() {
      if (reader_ == nullptr) return;
      const std::lock_guard guard(log_->readers_mutex_);
      log_->readers_.push_back(std::move(reader_));
    }
    Reader* operator->() const { return reader_.get(); }

   private:
    SqliteLog* log_;
    std::unique_ptr<Reader> reader_;
  };

  Result<Lease> reader() {
    {
      const std::lock_guard guard(readers_mutex_);
      if (!readers_.empty()) {
        std::unique_ptr<Reader> reader = std::move(readers_.back());
        readers_.pop_back();
        return Lease(*this, std::move(reader));
      }
    }
    ANIMA_ASSIGN(auto reader, Reader::open(path_, reading_mode_, options_.vfs));
    return Lease(*this, std::move(reader));
  }

  Status open_reading();
  Status open_writing();
  Status check_version(Database& database);
  Status create_schema(Database& database);
  Status repair_shared_head();
  struct ReadBatch {
    std::vector<LogEntry> entries;
    std::optional<Error> damage;  // what came after them
    bool full = false;            // there may be more
  };
  Result<ReadBatch> read_batch(Sequence first);

  const std::string folder_, path_;
  const SqliteLogOptions options_;
  Writing writing_;
  std::unique_ptr<SharedHead> shared_;
  DatabaseMode reading_mode_ = DatabaseMode::kReadOnly;
  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<Reader>> readers_;
};

// --- opening ------------------------------------------------------------------------------------

Status SqliteLog::check_version(Database& database) {
  ANIMA_ASSIGN(const std::int64_t application, database.query_integer("PRAGMA application_id"));
  ANIMA_ASSIGN(const std::int64_t schema, database.query_integer("PRAGMA user_version"));
  if (application != kLogApplication) {
    return fail(ErrorCode::kCorrupt, "this SQLite file is no Anima log", path_);
  }
  if (schema != kLogSchema && schema != kArchivedSchema) return fail(version_error(schema, path_));
  return {};
}

Status SqliteLog::create_schema(Database& database) {
  ANIMA_TRY(database.execute("PRAGMA page_size=4096; PRAGMA journal_mode=WAL"));
  ANIMA_TRY(database.execute("BEGIN IMMEDIATE"));
  // Somebody else may have been faster.
  Result<std::int64_t> tables = database.query_integer("SELECT count(*) FROM sqlite_schema");
  Status made;
  if (!tables) {
    made = fail(std::move(tables).error());
  } else if (*tables == 0) {
    made = database.execute(std::string(kSchemaSql) +
                            "PRAGMA application_id=" + std::to_string(kLogApplication) +
                            ";PRAGMA user_version=" + std::to_string(kLogSchema));
  }
  if (made) made = database.execute("COMMIT");
  if (!made) (void)database.execute("ROLLBACK");
  return made;
}

Status SqliteLog::open_writing() {
  const DatabaseMode mode = options_.create ? DatabaseMode::kCreate : DatabaseMode::kReadWrite;
  ANIMA_ASSIGN(writing_.database, Database::open(path_, mode, options_.vfs, kBusyMilliseconds));
  Database& database = writing_.database;
  ANIMA_TRY(database.execute("PRAGMA synchronous=FULL"));
  ANIMA_ASSIGN(const std::int64_t tables,
               database.query_integer("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0) {
    if (!options_.create) return fail(ErrorCode::kNotFound, "the log is empty", path_);
    ANIMA_TRY(create_schema(database));
  }
  ANIMA_TRY(check_version(database));
  // A WAL that is reset, not removed, is overwritten in place: cheaper to sync than one that grows.
  ANIMA_TRY(
      database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                       "PRAGMA wal_autocheckpoint=2000; PRAGMA cache_size=-2048;"
                       "PRAGMA journal_size_limit=67108864"));
  database.keep_wal();
  ANIMA_ASSIGN(writing_.begin, database.prepare("BEGIN IMMEDIATE"));
  ANIMA_ASSIGN(writing_.commit, database.prepare("COMMIT"));
  ANIMA_ASSIGN(writing_.rollback, database.prepare("ROLLBACK"));
  ANIMA_ASSIGN(writing_.insert, database.prepare("INSERT INTO log(sequence, entry) VALUES(?, ?)"));
  ANIMA_ASSIGN(writing_.insert_part,
               database.prepare("INSERT INTO part(sequence, number, bytes) VALUES(?, ?, ?)"));
  ANIMA_ASSIGN(writing_.last,
               database.prepare("SELECT sequence, entry FROM log ORDER BY sequence DESC LIMIT 1"));
  ANIMA_ASSIGN(writing_.lock, TurnLock::open(join_path(folder_, "log.turn")));
  return {};
}

Status SqliteLog::open_reading() {
  // On a read-only file system without the -shm file SQLite cannot make its index of the WAL; a log
  // without anything in its WAL is then read as it lies.
  Result<Database> database =
      Database::open(path_, DatabaseMode::kReadOnly, options_.vfs, kBusyMilliseconds);
  if (!database) return fail(std::move(database).error());
  Status checked = check_version(*database);
  if (checked) return {};
  if (checked.error().code != ErrorCode::kIo && checked.error().code != ErrorCode::kNotFound) {
    return checked;
  }
  const Result<FileInfo> wal = system_files().info(path_ + "-wal");
  if (wal && wal->size != 0) return checked;
  ANIMA_ASSIGN(*database, Database::open(path_, DatabaseMode::kImmutable, options_.vfs, 0));
  reading_mode_ = DatabaseMode::kImmutable;
  return check_version(*database);
}

Status SqliteLog::repair_shared_head() {
  if (shared_ == nullptr) return {};
  if (options_.read_only) return {};
  // Whoever has the turn now keeps the head right.
  if (!writing_.mutex.try_lock()) return {};
  const std::lock_guard guard(writing_.mutex, std::adopt_lock);
  ANIMA_ASSIGN(const bool mine, writing_.lock->try_lock());
  if (!mine) return {};
  const Result<Head> head = head_of(writing_.last);
  // A damaged head entry is reported by whoever reads it.
  if (head) shared_->settle(head->sequence);
  writing_.lock->unlock();
  return {};
}

// --- reading ------------------------------------------------------------------------------------

// As many entries as make a batch, so that no statement (which would keep the WAL from being reset)
// is open while a visitor runs.
Result<SqliteLog::ReadBatch> SqliteLog::read_batch(Sequence first) {
  ANIMA_ASSIGN(Lease lease, reader());
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
    Result<LogEntry> entry = take_row(lease->from, lease->parts, expected);
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

Status SqliteLog::read(Sequence first, const std::function<Status(const LogEntry&)>& visit) {
  Sequence next = std::max(first, Sequence{1});
  Digest previous{};
  if (to_number(next) > 1) {
    Result<LogEntry> before = entry(Sequence{to_number(next) - 1});
    if (!before && before.error().code == ErrorCode::kNotFound) {
      ANIMA_ASSIGN(const Head end, head());
      if (end.sequence < next) return {};
    }
    if (!before) return fail(std::move(before).error());
    previous = before->hash;
  }
  // The batch that follows is read and hashed while this one is visited.
  Result<ReadBatch> batch = read_batch(next);
  while (true) {
    if (!batch) return fail(std::move(batch).error());
    const Sequence after{to_number(next) + batch->entries.size()};
    std::future<Result<ReadBatch>> following;
    if (batch->full) {
      following = std::async(std::launch::async, [this, after] { return read_batch(after); });
    }
    for (const LogEntry& entry : batch->entries) {
      if (entry.previous != previous) {
        return fail(ErrorCode::kCorrupt, "it is not chained to the entry before it",
                    entry_place(next));
      }
      ANIMA_TRY(visit(entry));
      previous = entry.hash;
      next = Sequence{to_number(next) + 1};
    }
    if (batch->damage) return fail(std::move(*batch->damage));
    if (batch->entries.empty()) return {};
    batch = following.valid() ? following.get() : read_batch(next);
  }
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

// --- writing ------------------------------------------------------------------------------------

Status SqliteTurn::begin() {
  Writing& writing = log_.writing_;
  ANIMA_TRY(writing.lock->lock(log_.shared_->in_line()));
  locked_ = true;
  ANIMA_TRY(writing.begin.run());
  begun_ = true;
  // The head that this process left is still the head unless another connection wrote since.
  std::uint32_t version = 0;
  writing.database.data_version(&version);
  if (!writing.head_known || version != writing.data_version) {
    ANIMA_ASSIGN(writing.head, head_of(writing.last));
    writing.head_known = true;
    writing.data_version = version;
  }
  start_ = head_ = writing.head;
  return {};
}

Result<Head> SqliteTurn::append(LogEntry entry, Timestamp now) {
  entry.sequence = Sequence{to_number(head_.sequence) + 1};
  entry.time = std::max(now, head_.time);
  entry.previous = head_.hash;
  encode_entry(entry, log_.options_.part_bytes, row_);
  if (entry.payload.size() > log_.options_.part_bytes) ANIMA_TRY(insert_parts(entry));
  Statement& insert = log_.writing_.insert;
  insert.bind(1, static_cast<std::int64_t>(entry.sequence));
  insert.bind_blob(2, row_);
  ANIMA_TRY(insert.run());
  head_ = Head{entry.sequence, entry.time, entry.hash};
  return head_;
}

Status SqliteTurn::insert_parts(const LogEntry& entry) {
  Statement& insert = log_.writing_.insert_part;
  const std::string_view payload = entry.payload;
  const std::uint64_t step = log_.options_.part_bytes;
  std::int64_t number = 0;
  for (std::uint64_t at = 0; at < payload.size(); at += step, ++number) {
    insert.bind(1, static_cast<std::int64_t>(entry.sequence));
    insert.bind(2, number);
    insert.bind_blob(3, payload.substr(at, step));
    ANIMA_TRY(insert.run());
  }
  return {};
}

Status SqliteTurn::commit() {
  ANIMA_CHECK(guard_.owns_lock());
  if (head_.sequence == start_.sequence) {
    finish();
    return {};
  }
  if (log_.shared_ != nullptr) log_.shared_->announce(head_.sequence);
  announced_ = true;
  const Status committed = log_.writing_.commit.run();
  if (committed) {
    begun_ = false;
    log_.writing_.head = head_;
    if (log_.shared_ != nullptr) log_.shared_->settle(head_.sequence);
  }
  finish();
  return committed;
}

void SqliteTurn::finish() {
  Writing& writing = log_.writing_;
  if (begun_) {
    // After some failures SQLite has rolled back by itself; then this fails and changes nothing.
    (void)writing.rollback.run();
    begun_ = false;
    writing.head_known = false;
    if (announced_ && log_.shared_ != nullptr) log_.shared_->settle(start_.sequence);
  }
  if (locked_) {
    writing.lock->unlock();
    locked_ = false;
  }
  if (guard_.owns_lock()) guard_.unlock();
}

SqliteTurn::~SqliteTurn() { finish(); }

}  // namespace

std::string log_path(const std::string& folder) { return join_path(folder, "log.db"); }

Result<std::unique_ptr<Log>> open_sqlite_log(const std::string& folder,
                                             const SqliteLogOptions& options) {
  if (!options.create && !file_exists(system_files(), log_path(folder))) {
    return fail(ErrorCode::kNotFound, "there is no log", log_path(folder),
                "make a space with `anima init`");
  }
  auto log = std::make_unique<SqliteLog>(folder, options);
  ANIMA_TRY(log->open());
  return log;
}

}  // namespace anima::store::detail

namespace anima::store {

Result<std::unique_ptr<Log>> open_log(const std::string& folder) {
  detail::SqliteLogOptions options;
  options.read_only = true;
  return detail::open_sqlite_log(folder, options);
}

}  // namespace anima::store
