// Values in Mangle syntax.
#include <array>
#include <charconv>
#include <cmath>

#include "base/civil.h"
#include "base/result.h"
#include "datalog/value.h"

namespace anima::datalog {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::string_view kHex = "0123456789abcdef";

void append_number(std::int64_t number, std::string& out) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  out.append(buffer.data(), end);
}

void append_padded(std::int64_t number, std::size_t width, std::string& out) {
  std::string digits;
  append_number(number, digits);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// Shortest text that reads back, always with a point: the grammar knows a float by it.
void append_real(double number, std::string& out) {
  if (std::isnan(number)) {
    out += "NaN";
    return;
  }
  if (std::isinf(number)) {
    out += number < 0 ? "-Inf" : "+Inf";
    return;
  }
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string text(buffer.data(), end);
  if (text.find('.') == std::string::npos) {
    const std::size_t exponent = text.find('e');
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  out += text;
}

void append_quoted(std::string_view text, bool bytes, std::string& out) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F || (bytes && byte >= 0x80)) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

// Digits after the point without trailing zeros; nothing when the fraction is zero.
void append_fraction(std::int64_t fraction, std::size_t digits, std::string& out) {
  if (fraction == 0) return;
  std::string text;
  append_padded(fraction, digits, text);
  text.erase(text.find_last_not_of('0') + 1);
  out += '.';
  out += text;
}

void append_time(std::int64_t nanoseconds, std::string& out) {
  std::int64_t seconds = nanoseconds / kSecond;
  std::int64_t fraction = nanoseconds % kSecond;
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  std::int64_t days = seconds / 86400;
  std::int64_t rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  const CivilDate date = civil_from_days(days);
  append_padded(date.year, 4, out);
  out += '-';
  append_padded(date.month, 2, out);
  out += '-';
  append_padded(date.day, 2, out);
  out += 'T';
  append_padded(rest / 3600, 2, out);
  out += ':';
  append_padded(rest / 60 % 60, 2, out);
  out += ':';
  append_padded(rest % 60, 2, out);
  append_fraction(fraction, 9, out);
  out += 'Z';
}

// The form of Go's time.Duration: "1h30m0s", "1.5s", "2ms", "0s".
void append_duration(std::int64_t nanoseconds, std::string& out) {
  if (nanoseconds == 0) {
    out += "0s";
    return;
  }
  if (nanoseconds < 0) out += '-';
  const std::uint64_t size = nanoseconds < 0 ? ~static_cast<std::uint64_t>(nanoseconds) + 1
                                             : static_cast<std::uint64_t>(nanoseconds);
  const auto part = [&out](std::uint64_t value, std::uint64_t unit, std::size_t digits,
                           std::string_view name) {
    append_number(static_cast<std::int64_t>(value / unit), out);
    append_fraction(static_cast<std::int64_t>(value % unit), digits, out);
    out += name;
  };
  if (size < 1000) return part(size, 1, 0, "ns");
  if (size < 1000'000) return part(size, 1000, 3, "µs");
  if (size < 1000'000'000) return part(size, 1000'000, 6, "ms");
  const std::uint64_t seconds = size / 1000'000'000;
  if (seconds >= 3600) {
    append_number(static_cast<std::int64_t>(seconds / 3600), out);
    out += 'h';
  }
  if (seconds >= 60) {
    append_number(static_cast<std::int64_t>(seconds / 60 % 60), out);
    out += 'm';
  }
  part(size - seconds / 60 * 60 * 1000'000'000, 1000'000'000, 9, "s");
}

void append_scalar(const ValueView& value, std::string& out) {
  switch (value.kind) {
    case ValueKind::kName:
      out += value.text;
      break;
    case ValueKind::kString:
      append_quoted(value.text, false, out);
      break;
    case ValueKind::kBytes:
      out += 'b';
      append_quoted(value.text, true, out);
      break;
    case ValueKind::kInt:
      append_number(value.number, out);
      break;
    case ValueKind::kFloat:
      append_real(value.real, out);
      break;
    case ValueKind::kTime:
      out += "fn:time:parse_rfc3339(\"";
      append_time(value.number, out);
      out += "\")";
      break;
    case ValueKind::kDuration:
      out += "fn:duration:parse(\"";
      append_duration(value.number, out);
      out += "\")";
      break;
    default:
      break;
  }
}

// One thing still to be written: punctuation, or a value.
struct Pending {
  Code code = 0;
  std::string_view mark;  // written instead of a value when not empty
};

void push_entries(const ValueView& value, std::vector<Pending>& stack) {
  const bool map = value.kind == ValueKind::kMap;
  if (value.entries.empty()) {
    stack.push_back({0, map ? "fn:map()" : "{}"});
    return;
  }
  stack.push_back({0, map ? "]" : "}"});
  for (std::size_t i = value.entries.size(); i >= 2; i -= 2) {
    stack.push_back({value.entries[i - 1], {}});
    stack.push_back({0, " : "});
    stack.push_back({value.entries[i - 2], {}});
    if (i > 2) stack.push_back({0, ", "});
  }
  stack.push_back({0, map ? "[" : "{"});
}

}  // namespace

bool ValueTable::append_text(Code code, std::string& out, std::size_t max_bytes) const {
  const std::size_t limit = out.size() + max_bytes;
  std::vector<Pending> stack{{code, {}}};
  while (!stack.empty()) {
    const Pending next = stack.back();
    stack.pop_back();
    if (!next.mark.empty()) {
      out += next.mark;
    } else {
      const ValueView value = view(next.code);
      if (value.kind == ValueKind::kPair) {
        out += "fn:pair(";
        stack.push_back({0, ")"});
        stack.push_back({value.second, {}});
        stack.push_back({0, ", "});
        stack.push_back({value.first, {}});
      } else if (value.kind == ValueKind::kNil || value.kind == ValueKind::kCons) {
        const std::vector<Code> items = list_items(next.code);
        out += '[';
        stack.push_back({0, "]"});
        for (std::size_t i = items.size(); i > 0; --i) {
          stack.push_back({items[i - 1], {}});
          if (i > 1) stack.push_back({0, ", "});
        }
      } else if (value.kind == ValueKind::kMap || value.kind == ValueKind::kStruct) {
        push_entries(value, stack);
      } else {
        append_scalar(value, out);
      }
    }
    if (out.size() > limit) {
      out.resize(limit);
      return false;
    }
  }
  return true;
}

std::string ValueTable::text(Code code) const {
  std::string out;
  append_text(code, out);
  return out;
}

}  // namespace anima::datalog
