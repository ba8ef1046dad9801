#include "store/log/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "base/files/file.h"

namespace anima::store::detail {
namespace {

ErrorCode code_of(int extended, int system_errno) {
  switch (extended & 0xff) {
    case SQLITE_FULL:
      return ErrorCode::kDiskFull;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kBusy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_TOOBIG:
      return ErrorCode::kLimitExceeded;
    case SQLITE_CANTOPEN:
      return system_errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    case SQLITE_IOERR:
      return system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG
                 ? ErrorCode::kDiskFull
                 : ErrorCode::kIo;
    default:
      return ErrorCode::kIo;
  }
}

std::string hint_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::kDiskFull:
      return "free some space and try again";
    case ErrorCode::kBusy:
      return "another program holds the log; try again";
    case ErrorCode::kIo:
      return "see whether the disk is whole and its files may be written: `anima doctor`";
    case ErrorCode::kCorrupt:
      return "`anima doctor` says what is damaged";
    default:
      return {};
  }
}

}  // namespace

Error sqlite_error(sqlite3* handle, int code, std::string_view what, const std::string& where) {
  const int system_errno = handle != nullptr ? sqlite3_system_errno(handle) : 0;
  const ErrorCode mapped = code_of(code, system_errno);
  std::string message(what);
  message += ": ";
  message += handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  return Error{mapped, std::move(message), where, hint_for(mapped)};
}

// --- Statement ----------------------------------------------------------------------------------

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_, index, value);
}

void Statement::bind_blob(int index, std::string_view value) {
  // A null pointer would bind NULL, not an empty blob.
  const char* data = value.data() != nullptr ? value.data() : "";
  sqlite3_bind_blob64(statement_, index, data, value.size(), SQLITE_STATIC);
}

void Statement::bind_text(int index, std::string_view value) {
  const char* data = value.data() != nullptr ? value.data() : "";
  sqlite3_bind_text64(statement_, index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3* handle = sqlite3_db_handle(statement_);
  const char* path = sqlite3_db_filename(handle, "main");
  return fail(sqlite_error(handle, sqlite3_extended_errcode(handle), "the log cannot be used",
                           path != nullptr ? path : ""));
}

void Statement::reset() { sqlite3_reset(statement_); }

Status Statement::run() {
  Result<bool> row = step();
  while (row && *row) row = step();
  reset();
  if (!row) return fail(std::move(row).error());
  return {};
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string_view Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

std::string Statement::text(int column) const { return std::string(blob(column)); }

bool Statement::is_blob(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_BLOB;
}

// --- Database -----------------------------------------------------------------------------------

struct Database::Waiting {
  std::function<bool(std::int64_t)> still;
  std::chrono::steady_clock::time_point start;

  static int ask(void* data, int times) {
    constexpr std::chrono::milliseconds kStep{5};
    auto& waiting = *static_cast<Waiting*>(data);
    const auto now = std::chrono::steady_clock::now();
    if (times == 0) waiting.start = now;
    const auto waited =
        std::chrono::duration_cast<std::chrono::milliseconds>(now - waiting.start).count();
    if (!waiting.still(waited)) return 0;
    std::this_thread::sleep_for(kStep);
    return 1;
  }
};

Database::Database() = default;
Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      waiting_(std::move(other.waiting_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  std::swap(waiting_, other.waiting_);
  return *this;
}

Database::~Database() { sqlite3_close_v2(handle_); }

namespace {

// SQLite gives a new file, and with it those that it puts beside it, to every reader of the folder.
// One that is there is not opened: closing it would end the locks of this process on it.
void make_private(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor >= 0) ::close(descriptor);
}

}  // namespace

Result<Database> Database::open(const std::string& path, DatabaseMode mode, const std::string& vfs,
                                int busy_milliseconds) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE;
  std::string name = path;
  switch (mode) {
    case DatabaseMode::kReadOnly:
    case DatabaseMode::kUnlocked:
      flags |= SQLITE_OPEN_READONLY;
      break;
    case DatabaseMode::kReadWrite:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case DatabaseMode::kCreate:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      if (vfs.empty()) make_private(path);
      break;
    case DatabaseMode::kImmutable: {
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
      name = "file:";
      for (const char c : path) {
        if (c == '?' || c == '#' || c == '%') {
          static constexpr char kHex[] = "0123456789abcdef";
          name += '%';
          name += kHex[(static_cast<unsigned char>(c) >> 4) & 0xf];
          name += kHex[static_cast<unsigned char>(c) & 0xf];
        } else {
          name += c;
        }
      }
      name += "?immutable=1";
      break;
    }
  }
  Database database;
  database.path_ = path;
  const bool unlocked = mode == DatabaseMode::kUnlocked;
  const std::string files = unlocked && vfs.empty() ? "unix-none" : vfs;
  const int code = sqlite3_open_v2(name.c_str(), &database.handle_, flags,
                                   files.empty() ? nullptr : files.c_str());
  if (code != SQLITE_OK) {
    return fail(sqlite_error(database.handle_, code, "the log cannot be opened", path));
  }
  sqlite3_busy_timeout(database.handle_, busy_milliseconds);
  if (unlocked) {
    database.checkpoint_on_close(false);
    ANIMA_TRY(database.execute("PRAGMA locking_mode = EXCLUSIVE"));
  }
  return database;
}

// On a read-only file system without the -shm file SQLite cannot make its index of the WAL there.
Result<Database> Database::open_to_read(const std::string& path, const std::string& vfs,
                                        int busy_milliseconds, DatabaseMode* mode) {
  const auto readable = [](Result<Database>& database) -> Status {
    if (!database) return fail(database.error());
    return database->query_integer("PRAGMA user_version").map([](std::int64_t) {});
  };
  if (mode != nullptr) *mode = DatabaseMode::kReadOnly;
  Result<Database> database = open(path, DatabaseMode::kReadOnly, vfs, busy_milliseconds);
  if (!database) return database;
  const Status tried = readable(database);
  if (tried || (tried.error().code != ErrorCode::kIo && tried.error().code != ErrorCode::kNotFound))
    return database;
  const Result<FileInfo> wal = system_files().info(path + "-wal");
  const DatabaseMode as_it_lies =
      wal && wal->size != 0 ? DatabaseMode::kUnlocked : DatabaseMode::kImmutable;
  Result<Database> other = open(path, as_it_lies, vfs, 0);
  if (!readable(other)) return database;  // which says why
  if (mode != nullptr) *mode = as_it_lies;
  return other;
}

Result<Statement> Database::prepare(std::string_view sql) {
  Statement statement;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement.statement_, nullptr);
  if (code != SQLITE_OK) return fail(last_error("the log cannot be used"));
  return statement;
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return fail(last_error("the log cannot be used"));
  }
  return {};
}

