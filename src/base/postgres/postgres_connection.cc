#include "base/postgres/postgres_connection.h"

#include <poll.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/detail/libpq.h"

namespace anima {
namespace {

using detail::libpq;

constexpr const char* kConnectSeconds = "10";
constexpr const char* kUnansweredMilliseconds = "30000";
constexpr std::int64_t kSliceMilliseconds = 20;
// The server, too, must learn of a client that is gone: it may hold a lock.
constexpr const char* kServerKeepalives =
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;"
    "SET tcp_user_timeout = 30000";

struct ClearResult {
  void operator()(PGresult* result) const { libpq().clear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

bool succeeded(const PGresult* result) {
  const ExecStatusType status = libpq().result_status(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

// One line of what libpq says.
std::string one_line(const char* said) {
  std::string text = said == nullptr ? "" : said;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

// By its SQLSTATE, or the class of it.
ErrorCode code_of_state(std::string_view state) {
  if (state == "53100") return ErrorCode::kDiskFull;
  if (state == "23505") return ErrorCode::kConflict;
  if (state.starts_with("28") || state == "42501" || state == "25006") return ErrorCode::kDenied;
  if (state.starts_with("40") || state.starts_with("55")) return ErrorCode::kBusy;
  if (state.starts_with("XX")) return ErrorCode::kCorrupt;
  return ErrorCode::kIo;
}

// The numbers of a row are as the server holds them: the highest byte first.
std::uint64_t from_network(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

const PGresult* result_of(const void* result) { return static_cast<const PGresult*>(result); }

}  // namespace

// --- values and rows ----------------------------------------------------------------------------

PostgresValues& PostgresValues::integer(std::int64_t value) { return text(std::to_string(value)); }

PostgresValues& PostgresValues::real(double value) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  return text(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

PostgresValues& PostgresValues::text(std::string_view value) {
  values_.push_back({std::string(value), {}, One::Kind::kText});
  return *this;
}

PostgresValues& PostgresValues::blob(std::string_view value) {
  values_.push_back({{}, value, One::Kind::kBlob});
  return *this;
}

PostgresValues& PostgresValues::null() {
  values_.push_back({{}, {}, One::Kind::kNull});
  return *this;
}

PostgresRows::PostgresRows(void* result) : result_(result) {}

void PostgresRows::Clear::operator()(void* result) const {
  libpq().clear(static_cast<PGresult*>(result));
}

int PostgresRows::count() const {
  return result_ == nullptr ? 0 : libpq().rows(result_of(result_.get()));
}

bool PostgresRows::is_null(int row, int column) const {
  return libpq().is_null(result_of(result_.get()), row, column) == 1;
}

std::string_view PostgresRows::bytes(int row, int column) const {
  const PGresult* const result = result_of(result_.get());
  return {libpq().value(result, row, column),
          static_cast<std::size_t>(libpq().length(result, row, column))};
}

std::int64_t PostgresRows::integer(int row, int column) const {
  const std::string_view number = bytes(row, column);
  const std::uint64_t value = from_network(number);
  if (number.size() == 2) return static_cast<std::int16_t>(value);
  return number.size() == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

double PostgresRows::real(int row, int column) const {
  const std::string_view number = bytes(row, column);
  const std::uint64_t bits = from_network(number);
  if (number.size() == 4) {
    const auto half = static_cast<std::uint32_t>(bits);
    float value = 0;
    std::memcpy(&value, &half, sizeof value);
    return static_cast<double>(value);
  }
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::string_view PostgresRows::command() const {
  if (result_ == nullptr) return {};
  return libpq().command_status(static_cast<PGresult*>(result_.get()));
}

// --- the connection -----------------------------------------------------------------------------

struct PostgresConnection::Handle {
  PGconn* connection = nullptr;
  bool in_pipeline = false;
  ~Handle() {
    if (connection != nullptr) libpq().finish(connection);
  }
};

PostgresConnection::PostgresConnection(PostgresWords words) : words_(std::move(words)) {}

PostgresConnection::~PostgresConnection() = default;

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::open(const PostgresAddress& address,
                                                                     PostgresWords words) {
  if (words.shown.empty()) words.shown = address.shown();
  std::unique_ptr<PostgresConnection> opened(new PostgresConnection(std::move(words)));
  ANIMA_TRY(opened->connect(address));
  return opened;
}

Status PostgresConnection::connect(const PostgresAddress& address) {
  // What comes later wins: the address may have a time of its own.
  const char* const names[] = {"connect_timeout",
                               "tcp_user_timeout",
                               "keepalives_idle",
                               "keepalives_interval",
                               "keepalives_count",
                               "client_encoding",
                               "dbname",
                               "fallback_application_name",
                               nullptr};
  const char* const values[] = {kConnectSeconds, kUnansweredMilliseconds,    "10",    "5",    "3",
                                "UTF8",          address.connection.c_str(), "anima", nullptr};
  handle_ = std::make_unique<Handle>();
  handle_->connection = libpq().connect(names, values, 1);
  if (handle_->connection == nullptr)
    return fail(ErrorCode::kIo, "there is no memory for a connection");
  if (libpq().status(handle_->connection) != CONNECTION_OK) {
    lost_ = true;
    return refused();
  }
  libpq().set_notice_receiver(
      handle_->connection, [](void*, const PGresult*) {}, nullptr);
  return execute(kServerKeepalives);
}

Status PostgresConnection::execute(const std::string& sql) {
  ANIMA_TRY(settle());
  if (lost_) return lost_error();
  const ResultHandle done(libpq().exec(handle_->connection, sql.c_str()));
  if (done == nullptr || !succeeded(done.get())) return error(done.get());
  return {};
}

Result<std::string> PostgresConnection::prepared(std::string_view sql) {
  const auto known = prepared_.find(sql);
  if (known != prepared_.end()) return known->second;
  ANIMA_TRY(settle());
  if (lost_) return lost_error();
  const std::string text(sql);
  const std::string name = "anima_" + std::to_string(prepared_.size());
  const ResultHandle made(
      libpq().prepare(handle_->connection, name.c_str(), text.c_str(), 0, nullptr));
  if (made == nullptr || !succeeded(made.get())) return error(made.get());
  return prepared_.emplace(text, name).first->second;
}

Status PostgresConnection::prepare(std::string_view sql) {
  return prepared(sql).map([](const std::string&) {});
}

Result<PostgresRows> PostgresConnection::ask(std::string_view sql, const PostgresValues& values) {
  ANIMA_TRY(settle());
  ANIMA_TRY(send(sql, values));
  ANIMA_ASSIGN(std::vector<PostgresRows> rows, settle_rows());
  if (rows.empty()) return lost_error();
  return std::move(rows.back());
}

Status PostgresConnection::send(std::string_view sql, const PostgresValues& values) {
  ANIMA_ASSIGN(const std::string name, prepared(sql));
  if (lost_) return lost_error();
  std::vector<const char*> pointers;
  std::vector<int> lengths, formats;
  for (const PostgresValues::One& value : values.values_) {
    const bool blob = value.kind == PostgresValues::One::Kind::kBlob;
    const bool none = value.kind == PostgresValues::One::Kind::kNull;
    // An empty view may have no address; a null pointer would be NULL.
    const char* const bytes =
        blob ? (value.blob.empty() ? "" : value.blob.data()) : value.text.c_str();
    pointers.push_back(none ? nullptr : bytes);
    lengths.push_back(static_cast<int>(blob ? value.blob.size() : value.text.size()));
    formats.push_back(blob ? 1 : 0);
  }
  if (!handle_->in_pipeline) {
    if (libpq().enter_pipeline(handle_->connection) != 1) return lost_error();
    handle_->in_pipeline = true;
  }
  if (libpq().send_query_prepared(handle_->connection, name.c_str(),
                                  static_cast<int>(pointers.size()), pointers.data(),
                                  lengths.data(), formats.data(), 1) != 1) {
    lost_ = libpq().status(handle_->connection) != CONNECTION_OK;
    Unexpected<Error> why = lost_error();
    if (waiting_ == 0) leave_pipeline();
    static_cast<void>(settle());
    return why;
  }
  ++waiting_;
  return {};
}

Status PostgresConnection::settle() {
  Status outcome;
  while (waiting_ > 0) {
    const auto rows = settle_rows();
    if (!rows && outcome) outcome = fail(rows.error());
  }
  return outcome;
}

Status PostgresConnection::end_piece() {
  std::size_t ended = 0;
  for (const std::size_t piece : pieces_) ended += piece;
  if (waiting_ == ended) return {};
  if (libpq().pipeline_sync(handle_->connection) != 1) {
    lost_ = true;
    leave_pipeline();
    return lost_error();
  }
  pieces_.push_back(waiting_ - ended);
  return {};
}

void PostgresConnection::leave_pipeline() {
  waiting_ = 0;
  pieces_.clear();
  handle_->in_pipeline = false;
  if (!lost_) libpq().exit_pipeline(handle_->connection);
}

// What one statement has answered.
Status PostgresConnection::read_answer(std::vector<PostgresRows>& rows) {
  PGconn* const connection = handle_->connection;
  Status outcome;
  bool answered = false;
  for (;;) {
    ResultHandle result(libpq().get_result(connection));
    if (result == nullptr) break;
    answered = true;
    if (succeeded(result.get())) {
      rows.emplace_back(result.release());
    } else if (libpq().result_status(result.get()) == PGRES_PIPELINE_ABORTED) {
      outcome = fail(ErrorCode::kIo, "not done: a statement before it failed", words_.shown);
    } else {
      outcome = error(result.get());
    }
    if (libpq().status(connection) != CONNECTION_OK) break;
  }
  if (libpq().status(connection) == CONNECTION_OK && answered) return outcome;
  lost_ = true;
  return outcome ? Status(lost_error()) : outcome;
}

// The first error counts: what is behind it was not done.
Result<std::vector<PostgresRows>> PostgresConnection::settle_rows(
    const std::function<bool()>& keep_on) {
  std::vector<PostgresRows> rows;
  if (waiting_ == 0) return rows;
  if (pieces_.empty()) ANIMA_TRY(end_piece());
  Status outcome;
  for (std::size_t left = pieces_.front(); left > 0 && !lost_; --left, --waiting_) {
    while (keep_on) {
      const Result<bool> ready = answer_ready(kSliceMilliseconds);
      if (!ready || *ready) break;
      if (keep_on()) continue;
      lost_ = true;
      leave_pipeline();
      return fail(ErrorCode::kCancelled, "stopped while waiting for the database", words_.shown);
    }
    const Status answer = read_answer(rows);
    if (outcome) outcome = answer;
  }
  if (!lost_) {
    const ResultHandle synced(libpq().get_result(handle_->connection));
    pieces_.pop_front();
  }
  if (lost_ || waiting_ == 0) leave_pipeline();
  if (!outcome) return fail(outcome.error());
  return rows;
}

// --- waiting ------------------------------------------------------------------------------------

Result<bool> PostgresConnection::answer_ready(std::int64_t milliseconds) {
  PGconn* const connection = handle_->connection;
  if (libpq().is_busy(connection) == 0) return true;
  struct pollfd waiting = {libpq().socket(connection), POLLIN, 0};
  (void)poll(&waiting, 1, static_cast<int>(milliseconds));
  if (waiting.revents == 0) return false;
  if (libpq().consume_input(connection) != 1) {
    lost_ = true;
    return lost_error();
  }
  return libpq().is_busy(connection) == 0;
}

bool PostgresConnection::answered() {
  const Result<bool> ready = answer_ready(0);
  return !ready || *ready;
}

Result<bool> PostgresConnection::wait_for_notice(std::int64_t milliseconds) {
  if (lost_) return lost_error();
  PGconn* const connection = handle_->connection;
  const auto drop_notices = [&] {
    bool any = false;
    while (PGnotify* const notice = libpq().notifies(connection)) {
      libpq().free_memory(notice);
      any = true;
    }
    return any;
  };
  if (drop_notices()) return true;
  struct pollfd waiting = {libpq().socket(connection), POLLIN, 0};
  (void)poll(&waiting, 1, static_cast<int>(milliseconds));
  if (waiting.revents == 0) return false;
  if (libpq().consume_input(connection) != 1) {
    lost_ = true;
    return lost_error();
  }
  return drop_notices();
}

// --- errors -------------------------------------------------------------------------------------

// libpq's words name host, port and user, never a password.
Unexpected<Error> PostgresConnection::refused() const {
  const std::string said = one_line(libpq().error_message(handle_->connection));
  const bool denied = said.find("authentication failed") != std::string::npos ||
                      said.find("no password supplied") != std::string::npos ||
                      said.find("pg_hba.conf") != std::string::npos;
  return fail(denied ? ErrorCode::kDenied : ErrorCode::kIo,
              "the database cannot be reached: " + said, words_.shown,
              denied ? "libpq reads passwords from ~/.pgpass and PGPASSWORD, too"
                     : "is the server running, and is the address right?");
}

Unexpected<Error> PostgresConnection::lost_error() {
  lost_ = true;
  return fail(ErrorCode::kIo,
              "the connection to the database is lost: " +
                  one_line(libpq().error_message(handle_->connection)),
              words_.shown, words_.when_lost);
}

Unexpected<Error> PostgresConnection::error(void* result) {
  state_.clear();
  const auto* const failed = result_of(result);
  if (failed == nullptr || libpq().status(handle_->connection) != CONNECTION_OK)
    return lost_error();
  const char* const state = libpq().result_error_field(failed, PG_DIAG_SQLSTATE);
  const char* const said = libpq().result_error_field(failed, PG_DIAG_MESSAGE_PRIMARY);
  if (state != nullptr) state_ = state;
  // libpq's own errors have no state; 57P0x: the server ends, or has not begun; 25P03: it ended
  // the session.
  if (state == nullptr || state_.starts_with("57P0") || state_.starts_with("08") ||
      state_ == "25P03") {
    return lost_error();
  }
  return fail(code_of_state(state_), "the database refuses " + words_.use + ": " + one_line(said),
              words_.shown);
}

}  // namespace anima
