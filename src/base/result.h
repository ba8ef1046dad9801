// Result: errors as values.
//
// Every function of Anima that can fail for a reason outside the program returns Result<T> (or
// Status). An Error says what happened, where, and what the caller can do about it. Exceptions of
// libraries are caught at the edge of the room that uses them; programmer errors abort
// (ANIMA_CHECK). Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <functional>  // for the many that are handed a std::function and answer with a Result
#include <string>
#include <string_view>
#include <utility>

#include "base/expected.h"

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

extern template struct ErrorHeap<Error>;

template <typename T>
using Result = Expected<T, Error>;
using Status = Expected<void, Error>;

// A text on its way into an Error: who passes a literal makes no string of it, and what is passed
// as a temporary is moved.
class ErrorText {
 public:
  ErrorText() = default;
  ErrorText(const char* text) : text_(text) {}
  ErrorText(std::string_view text) : text_(text) {}
  ErrorText(const std::string& text) : text_(text) {}
  ErrorText(std::string&& text) : text_(text), movable_(&text) {}
  std::string take() const;

 private:
  std::string_view text_;
  std::string* movable_ = nullptr;
};

Unexpected<Error> fail(ErrorCode code, ErrorText message, ErrorText where = {},
                       ErrorText hint = {});
Unexpected<Error> fail(const Error& error);
Unexpected<Error> fail(Error&& error);

}  // namespace anima

namespace anima {
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
      return std::move(anima_try_result).failure();                \
    }                                                              \
  } while (false)

// ANIMA_ASSIGN(auto x, result_expression): x is the value, or the error is returned to the caller.
#define ANIMA_ASSIGN(declaration, expression) \
  ANIMA_ASSIGN_INNER(ANIMA_CONCAT(anima_result_, __LINE__), declaration, expression)
#define ANIMA_ASSIGN_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                               \
  if (!temporary) return std::move(temporary).failure();       \
  declaration = std::move(*temporary)
