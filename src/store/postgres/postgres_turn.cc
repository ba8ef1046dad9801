#include "store/postgres/postgres_turn.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/log_rows.h"
#include "store/log/redacted.h"

namespace anima::store::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kBegin = "BEGIN";
constexpr std::string_view kLock = "SELECT pg_advisory_xact_lock($1)";
constexpr std::string_view kInsert = "INSERT INTO log(sequence, entry) VALUES($1, $2)";
constexpr std::string_view kInsertPart =
    "INSERT INTO part(sequence, number, bytes) VALUES($1, $2, $3)";
constexpr std::string_view kNotify = "SELECT pg_notify($1, $2)";
constexpr std::string_view kCommit = "COMMIT";
constexpr std::string_view kHashOf =
    "SELECT substring(entry FROM 1 FOR 32) FROM log WHERE sequence = $1";
constexpr std::string_view kPut =
    "INSERT INTO log(sequence, entry) VALUES($1, $2)"
    " ON CONFLICT (sequence) DO UPDATE SET entry = excluded.entry";
constexpr std::string_view kDropParts = "DELETE FROM part WHERE sequence = $1 AND number >= 0";
constexpr std::string_view kDropAttachment =
    "DELETE FROM part WHERE sequence = $1 AND number = -1 RETURNING octet_length(bytes)";
static_assert(kAttachmentPart == -1);

// What is sent before its answers are read: they must fit into what a socket holds.
constexpr std::size_t kMostUnsettled = 256;
constexpr std::size_t kMostUnsettledBytes = std::size_t{8} << 20;
// How much longer than the lock's own limit its answer is waited for.
constexpr milliseconds kAnswerPatience{10'000};
constexpr milliseconds kReconnectStep{100};
// How long others may wait for a turn that was asked for ahead and is not used.
constexpr milliseconds kUnusedTurn{2};

}  // namespace

PostgresValues number_of(Sequence sequence) {
  PostgresValues values;
  values.integer(static_cast<std::int64_t>(to_number(sequence)));
  return values;
}

Result<Head> head_of(const PostgresRows& rows) {
  if (rows.count() == 0) return Head{};
  return decode_head(Sequence{static_cast<std::uint64_t>(rows.integer(0, 0))}, rows.bytes(0, 1));
}

// --- turns that are asked for ahead --------------------------------------------------------------

Status PostgresWriting::ask_turn() {
  // What is prepared later has what was sent before it answered first.
  for (const std::string_view sql :
       {kBegin, kLock, kLastRow, kInsert, kInsertPart, kNotify, kCommit}) {
    ANIMA_TRY(connection->prepare(sql));
  }
  PostgresValues key;
  key.integer(tables.key());
  ANIMA_TRY(connection->send(kBegin));
  ANIMA_TRY(connection->send(kLock, key));
  return connection->send(kLastRow);
}

void PostgresWriting::ask_ahead() {
  if (!connection->end_piece() || !ask_turn()) return;
  (void)connection->end_piece();
}

bool PostgresWriting::goes_on() const { return steady_clock::now() - ended_ < kUnusedTurn; }

bool PostgresWriting::take_ahead() { return std::exchange(ahead_, false); }

void PostgresWriting::ended(bool ahead) {
  ended_ = steady_clock::now();
  ahead_ = ahead;
  if (!ahead || std::exchange(watched_, true)) return;
  if (giver_.joinable()) return asked_.notify_one();
  giver_ = std::jthread([this](const std::stop_token& stop) { give_back_unused(stop); });
}

void PostgresWriting::give_back_unused(const std::stop_token& stop) {
  std::unique_lock guard(mutex);
  while (asked_.wait(guard, stop, [this] { return watched_; }) && !stop.stop_requested()) {
    const bool unused = steady_clock::now() - ended_ >= kUnusedTurn;
    if (ahead_ && unused && connection->answered()) give_back();
    watched_ = ahead_ || !unused;
    if (watched_) asked_.wait_for(guard, stop, kUnusedTurn, [] { return false; });
  }
}

