// The writer's side of a log in PostgreSQL (postgres_log.h). Thread-safety: a PostgresTurn belongs
// to one thread at a time; the rest by who holds the turn.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/postgres/postgres_connection.h"
#include "base/result.h"
#include "store/log.h"
#include "store/log/entry_codec.h"
#include "store/log/shared_head.h"
#include "store/log/stored_rows.h"
#include "store/postgres/postgres_tables.h"

namespace anima::store::detail {

// What one turn after the other needs.
struct PostgresWriting {
  const PostgresTables& tables;
  TurnWait wait;
  std::uint64_t part_bytes = 0;
  SharedHead* shared = nullptr;                    // null: nothing is remembered
  std::mutex mutex;                                // the turn among this process's threads
  std::unique_ptr<PostgresConnection> connection;  // null before the first turn, and when lost
};

class PostgresTurn final : public Log::Turn, public RowTurn {
 public:
  // Takes the turn among this process's threads; begin() the rest.
  explicit PostgresTurn(PostgresWriting& writing) : writing_(writing), guard_(writing.mutex) {}
  ~PostgresTurn() override { finish(); }

  Status begin();
  Head head() const override { return head_; }
  Result<Head> append(LogEntry entry, Timestamp now) override;
  Result<std::uint64_t> drop_attachment(Sequence sequence) override;
  Status redact(const LogEntry& entry) override;
  Status mark_compacted() override;
  Status put(Sequence sequence, const EntryRows& entry) override;
  Status set_schema_version(std::int64_t version) override;
  Status commit() override;

 private:
  Status try_begin();
  Status send(std::string_view sql, const PostgresValues& values, std::size_t bytes);
  Status put_part(Sequence sequence, std::int64_t number, std::string_view bytes);
  Status mark_redacted(bool compacted);
  Error turn_busy();
  Error before_commit(Error error) const;
  Status read_outcome();  // of a COMMIT that was sent
  // Whether the entry that this turn has sent last is there, after the connection was lost.
  Status find_outcome(const Error& lost);
  Result<bool> ask_outcome();
  void finish();

  PostgresWriting& writing_;
  std::unique_lock<std::mutex> guard_;
  Head start_, head_;
  std::string row_;
  std::size_t unsettled_bytes_ = 0;
  bool begun_ = false, changed_ = false, redacted_ = false;
};

// The parameters of a statement that has one.
PostgresValues number_of(Sequence sequence);

// The last row of the log, as head(). Errors: kCorrupt.
inline constexpr std::string_view kLastRow =
    "SELECT sequence, substring(entry FROM 1 FOR 113) FROM log ORDER BY sequence DESC LIMIT 1";
static_assert(kHeadBytes == 113);
Result<Head> head_of(const PostgresRows& rows);

}  // namespace anima::store::detail
