#include "store/postgres/postgres_log.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/mutex.h"
#include "store/log/archived.h"
#include "store/log/attachment.h"
#include "store/log/log_rows.h"
#include "store/log/read_batches.h"
#include "store/log/sqlite_log.h"
#include "store/log/stored_rows.h"
#include "store/postgres/postgres_tables.h"
#include "store/postgres/postgres_turn.h"
#include "store/space_place.h"

namespace anima::store::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kRowsInBatch = 1024;
// A notification can be lost (a pooler between, say): the head is asked so often besides.
constexpr std::int64_t kAskHeadMilliseconds = 1'000;
constexpr std::string_view kOne = "SELECT sequence, entry FROM log WHERE sequence = $1";
constexpr std::string_view kParts =
    "SELECT number, bytes FROM part WHERE sequence = $1 AND number >= 0 ORDER BY number";
constexpr std::string_view kAttached = "SELECT bytes FROM part WHERE sequence = $1 AND number = -1";
static_assert(kAttachmentPart == -1);
// Up to kReadBatchBytes of rows, or one that is longer.
constexpr std::string_view kFrom =
    "SELECT sequence, entry FROM"
    " (SELECT sequence, entry,"
    "   sum(octet_length(entry)) OVER (ORDER BY sequence) - octet_length(entry) AS before"
    "  FROM (SELECT sequence, entry FROM log WHERE sequence >= $1 ORDER BY sequence LIMIT 1024)"
    "  AS page) AS counted WHERE before < 262144 ORDER BY sequence";
static_assert(kRowsInBatch == 1024 && kReadBatchBytes == 262144);

Sequence sequence_at(const PostgresRows& rows, int row) {
  return Sequence{static_cast<std::uint64_t>(rows.integer(row, 0))};
}

// Connections for reading, opened when all are lent out.
class Readers {
 public:
  Readers(const PostgresTables& tables, std::string on_opening)
      : tables_(tables), on_opening_(std::move(on_opening)) {}

  // Calls `use` with a connection. Where one that was used before turns out to be lost, the server
  // was away meanwhile: once more with a new one. So `use` may run twice.
  template <typename Use>
  auto with(const Use& use) -> decltype(use(std::declval<PostgresConnection&>())) {
    std::unique_ptr<PostgresConnection> connection = take();
    if (connection != nullptr) {
      auto done = use(*connection);
      if (!connection->lost()) {
        give_back(std::move(connection));
        return done;
      }
      forget();
    }
    ANIMA_ASSIGN(connection, tables_.connect());
    if (!on_opening_.empty()) ANIMA_TRY(connection->execute(on_opening_));
    auto done = use(*connection);
    give_back(std::move(connection));
    return done;
  }

  void give_back(std::unique_ptr<PostgresConnection> connection) {
    if (connection->lost()) return;
    const MutexLock guard(mutex_);
    idle_.push_back(std::move(connection));
  }