void PostgresWriting::give_back() {
  ahead_ = false;
  (void)connection->settle();
  if (!connection->execute("ROLLBACK")) connection.reset();
}

// --- a turn --------------------------------------------------------------------------------------

// A connection that was lost since the last turn is told by its first use; nothing was sent on it
// that a second attempt would do twice. What was asked ahead may have waited for too long.
Status PostgresTurn::begin() {
  goes_on_ = writing_.goes_on();
  const bool used = writing_.connection != nullptr;
  const bool ahead = writing_.take_ahead();
  Status begun = try_begin(ahead);
  const bool again =
      !begun && (ahead || (used && writing_.connection == nullptr)) && !writing_.wait.stopped();
  if (again) begun = try_begin(false);
  return begun;
}

Status PostgresTurn::try_begin(bool ahead) {
  if (writing_.connection == nullptr) {
    ANIMA_ASSIGN(writing_.connection, writing_.tables.connect());
  }
  PostgresConnection& connection = *writing_.connection;
  const auto end = steady_clock::now() + milliseconds(writing_.wait.milliseconds) + kAnswerPatience;
  const auto taken = [&]() -> Result<std::vector<PostgresRows>> {
    if (!ahead) ANIMA_TRY(writing_.ask_turn());
    return connection.settle_rows(
        [&] { return !writing_.wait.stopped() && steady_clock::now() < end; });
  }();
  if (!taken) {
    Error error = taken.error();
    if (connection.lost()) {
      if (error.code == ErrorCode::kCancelled && !writing_.wait.stopped()) {
        error = Error{ErrorCode::kIo, "the database does not answer", writing_.tables.shown(),
                      "is the network there?"};
      }
      writing_.connection.reset();
      return fail(std::move(error));
    }
    (void)connection.execute("ROLLBACK");
    return fail(error.code == ErrorCode::kBusy ? turn_busy() : std::move(error));
  }
  begun_ = true;
  if (taken->size() != 3) {
    return fail(ErrorCode::kIo, "the database gave no answer", writing_.tables.shown());
  }
  ANIMA_ASSIGN(start_, head_of(taken->back()));
  head_ = start_;
  if (writing_.shared == nullptr) return {};
  return check_acknowledged(start_, writing_.shared->acknowledged(), writing_.tables.shown());
}

// Names the holder where the server shows it.
Error PostgresTurn::turn_busy() {
  std::string holder;
  PostgresValues key;
  key.integer(writing_.tables.key());
  const auto rows = writing_.connection->ask(
      "SELECT coalesce(', from ' || host(a.client_addr), ''), a.pid::bigint"
      " FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
      " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1"
      " AND (l.classid::bigint << 32 | l.objid::bigint) = $1",
      key);
  if (rows && rows->count() > 0) {
    holder = std::string(rows->bytes(0, 0)) + ", server process " +
             std::to_string(rows->integer(0, 1)) + ",";
  }
  return Error{ErrorCode::kBusy,
               "another process" + holder + " has had the writer's turn for the " +
                   std::to_string(writing_.wait.milliseconds) +
                   " ms that a writer waits (turn_wait_milliseconds)",
               writing_.tables.shown(), "end it, or try again"};
}

// Nothing of a transaction is there whose COMMIT was not sent.
Error PostgresTurn::before_commit(Error error) const {
  if (writing_.connection == nullptr || !writing_.connection->lost()) return error;
  return Error{ErrorCode::kBusy,
               "the connection to the database was lost before the entry was complete: nothing was "
               "written",
               writing_.tables.shown(), "try again"};
}

Status PostgresTurn::send(std::string_view sql, const PostgresValues& values, std::size_t bytes) {
  if (!begun_ || writing_.connection == nullptr) {
    return fail(ErrorCode::kBusy, "the turn has ended", writing_.tables.shown(), "try again");
  }
  PostgresConnection& connection = *writing_.connection;
  Status sent = connection.send(sql, values);
  unsettled_bytes_ += bytes;
  const bool full =
      connection.waiting() >= kMostUnsettled || unsettled_bytes_ >= kMostUnsettledBytes;
  if (sent && full) {
    unsettled_bytes_ = 0;
    sent = connection.settle();
  }
  if (sent) return {};
  return fail(before_commit(sent.error()));
}

