// The writer's side of a log in PostgreSQL (postgres_log.h). Thread-safety: a PostgresTurn belongs
// to one thread at a time; the rest by who holds the turn.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/postgres/postgres_connection.h"
#include "base/result.h"
#include "store/log.h"
#include "store/log/entry_codec.h"
#include "store/log/shared_head.h"
#include "store/log/stored_rows.h"
#include "store/postgres/postgres_tables.h"

namespace anima::store::detail {

// What one turn after the other needs, and the turn that is asked for ahead.
//
// A writer who goes on and on asks for the next turn along with its COMMIT, which spares it a round
// trip. A turn that nobody takes up is given back after kUnusedTurn by a thread.
class PostgresWriting {
 public:
  PostgresWriting(const PostgresTables& its_tables, TurnWait its_wait, std::uint64_t its_part_bytes)
      : tables(its_tables), wait(its_wait), part_bytes(its_part_bytes) {}

  // Under `mutex`. Sends what asks for the turn; the answer's last row is the log's.
  Status ask_turn();
  // The same behind a COMMIT that was sent. A failure is told by who reads that one's answer.
  void ask_ahead();
  bool goes_on() const;    // the last turn was committed a moment ago
  bool take_ahead();       // whether the turn was asked for
  void ended(bool ahead);  // by a COMMIT that was acknowledged

  const PostgresTables& tables;
  const TurnWait wait;
  const std::uint64_t part_bytes;
  SharedHead* shared = nullptr;                    // null: nothing is remembered
  std::mutex mutex;                                // the turn among this process's threads
  std::unique_ptr<PostgresConnection> connection;  // null before the first turn, and when lost

 private:
  void give_back_unused(const std::stop_token& stop);
  void give_back();

  bool ahead_ = false, watched_ = false;
  std::chrono::steady_clock::time_point ended_;
  std::condition_variable_any asked_;
  std::jthread giver_;  // the last member: it ends before the others do
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
  Status try_begin(bool ahead);  // `ahead`: it was asked for
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
  bool goes_on_ = false;
};

// The parameters of a statement that has one.
PostgresValues number_of(Sequence sequence);

// The last row of the log, as head(). Errors: kCorrupt.
inline constexpr std::string_view kLastRow =
    "SELECT sequence, substring(entry FROM 1 FOR 113) FROM log ORDER BY sequence DESC LIMIT 1";
static_assert(kHeadBytes == 113);
Result<Head> head_of(const PostgresRows& rows);

}  // namespace anima::store::detail
