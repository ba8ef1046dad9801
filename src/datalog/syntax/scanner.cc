#include "datalog/syntax/scanner.h"

#include <algorithm>
#include <charconv>

#include "base/text/read_number.h"
#include "datalog/values/calendar.h"

namespace anima::datalog::detail {
namespace {

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = kLower | kNameChar | kConstantChar;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = kUpper | kNameChar | kConstantChar;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kDigit | kNameChar | kConstantChar;
  const auto add = [&classes](std::string_view characters, std::uint8_t bit) {
    for (const char c : characters) classes[static_cast<unsigned char>(c)] |= bit;
  };
  add(":_", kNameChar);
  add(".-_~%", kConstantChar);
  add(" \t\r\n\f", kSpace);
  return classes;
}

constexpr std::array<std::string_view, 11> kReserved = {
    "Package", "Use", "Decl", "bound", "descr", "inclusion", "temporal", "let", "do", "opt", "now"};

}  // namespace

const std::array<std::uint8_t, 256> kCharClasses = make_classes();

bool is_reserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

bool append_utf8(std::uint32_t point, std::string& out) {
  if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
  return true;
}

void Scanner::fail(Offset at, std::string message, std::string hint) {
  if (!error_) error_ = ScanError{at, std::move(message), std::move(hint)};
}

void Scanner::skip_space() {
  while (at_ < text_.size()) {
    if (has_class(text_[at_], kSpace)) {
      ++at_;
    } else if (text_[at_] == '#') {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      if (comments_ != nullptr && (comments_->empty() || comments_->back().at < at_)) {
        std::size_t last = end;
        while (last > at_ && has_class(text_[last - 1], kSpace)) --last;
        comments_->push_back({at_, std::string(text_.substr(at_, last - at_))});
      }
      at_ = static_cast<Offset>(end);
    } else {
      return;
    }
  }
}

bool Scanner::take(char c) {
  skip_space();
  if (peek() != c || done()) return false;
  ++at_;
  return true;
}

bool Scanner::take(std::string_view word) {
  skip_space();
  if (!looking_at(word)) return false;
  at_ += static_cast<Offset>(word.size());
  return true;
}

char Scanner::next_after_space(std::size_t ahead) const {
  std::size_t at = at_ + ahead;
  while (at < text_.size() && has_class(text_[at], kSpace)) ++at;
  return at < text_.size() ? text_[at] : '\0';
}

std::string_view Scanner::variable() {
  const Offset from = at_;
  if (peek() == '_') {
    ++at_;
    if (has_class(peek(), kNameChar) && peek() != ':') {
      fail(from, "a variable cannot begin with an underscore",
           "variables are an upper-case letter followed by letters and digits, or _ alone");
    }
    return text_.substr(from, 1);
  }
  if (!has_class(peek(), kUpper)) return {};
  while (has_class(peek(), kLower | kUpper | kDigit)) ++at_;
  if (peek() == '_') {
    fail(from, "a variable cannot contain an underscore",
         "variables are an upper-case letter followed by letters and digits");
  }
  return text_.substr(from, at_ - from);
}

std::string_view Scanner::name() {
  const Offset from = at_;
  std::size_t first = 0;
  if (peek() == ':') first = 1;
  if (!has_class(peek(first), kLower)) return {};
  at_ += static_cast<Offset>(first + 1);
  while (has_class(peek(), kNameChar) || (peek() == '.' && has_class(peek(1), kNameChar))) {
    // The colon of `:-` is not part of a name.
    if (peek() == ':' && peek(1) == '-') break;
    ++at_;
  }
  return text_.substr(from, at_ - from);
}

std::string_view Scanner::constant() {
  const Offset from = at_;
  if (peek() != '/') return {};
  while (peek() == '/') {
    ++at_;
    const Offset part = at_;
    while (has_class(peek(), kConstantChar)) ++at_;
    if (at_ == part) {
      fail(part, "a name has an empty part", "write /a/b: each slash is followed by a part");
      return {};
    }
  }
  return text_.substr(from, at_ - from);
}

NumberKind Scanner::number(std::int64_t& integer, double& real) {
  const Offset from = at_;
  std::size_t size = peek() == '-' ? 1 : 0;
  const std::size_t digits = size;
  while (has_class(peek(size), kDigit)) ++size;
  const bool whole = size > digits;
  bool is_float = false;
  if (peek(size) == '.' && has_class(peek(size + 1), kDigit)) {
    is_float = true;
    ++size;
    while (has_class(peek(size), kDigit)) ++size;
    if ((peek(size) | 32) == 'e') {
      std::size_t exponent = size + 1;
      if (peek(exponent) == '+' || peek(exponent) == '-') ++exponent;
      if (has_class(peek(exponent), kDigit)) {
        while (has_class(peek(exponent), kDigit)) ++exponent;
        size = exponent;
      }
    }
  }
  if (!whole && !is_float) return NumberKind::kNone;
  const std::string_view word = text_.substr(from, size);
  at_ += static_cast<Offset>(size);
  if (is_float) {
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), real);
    if (code != std::errc()) fail(from, "the float does not fit 64 bits");
    return NumberKind::kFloat;
  }
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), integer);
  if (code != std::errc()) {
    fail(from, "the number does not fit 64 bits",
         "integers go from -9223372036854775808 to 9223372036854775807");
  } else if ((peek() | 32) == 'e' && has_class(peek(1), kDigit)) {
    fail(from, "a float needs a point", "write 1.0e3 instead of 1e3");
  }
  return NumberKind::kInteger;
}