Result<Head> PostgresTurn::append(LogEntry entry, Timestamp now) {
  entry.sequence = Sequence{to_number(head_.sequence) + 1};
  entry.time = std::max(now, head_.time);
  entry.previous = head_.hash;
  encode_entry(entry, writing_.part_bytes, row_);
  std::int64_t number = 0;
  for (const std::string& part : parts_of(entry.payload, writing_.part_bytes))
    ANIMA_TRY(put_part(entry.sequence, number++, part));
  PostgresValues values = number_of(entry.sequence);
  values.blob(row_);
  ANIMA_TRY(send(kInsert, values, row_.size()));
  if (!entry.attachment.empty())
    ANIMA_TRY(put_part(entry.sequence, kAttachmentPart, entry.attachment));
  head_ = Head{entry.sequence, entry.time, entry.hash};
  return head_;
}

Status PostgresTurn::put_part(Sequence sequence, std::int64_t number, std::string_view bytes) {
  PostgresValues values = number_of(sequence);
  values.integer(number).blob(bytes);
  return send(kInsertPart, values, bytes.size());
}

Status PostgresTurn::put(Sequence sequence, const EntryRows& entry) {
  changed_ = true;
  ANIMA_TRY(send(kDropParts, number_of(sequence), 0));
  std::int64_t number = 0;
  for (const std::string& part : entry.parts) ANIMA_TRY(put_part(sequence, number++, part));
  if (entry.attachment) {
    ANIMA_TRY(send(kDropAttachment, number_of(sequence), 0));
    if (!entry.attachment->empty())
      ANIMA_TRY(put_part(sequence, kAttachmentPart, *entry.attachment));
  }
  PostgresValues values = number_of(sequence);
  values.blob(entry.row);
  return send(kPut, values, entry.row.size());
}

Status PostgresTurn::redact(const LogEntry& entry) {
  ANIMA_TRY(put(entry.sequence, stored_redacted(entry, writing_.part_bytes)));
  return redacted_ ? Status() : mark_redacted(false);
}

Status PostgresTurn::mark_compacted() { return mark_redacted(true); }

Status PostgresTurn::mark_redacted(bool compacted) {
  ANIMA_ASSIGN(const std::int64_t schema, PostgresTables::schema_version(*writing_.connection));
  redacted_ = true;
  return set_schema_version(with_redacted(schema, compacted));
}

Status PostgresTurn::set_schema_version(std::int64_t version) {
  changed_ = true;
  PostgresValues values;
  values.text(std::to_string(version));
  return send("UPDATE about SET value = $1 WHERE name = 'schema'", values, 0);
}

Result<std::uint64_t> PostgresTurn::drop_attachment(Sequence sequence) {
  changed_ = true;
  if (!begun_ || writing_.connection == nullptr) {
    return fail(ErrorCode::kBusy, "the turn has ended", writing_.tables.shown(), "try again");
  }
  const Result<PostgresRows> dropped =
      writing_.connection->ask(kDropAttachment, number_of(sequence));
  if (!dropped) return fail(before_commit(dropped.error()));
  if (dropped->count() == 0) return 0;
  return static_cast<std::uint64_t>(dropped->integer(0, 0));
}