 private:
  std::unique_ptr<PostgresConnection> take() {
    const MutexLock guard(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<PostgresConnection> connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  void forget() {
    const MutexLock guard(mutex_);
    idle_.clear();
  }

  const PostgresTables& tables_;
  const std::string on_opening_;
  Mutex mutex_;
  std::vector<std::unique_ptr<PostgresConnection>> idle_ ANIMA_GUARDED_BY(mutex_);
};

Result<EntryRows> stored_at(PostgresConnection& connection, Sequence sequence,
                            std::string_view row) {
  EntryRows stored;
  stored.row = row;
  ANIMA_ASSIGN(const DecodedRow decoded, decode_row(sequence, stored.row));
  if (decoded.parts() != 0) {
    ANIMA_ASSIGN(const PostgresRows parts, connection.ask(kParts, number_of(sequence)));
    for (int i = 0; i < parts.count(); ++i) {
      if (parts.integer(i, 0) != i) {
        return fail(ErrorCode::kCorrupt, "part " + std::to_string(i) + " is missing",
                    entry_place(sequence));
      }
      stored.parts.emplace_back(parts.bytes(i, 1));
    }
  }
  if (has_attachment(decoded.entry)) {
    ANIMA_ASSIGN(const PostgresRows bytes, connection.ask(kAttached, number_of(sequence)));
    if (bytes.count() == 1) stored.attachment = std::string(bytes.bytes(0, 0));
  }
  return stored;
}

// The entry of a row, its hash checked.
Result<LogEntry> entry_of(PostgresConnection& connection, Sequence sequence,
                          std::string_view bytes) {
  ANIMA_ASSIGN(DecodedRow row, decode_row(sequence, bytes));
  if (row.archived) return std::move(row.entry);
  if (row.parts() == 0) {
    ANIMA_TRY(check_hash(row, {}));
    return std::move(row.entry);
  }
  ANIMA_ASSIGN(const PostgresRows parts, connection.ask(kParts, number_of(sequence)));
  std::string& payload = row.entry.payload;
  for (int i = 0; i < parts.count(); ++i) {
    if (parts.integer(i, 0) != i) {
      return fail(ErrorCode::kCorrupt, "part " + std::to_string(i) + " is missing",
                  entry_place(sequence));
    }
    payload += parts.bytes(i, 1);
  }
  if (payload.size() != row.payload_size) {
    return fail(ErrorCode::kCorrupt,
                "its parts hold " + std::to_string(payload.size()) + " bytes of " +
                    std::to_string(row.payload_size),
                entry_place(sequence));
  }
  ANIMA_TRY(check_hash(row, payload));
  return std::move(row.entry);
}

class PostgresLog final : public Log, public StoredRows {
 public:
  PostgresLog(const PostgresAddress& address, PostgresLogOptions options)
      : options_(std::move(options)),
        tables_(address, options_.wait),
        writing_(tables_, options_.wait, options_.part_bytes),
        readers_(tables_, {}) {}

  Status open() {
    ANIMA_ASSIGN(auto connection, tables_.open(options_.create));
    readers_.give_back(std::move(connection));
    listeners_ = std::make_unique<Readers>(tables_, "LISTEN \"" + tables_.channel() + "\"");
    if (options_.folder.empty()) return {};
    FileSystem& files = system_files();
    // Who only reads may find none, and can do without.
    const Status made = files.make_directories(options_.folder, 0700);
    if (!made && !options_.read_only) return made;
    auto shared = SharedHead::open(join_path(options_.folder, "log.head"), options_.read_only);
    if (!shared) return options_.read_only ? Status() : fail(std::move(shared).error());
    shared_ = std::move(*shared);
    writing_.shared = options_.read_only ? nullptr : shared_.get();
    if (options_.read_only) return {};
    const Sequence acknowledged = shared_->acknowledged();  // before the log: it only grows
    ANIMA_ASSIGN(const Head now, head());
    return check_acknowledged(now, acknowledged, tables_.shown());
  }

  Result<Head> head() override {
    return readers_.with([](PostgresConnection& connection) -> Result<Head> {
      ANIMA_ASSIGN(const PostgresRows rows, connection.ask(kLastRow));
      return head_of(rows);
    });
  }

  Sequence acknowledged() override {
    return shared_ != nullptr ? shared_->acknowledged() : Sequence::kNone;
  }

  Status read(Sequence first, const std::function<Status(const LogEntry&)>& visit) override {
    return read_in_batches(
        first, [this](Sequence from) { return read_batch(from); }, visit);
  }

  Result<LogEntry> entry(Sequence sequence) override {
    return readers_.with([&](PostgresConnection& connection) -> Result<LogEntry> {
      ANIMA_ASSIGN(const PostgresRows rows, connection.ask(kOne, number_of(sequence)));
      if (rows.count() == 0) {
        return fail(ErrorCode::kNotFound, "there is no such entry", entry_place(sequence));
      }
      return entry_of(connection, sequence, rows.bytes(0, 1));
    });
  }

  Result<std::string> attachment(Sequence sequence) override {
    return readers_.with([&](PostgresConnection& connection) -> Result<std::string> {
      ANIMA_ASSIGN(const PostgresRows rows, connection.ask(kAttached, number_of(sequence)));
      return rows.count() == 0 ? std::string() : std::string(rows.bytes(0, 0));
    });
  }

  Result<std::uint64_t> stored_bytes() override {
    return readers_.with([](PostgresConnection& connection) -> Result<std::uint64_t> {
      ANIMA_ASSIGN(const PostgresRows rows, connection.ask("SELECT pg_total_relation_size('log')"
                                                           " + pg_total_relation_size('part')"));
      return static_cast<std::uint64_t>(rows.integer(0, 0));
    });
  }

  bool keeps_turns() const override { return false; }

  Result<std::unique_ptr<Turn>> take_turn() override {
    if (options_.read_only) {
      return fail(ErrorCode::kDenied, kOpenedReadOnly, tables_.shown());
    }
    auto turn = std::make_unique<PostgresTurn>(writing_);
    ANIMA_TRY(turn->begin());
    return turn;
  }

  Result<bool> follow(Sequence after, std::int64_t timeout_milliseconds) override {
    const auto end = steady_clock::now() + milliseconds(timeout_milliseconds);
    return listeners_->with([&](PostgresConnection& connection) -> Result<bool> {
      while (true) {
        ANIMA_ASSIGN(const PostgresRows rows, connection.ask(kLastRow));
        ANIMA_ASSIGN(const Head now, head_of(rows));
        if (now.sequence > after) return true;
        const auto left =
            std::chrono::duration_cast<milliseconds>(end - steady_clock::now()).count();
        if (left <= 0) return false;
        const std::int64_t slice = std::min<std::int64_t>(left, kAskHeadMilliseconds);
        ANIMA_TRY(connection.wait_for_notice(slice));
      }
    });
  }

  StoredRows* rows() override { return this; }

  Result<std::int64_t> schema_version() override {
    return readers_.with(
        [](PostgresConnection& connection) { return PostgresTables::schema_version(connection); });
  }

  Result<EntryRows> stored(Sequence sequence) override {
    return readers_.with([&](PostgresConnection& connection) -> Result<EntryRows> {
      ANIMA_ASSIGN(const PostgresRows rows, connection.ask(kOne, number_of(sequence)));
      if (rows.count() == 0)
        return fail(ErrorCode::kCorrupt, "it is missing", entry_place(sequence));
      return stored_at(connection, sequence, rows.bytes(0, 1));
    });
  }

  Status copy_to(const std::string& path, const CopyProgress& progress) override;
  Result<bool> sweep(bool shrink) override;
  std::string identity() const override { return tables_.id(); }
  std::string place() const override { return tables_.shown(); }

 private:
  Result<ReadBatch> read_batch(Sequence first) {
    return readers_.with(
        [&](PostgresConnection& connection) { return read_batch(connection, first); });
  }
  static Result<ReadBatch> read_batch(PostgresConnection& connection, Sequence first);
  static Status copy_rows(PostgresConnection& connection, const std::string& path,
                          const CopyProgress& progress);

  const PostgresLogOptions options_;
  PostgresTables tables_;
  std::unique_ptr<SharedHead> shared_;
  PostgresWriting writing_;
  Readers readers_;
  std::unique_ptr<Readers> listeners_;
};

Result<ReadBatch> PostgresLog::read_batch(PostgresConnection& connection, Sequence first) {
  ANIMA_ASSIGN(const PostgresRows rows, connection.ask(kFrom, number_of(first)));
  ReadBatch batch;
  std::size_t bytes = 0;
  for (int i = 0; i < rows.count() && !batch.damage; ++i) {
    const Sequence expected{to_number(first) + batch.entries.size()};
    const Sequence sequence = sequence_at(rows, i);
    if (sequence != expected) {
      batch.damage = Error{ErrorCode::kCorrupt,
                           "it is missing; the next one is " + entry_place(sequence),
                           entry_place(expected),
                           {}};
      break;
    }
    const std::string_view row = rows.bytes(i, 1);
    Result<LogEntry> entry = entry_of(connection, sequence, row);
    if (connection.lost()) return fail(entry.error());
    // Somebody may have taken something from it since its row was read.
    if (!entry && entry.error().code == ErrorCode::kCorrupt) {
      ANIMA_ASSIGN(const PostgresRows again, connection.ask(kOne, number_of(sequence)));
      if (again.count() == 1 && again.bytes(0, 1) != row)
        entry = entry_of(connection, sequence, again.bytes(0, 1));
    }
    if (!entry) {
      batch.damage = std::move(entry).error();
      break;
    }
    bytes += row.size();
    batch.entries.push_back(std::move(*entry));
  }
  batch.full = bytes >= kReadBatchBytes || rows.count() == kRowsInBatch;
  return batch;
}

Status PostgresLog::copy_to(const std::string& path, const CopyProgress& progress) {
  ANIMA_ASSIGN(const auto connection, tables_.connect());
  ANIMA_TRY(connection->execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  ANIMA_TRY(copy_rows(*connection, path, progress));
  return connection->execute("COMMIT");
}

Status PostgresLog::copy_rows(PostgresConnection& connection, const std::string& path,
                              const CopyProgress& progress) {
  ANIMA_ASSIGN(const std::int64_t version, PostgresTables::schema_version(connection));
  ANIMA_ASSIGN(const PostgresRows last, connection.ask(kLastRow));
  ANIMA_ASSIGN(const Head head, head_of(last));
  const std::uint64_t all = to_number(head.sequence);
  ANIMA_ASSIGN(LogFile file, LogFile::create(path, version));
  for (std::uint64_t next = 1; next <= all;) {
    ANIMA_ASSIGN(const PostgresRows rows, connection.ask(kFrom, number_of(Sequence{next})));
    if (rows.count() == 0)
      return fail(ErrorCode::kCorrupt, "it is missing", entry_place(Sequence{next}));
    for (int i = 0; i < rows.count(); ++i, ++next) {
      const Sequence sequence = sequence_at(rows, i);
      if (sequence != Sequence{next})
        return fail(ErrorCode::kCorrupt, "it is missing", entry_place(Sequence{next}));
      ANIMA_ASSIGN(const EntryRows stored, stored_at(connection, sequence, rows.bytes(i, 1)));
      ANIMA_TRY(file.put(sequence, stored));
    }
    if (progress && !progress(next - 1, all)) return fail(ErrorCode::kCancelled, "stopped");
  }
  return file.finish();
}

// What rows were before lies in the tables' pages until they are written anew.
Result<bool> PostgresLog::sweep(bool shrink) {
  ANIMA_ASSIGN(const std::int64_t version, schema_version());
  const bool taken = version != kLogSchema && version != kArchivedSchema;
  if (!shrink && !taken) return true;
  ANIMA_ASSIGN(const auto connection, tables_.connect());
  for (const char* table : {"log", "part"}) {
    const Status swept = connection->execute(std::string("VACUUM (FULL) ") + table);
    if (!swept && swept.error().code == ErrorCode::kBusy) return false;
    ANIMA_TRY(swept);
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Log>> open_postgres_log(const PostgresAddress& address,
                                               const PostgresLogOptions& options) {
  auto log = std::make_unique<PostgresLog>(address, options);
  ANIMA_TRY(log->open());
  return log;
}

}  // namespace anima::store::detail