bool Scanner::hex(std::size_t least, std::size_t most, std::uint32_t& value) {
  std::size_t digits = 0;
  value = 0;
  for (; digits < most; ++digits) {
    const char c = peek();
    if (c >= '0' && c <= '9') {
      value = value << 4 | static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value << 4 | static_cast<std::uint32_t>(c - 'a' + 10);
    } else {
      break;
    }
    ++at_;
  }
  return digits >= least;
}

bool Scanner::escape(bool bytes, std::string& value) {
  const Offset from = at_ - 1;
  const char c = peek();
  ++at_;
  std::uint32_t point = 0;
  switch (c) {
    case 'n':
      value += '\n';
      return true;
    case 't':
      value += '\t';
      return true;
    case '"':
    case '\'':
    case '\\':
    case '`':
      value += c;
      return true;
    case '\n':
      return true;
    case 'x':
      if (!hex(2, 2, point)) break;
      if (bytes) {
        value += static_cast<char>(point);
        return true;
      }
      return append_utf8(point, value);
    case 'u':
      if (peek() != '{') break;
      ++at_;
      if (!hex(4, 6, point) || peek() != '}' || !append_utf8(point, value)) break;
      ++at_;
      return true;
    default:
      break;
  }
  fail(from, "this escape is not known",
       "\\n \\t \\\" \\' \\\\ \\xHH and \\u{HHHH} are, with lower-case hex digits");
  return false;
}

bool Scanner::quoted(bool bytes, std::string& value) {
  const Offset from = at_;
  const char quote = peek();
  const char stops[] = {quote, '\\', '\0'};
  ++at_;
  value.clear();
  for (;;) {
    const std::size_t stop = text_.find_first_of(std::string_view(stops, 2), at_);
    if (stop == std::string_view::npos) {
      at_ = static_cast<Offset>(text_.size());
      fail(from, "the string has no end");
      return true;
    }
    value.append(text_, at_, stop - at_);
    at_ = static_cast<Offset>(stop + 1);
    if (text_[stop] == quote) return true;
    if (!escape(bytes, value)) return true;
  }
}

bool Scanner::string(std::string& value) {
  if (peek() != '"' && peek() != '\'' && peek() != '`') return false;
  return quoted(false, value);
}

bool Scanner::bytes(std::string& value) {
  if (peek() != 'b' || (peek(1) != '"' && peek(1) != '\'' && peek(1) != '`')) return false;
  ++at_;
  return quoted(true, value);
}

std::optional<ast::Bound> Scanner::time_or_duration() {
  ast::Bound bound;
  bound.at = at_;
  std::size_t size = 0;
  while (has_class(peek(size), kDigit | kUpper | kLower) || peek(size) == '-' ||
         peek(size) == ':' || (peek(size) == '.' && has_class(peek(size + 1), kDigit))) {
    ++size;
  }
  const std::string_view word = text_.substr(at_, size);
  std::optional<std::int64_t> value;
  if (word.find('-') != std::string_view::npos) {
    bound.kind = ast::BoundKind::kTime;
    value = parse_timestamp_literal(word);
  } else if (word.ends_with('d')) {
    bound.kind = ast::BoundKind::kDuration;
    const auto days = read_number<std::int64_t>(word.substr(0, word.size() - 1));
    std::int64_t length = 0;
    if (days && !__builtin_mul_overflow(*days, kSecondsPerDay * kNanosPerSecond, &length)) {
      value = length;
    }
  } else {
    bound.kind = ast::BoundKind::kDuration;
    value = parse_go_duration(word);
  }
  if (!value) {
    fail(at_, "this is neither a time nor a duration",
         "write 2024-01-31, 2024-01-31T12:00:00Z or 7d, 12h, 30m, 5s, 100ms");
    return std::nullopt;
  }
  bound.nanoseconds = *value;
  at_ += static_cast<Offset>(size);
  return bound;
}

std::optional<ast::Bound> Scanner::bound() {
  skip_space();
  ast::Bound bound;
  bound.at = at_;
  if (has_class(peek(), kDigit)) return time_or_duration();
  if (const std::string_view word = variable(); !word.empty()) {
    if (word != "_") {
      bound.kind = ast::BoundKind::kVariable;
      bound.variable = word;
    }
    return bound;
  }
  if (looking_at("now") && !has_class(peek(3), kNameChar)) {
    at_ += 3;
    bound.kind = ast::BoundKind::kNow;
    return bound;
  }
  fail(at_, "a time, a duration, a variable, _ or now was expected here");
  return std::nullopt;
}

void Scanner::skip_clause() {
  while (!done()) {
    skip_space();
    const char c = peek();
    std::string ignored;
    if (c == '"' || c == '\'' || c == '`') {
      const Offset from = at_;
      const bool had_error = failed();
      quoted(true, ignored);
      if (!had_error) clear_error();
      if (done()) {  // an unpaired quote: only that character is skipped
        at_ = from + 1;
      }
      continue;
    }
    if (done()) return;
    ++at_;
    if (c == '.' && (done() || has_class(peek(), kSpace) || peek() == '#')) return;
  }
}

}  // namespace anima::datalog::detail