Status PostgresTurn::commit() {
  ANIMA_CHECK(guard_.owns_lock());
  const bool appended = head_.sequence != start_.sequence;
  if (!appended && !changed_) {
    finish();
    return {};
  }
  if (!begun_ || writing_.connection == nullptr) {
    return fail(ErrorCode::kBusy, "the turn has ended", writing_.tables.shown(), "try again");
  }
  // Not by send(), which may wait for answers: from here on a lost one leaves a doubt.
  PostgresConnection& connection = *writing_.connection;
  PostgresValues notice;
  notice.text(writing_.tables.channel()).integer(static_cast<std::int64_t>(head_.sequence));
  Status committed = appended ? connection.send(kNotify, notice) : Status();
  if (!committed) {
    committed = fail(before_commit(committed.error()));
  } else if (const Status sent = connection.send(kCommit); !sent) {
    committed = find_outcome(sent.error());
  } else {
    // Where writers come together, more of them get in while the turn is waited for.
    const bool alone = to_number(head_.sequence) == to_number(start_.sequence) + 1;
    if (goes_on_ && alone) writing_.ask_ahead();
    committed = read_outcome();
  }
  if (!committed) {
    finish();
    return committed;
  }
  begun_ = false;
  writing_.ended(writing_.connection->waiting() > 0);
  if (appended && writing_.shared != nullptr && head_.sequence > writing_.shared->acknowledged())
    writing_.shared->settle(head_.sequence);
  return {};
}

Status PostgresTurn::read_outcome() {
  const auto answers = writing_.connection->settle_rows();
  if (answers && !answers->empty() && answers->back().command() == kCommit) return {};
  if (writing_.connection->lost()) {
    return find_outcome(answers ? Error{ErrorCode::kIo, "no answer came", {}, {}}
                                : answers.error());
  }
  if (!answers) return fail(answers.error());
  return fail(ErrorCode::kIo, "the database has rolled the entry back", writing_.tables.shown(),
              "try again");
}

// The old transaction holds the turn until it has ended: behind it the log says what became of it.
Status PostgresTurn::find_outcome(const Error& lost) {
  const auto end =
      steady_clock::now() + milliseconds(std::max<std::int64_t>(writing_.wait.milliseconds, 1'000));
  const bool can_ask = head_.sequence != start_.sequence;
  while (can_ask) {
    writing_.connection.reset();
    const Result<bool> there = ask_outcome();
    if (there && *there) return {};
    if (there) {
      return fail(ErrorCode::kBusy,
                  "the connection to the database was lost while it committed: " +
                      entry_place(head_.sequence) + " was not written",
                  writing_.tables.shown(), "try again");
    }
    if (writing_.wait.stopped() || steady_clock::now() >= end) break;
    std::this_thread::sleep_for(kReconnectStep);
  }
  const std::string what = can_ask ? entry_place(head_.sequence) + " was written"
                                   : std::string("the log's rows were changed");
  return fail(ErrorCode::kIo, "it is not known whether " + what + ": " + lost.message,
              writing_.tables.shown(), "look at the log before you try again");
}

Result<bool> PostgresTurn::ask_outcome() {
  ANIMA_ASSIGN(writing_.connection, writing_.tables.connect());
  PostgresConnection& connection = *writing_.connection;
  const auto is_there = [&]() -> Result<bool> {
    ANIMA_ASSIGN(const PostgresRows row, connection.ask(kHashOf, number_of(head_.sequence)));
    return row.count() == 1 && row.bytes(0, 0) == view_of(head_.hash);
  };
  // Without the turn first: the lost connection may have the one that it asked for ahead.
  ANIMA_ASSIGN(const bool already, is_there());
  if (already) return true;
  ANIMA_TRY(connection.execute("BEGIN"));
  PostgresValues key;
  key.integer(writing_.tables.key());
  ANIMA_TRY(connection.ask(kLock, key));
  ANIMA_ASSIGN(const bool there, is_there());
  ANIMA_TRY(connection.execute("ROLLBACK"));
  return there;
}

void PostgresTurn::finish() {
  if (writing_.connection != nullptr && writing_.connection->lost()) writing_.connection.reset();
  if (begun_) {
    if (writing_.connection != nullptr) {
      (void)writing_.connection->settle();
      if (!writing_.connection->execute("ROLLBACK")) writing_.connection.reset();
    }
    begun_ = false;
  }
  if (guard_.owns_lock()) guard_.unlock();
}

}  // namespace anima::store::detail
