// Errors of Anima as exceptions of Python: anima/_errors.py has a class for each code.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"

// Whatever is given for a handle comes to us, None too, so that it is we who say what was wanted
// there.
template <>
struct nanobind::detail::has_arg_defaults<nanobind::handle> : std::true_type {};

namespace anima::python {

// Thrown by what is bound, and only there; nanobind gives it to the translator.
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)), text_(error_.describe()) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Error error_;
  std::string text_;
};

[[noreturn]] void raise(ErrorCode code, ErrorText message, ErrorText where = {},
                        ErrorText hint = {});

// An anima.WrongType: what is taken there stands in the hint. Needs the GIL.
[[noreturn]] void raise_type(const std::string& message, const std::string& hint);

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw Failure(std::move(result).error());
  return std::move(*result);
}
inline void check(Status status) {
  if (!status) throw Failure(std::move(status).error());
}

void bind_errors();

}  // namespace anima::python
