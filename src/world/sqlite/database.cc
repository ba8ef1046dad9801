#include "world/sqlite/database.h"

#include <sqlite3.h>

namespace anima::world {
namespace {

constexpr int kBusyMilliseconds = 5000;

tl::unexpected<Error> database_error(sqlite3* handle) {
  const int code = handle == nullptr ? SQLITE_NOMEM : sqlite3_errcode(handle);
  const ErrorCode kind = code == SQLITE_FULL                               ? ErrorCode::kDiskFull
                         : code == SQLITE_BUSY || code == SQLITE_LOCKED    ? ErrorCode::kBusy
                         : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? ErrorCode::kCorrupt
                                                                           : ErrorCode::kIo;
  const char* path = handle == nullptr ? nullptr : sqlite3_db_filename(handle, "main");
  return fail(kind,
              std::string("the state of the world cannot be used: ") +
                  (handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle)),
              path == nullptr ? "" : path,
              kind == ErrorCode::kBusy ? "another program runs this world; wait for it" : "");
}

}  // namespace

void Statement::End::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Statement& Statement::integer(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}
Statement& Statement::real(int index, double value) {
  sqlite3_bind_double(statement_.get(), index, value);
  return *this;
}
Statement& Statement::blob(int index, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_blob64(statement_.get(), index, data, value.size(), SQLITE_TRANSIENT);
  return *this;
}
Statement& Statement::text(int index, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}
Statement& Statement::null(int index) {
  sqlite3_bind_null(statement_.get(), index);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3* const handle = sqlite3_db_handle(statement_.get());
  if (code != SQLITE_DONE) {
    auto error = database_error(handle);
    sqlite3_reset(statement_.get());
    return error;
  }
  sqlite3_reset(statement_.get());
  return false;
}

Status Statement::run() {
  for (;;) {
    ANIMA_ASSIGN(const bool row, step());
    if (!row) return {};
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }
std::string Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string() : std::string(data, static_cast<std::size_t>(size));
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Database> Database::open(const std::string& path) {
  Database database;
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &raw,
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database.handle_.reset(raw);
  if (code != SQLITE_OK) return database_error(raw);
  sqlite3_busy_timeout(raw, kBusyMilliseconds);
  ANIMA_TRY(
      database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON"));
  return database;
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr) !=
      SQLITE_OK)
    return database_error(handle_.get());
  return Statement(raw);
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return database_error(handle_.get());
  return {};
}

}  // namespace anima::world
