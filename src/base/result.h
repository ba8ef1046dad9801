// Result: errors as values.
//
// Every function of Anima that can fail for a reason outside the program returns Result<T> (or
// Status). An Error says what happened, where, and what the caller can do about it. Exceptions of
// libraries are caught at the edge of the room that uses them; programmer errors abort
// (ANIMA_CHECK). Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace anima {

// Stable: the names are documented in docs/errors.md and printed in --json output.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  // a value that the caller passed cannot be used
  kSyntax,           // text that does not parse; `where` holds its place
  kNotFound,
  kAlreadyExists,
  kConflict,         // somebody else changed what this change relies on
  kLimitExceeded,    // a named limit was reached; the message names it
  kCorrupt,          // stored bytes fail their checksum or cannot be decoded
  kVersionMismatch,  // a stored format of another version
  kIo,               // the operating system refused; the message holds its words
  kDiskFull,
  kBusy,    // temporary: try again
  kDenied,  // refused by policy
  kCancelled,
  kTimeout,
  kUnsupported,
  kInternal,
  kNoSandbox,  // this machine cannot hold a program as tightly as it must be: nothing was run
};

std::string_view to_string(ErrorCode code);

struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // one sentence, lower case start, no full stop
  std::string where;    // file:line:column, path or entry number; may be empty
  std::string hint;     // what to do; may be empty

  // "where: message (hint)", leaving out what is empty.
  std::string describe() const;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string where = {},
                                  std::string hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(where), std::move(hint)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace anima

// A programmer's error: nothing that a user types may reach one.
#define ANIMA_CHECK(expression) \
  ((expression) ? void(0) : ::anima::check_failed(#expression, __FILE__, __LINE__))

#define ANIMA_CONCAT_INNER(a, b) a##b
#define ANIMA_CONCAT(a, b) ANIMA_CONCAT_INNER(a, b)

// ANIMA_TRY(status_expression): returns the error of a Result or Status to the caller.
#define ANIMA_TRY(expression)                                      \
  do {                                                             \
    if (auto anima_try_result = (expression); !anima_try_result) { \
      return ::anima::fail(std::move(anima_try_result).error());   \
    }                                                              \
  } while (false)

// ANIMA_ASSIGN(auto x, result_expression): x is the value, or the error is returned to the caller.
#define ANIMA_ASSIGN(declaration, expression) \
  ANIMA_ASSIGN_INNER(ANIMA_CONCAT(anima_result_, __LINE__), declaration, expression)
#define ANIMA_ASSIGN_INNER(temporary, declaration, expression)        \
  auto temporary = (expression);                                      \
  if (!temporary) return ::anima::fail(std::move(temporary).error()); \
  declaration = std::move(*temporary)
