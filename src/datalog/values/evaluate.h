// Helpers of the evaluators of functions.h: reading arguments with errors that name function, place
// and value. Thread-safety: one thread an Evaluation.
#pragma once

#include <string>
#include <string_view>

#include "datalog/functions.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {

// The value's text, cut to what an error message can hold.
std::string brief(const ValueTable& values, Code code);

// The arguments of one call.
class Call {
 public:
  Call(std::string_view name, std::span<const Code> arguments, Evaluation& evaluation)
      : name_(name), arguments_(arguments), evaluation_(evaluation) {}

  std::size_t size() const { return arguments_.size(); }
  Code code(std::size_t index) const { return arguments_[index]; }
  std::span<const Code> codes() const { return arguments_; }
  ValueView view(std::size_t index) const { return values().view(arguments_[index]); }
  ValueTable& values() const { return evaluation_.values; }
  Evaluation& evaluation() const { return evaluation_; }

  bool integer(std::size_t index, std::int64_t& number) const;
  bool real(std::size_t index, double& number) const;  // takes integers too
  bool float64(std::size_t index, double& number) const;
  bool is_float(std::size_t index) const;
  bool string(std::size_t index, std::string_view& text) const;
  bool name(std::size_t index, std::string_view& text) const;
  bool time(std::size_t index, std::int64_t& nanoseconds) const;
  bool duration(std::size_t index, std::int64_t& nanoseconds) const;
  bool list(std::size_t index) const;
  bool pair(std::size_t index, Code& first, Code& second) const;

  // Sets the error; always false.
  bool wrong(std::size_t index, std::string_view expected) const;
  bool error(std::string_view sentence) const;

 private:
  bool of_kind(std::size_t index, ValueKind kind, std::string_view expected, ValueView& view) const;

  std::string_view name_;
  std::span<const Code> arguments_;
  Evaluation& evaluation_;
};

bool evaluate_arithmetic(Function function, const Call& call, Code& result);
bool evaluate_text(Function function, const Call& call, Code& result);
bool evaluate_data(Function function, const Call& call, Code& result);
bool evaluate_time(Function function, const Call& call, Code& result);

// Wrapping integer arithmetic.
inline std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrap_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrap_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace anima::datalog::detail
