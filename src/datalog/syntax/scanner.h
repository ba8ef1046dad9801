// Characters to tokens. The parser asks for what may stand at a place, so `.Struct`, `.5` and the
// dot of a clause, or `<-[` and `< -1`, are told apart by where they stand. Thread-safety: one
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/ast.h"

namespace anima::datalog::detail {

enum CharClass : std::uint8_t {
  kLower = 1,
  kUpper = 2,
  kDigit = 4,
  kNameChar = 8,       // after the first of a predicate or function name, without the dot
  kConstantChar = 16,  // of a part of a /name
  kSpace = 32,
};

extern const std::array<std::uint8_t, 256> kCharClasses;

inline bool has_class(char c, unsigned classes) {
  return (kCharClasses[static_cast<unsigned char>(c)] & classes) != 0;
}

struct ScanError {
  Offset at = 0;
  std::string message;
  std::string hint;
};

enum class NumberKind : std::uint8_t { kNone, kInteger, kFloat };

class Scanner {
 public:
  explicit Scanner(std::string_view text, std::vector<ast::Comment>* comments = nullptr)
      : text_(text), comments_(comments) {}

  Offset at() const { return at_; }
  void seek(Offset at) { at_ = at; }
  bool done() const { return at_ >= text_.size(); }
  std::string_view text() const { return text_; }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  void skip_space();  // white space and comments
  bool take(char c);  // after skip_space
  bool take(std::string_view word);
  char next_after_space(
      std::size_t ahead) const;  // the first character that is not blank from at + ahead

  // Each leaves the place alone when nothing of its kind stands there, or sets error().
  std::string_view variable();  // [A-Z][A-Za-z0-9]* or _
  std::string_view name();      // predicate or function
  std::string_view constant();  // /a/b
  NumberKind number(std::int64_t& integer, double& real);
  bool string(std::string& value);  // any quotes
  bool bytes(std::string& value);   // b"..."
  std::optional<ast::Bound> bound();

  bool failed() const { return error_.has_value(); }
  const ScanError& error() const { return *error_; }
  void fail(Offset at, std::string message, std::string hint = {});
  void clear_error() { error_.reset(); }
  // Behind the dot that ends the clause around the present place.
  void skip_clause();

 private:
  bool quoted(bool bytes, std::string& value);
  bool escape(bool bytes, std::string& value);
  bool hex(std::size_t least, std::size_t most, std::uint32_t& value);
  std::optional<ast::Bound> time_or_duration();

  std::string_view text_;
  Offset at_ = 0;
  std::vector<ast::Comment>* comments_;
  std::optional<ScanError> error_;
};

// Appends the UTF-8 form; false when it is no code point.
bool append_utf8(std::uint32_t point, std::string& out);

bool is_reserved(std::string_view word);

}  // namespace anima::datalog::detail