Result<std::int64_t> Database::query_integer(const std::string& sql) {
  ANIMA_ASSIGN(Statement statement, prepare(sql));
  ANIMA_ASSIGN(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

void Database::keep_wal() {
  int on = 1;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}

void Database::checkpoint_on_close(bool on) {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr);
}

void Database::wait_with(std::function<bool(std::int64_t)> still_waiting) {
  waiting_ = std::make_unique<Waiting>(Waiting{std::move(still_waiting), {}});
  sqlite3_busy_handler(handle_, &Waiting::ask, waiting_.get());
}

bool Database::moved() const {
  int moved = 0;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

void Database::data_version(std::uint32_t* version) {
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_DATA_VERSION, version);
}

Error Database::last_error(std::string_view what) const {
  return sqlite_error(handle_, sqlite3_extended_errcode(handle_), what, path_);
}

Status copy_database(Database& from, Database& to,
                     const std::function<bool(std::uint64_t left, std::uint64_t all)>& progress) {
  // The open reading transaction pins the moment: without it each commit would start the copy
  // again.
  ANIMA_TRY(from.execute("BEGIN"));
  ANIMA_TRY(from.query_integer("SELECT count(*) FROM sqlite_schema"));
  constexpr int kPagesAStep = 2048;
  sqlite3_backup* copy = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  Status status;
  if (copy == nullptr) {
    status = fail(to.last_error("the copy cannot be started"));
  } else {
    int code = SQLITE_OK;
    while (status && (code = sqlite3_backup_step(copy, kPagesAStep)) == SQLITE_OK) {
      const auto left = static_cast<std::uint64_t>(sqlite3_backup_remaining(copy));
      const auto all = static_cast<std::uint64_t>(sqlite3_backup_pagecount(copy));
      if (progress && !progress(left, all)) status = fail(ErrorCode::kCancelled, "stopped");
    }
    sqlite3_backup_finish(copy);
    if (status && code != SQLITE_DONE) {
      status = fail(sqlite_error(to.handle(), code, "the copy failed", to.path()));
    }
  }
  const Status ended = from.execute("COMMIT");
  return status ? ended : status;
}

}  // namespace anima::store::detail
