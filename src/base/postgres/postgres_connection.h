// One connection to a PostgreSQL database, with errors as values.
//
// Statements are prepared on their first use and kept by their text. send() queues statements in
// libpq's pipeline; settle() reads all their answers in one round trip. end_piece() cuts the queue:
// the answers before the cut come without those behind it. A connection that was lost
// stays lost: every later call fails, and whoever needs it opens another. TCP keepalives on both
// sides tell a dead peer within half a minute. Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/postgres/postgres_address.h"
#include "base/result.h"

namespace anima {

// What a statement's parameters are bound to, in order.
class PostgresValues {
 public:
  PostgresValues& integer(std::int64_t value);
  PostgresValues& real(double value);
  PostgresValues& text(std::string_view value);
  PostgresValues& blob(std::string_view value);  // not copied: lives until it was sent
  PostgresValues& null();

 private:
  friend class PostgresConnection;
  struct One {
    std::string text;
    std::string_view blob;
    enum class Kind : std::uint8_t { kText, kBlob, kNull } kind = Kind::kText;
  };
  std::vector<One> values_;
};

// Rows of an answer, in the server's binary form.
class PostgresRows {
 public:
  PostgresRows() = default;
  explicit PostgresRows(void* result);  // takes it over
  int count() const;
  bool is_null(int row, int column) const;
  std::string_view bytes(int row, int column) const;  // a view of the rows
  std::int64_t integer(int row, int column) const;    // of 2, 4 or 8 bytes
  double real(int row, int column) const;             // of 4 or 8 bytes
  std::string_view command() const;                   // "COMMIT", "UPDATE 3"

 private:
  struct Clear {
    void operator()(void* result) const;
  };
  std::unique_ptr<void, Clear> result_;
};

// How errors speak of what the connection is for.
struct PostgresWords {
  std::string use = "this";  // "the database refuses {use}: .."
  std::string when_lost;     // a hint
  std::string shown;         // the address; empty: PostgresAddress::shown()
};

class PostgresConnection {
 public:
  // Errors: kIo (not reached), kDenied, kUnsupported.
  static Result<std::unique_ptr<PostgresConnection>> open(const PostgresAddress& address,
                                                          PostgresWords words);
  ~PostgresConnection();
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  bool lost() const { return lost_; }
  const std::string& shown() const { return words_.shown; }

  // Errors of all that follow: kIo (lost, or refused), kDenied, kBusy (a lock did not come in
  // time), kConflict (a key is there already), kDiskFull, kCorrupt.
  Status execute(const std::string& sql);  // one or more statements, no parameters
  Status prepare(std::string_view sql);
  Result<PostgresRows> ask(std::string_view sql, const PostgresValues& values = {});

  // Queued; an error comes of a later call, at the latest of settle(). What follows it up to there
  // is not done. Statements that were not prepared before are prepared first, in a round trip.
  Status send(std::string_view sql, const PostgresValues& values = {});
  std::size_t waiting() const { return waiting_; }  // sent, without an answer
  // What is sent from here on is done even where something before failed. Errors: kIo (lost).
  Status end_piece();
  // Whether settle_rows() would find the first answer there.
  bool answered();
  Status settle();
  // The rows of each statement of the oldest piece, in order. `keep_on` is asked every few
  // milliseconds while no answer is there; when it says no, the connection is given up with
  // kCancelled.
  Result<std::vector<PostgresRows>> settle_rows(const std::function<bool()>& keep_on = {});

  // Waits for a notification; those that came are dropped. False: none came in time.
  Result<bool> wait_for_notice(std::int64_t milliseconds);
  // The SQLSTATE of the last error; empty when the server gave none.
  const std::string& state() const { return state_; }

 private:
  explicit PostgresConnection(PostgresWords words);
  Status connect(const PostgresAddress& address);
  Result<std::string> prepared(std::string_view sql);
  Result<bool> answer_ready(std::int64_t milliseconds);
  Status read_answer(std::vector<PostgresRows>& rows);
  void leave_pipeline();
  Unexpected<Error> refused() const;
  Unexpected<Error> lost_error();
  Unexpected<Error> error(void* result);

  struct Handle;
  std::unique_ptr<Handle> handle_;
  PostgresWords words_;
  std::map<std::string, std::string, std::less<>> prepared_;  // names by SQL
  std::string state_;
  std::size_t waiting_ = 0;         // in all pieces
  std::deque<std::size_t> pieces_;  // statements in each that was ended and not read
  bool lost_ = false;
};

}  // namespace anima
