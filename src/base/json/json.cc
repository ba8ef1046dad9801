#include "base/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace anima {
namespace {

// A double of 2^63 and more is an integer, and its decimal digits are finitely many.
bool is_integer_of(double number, const std::string& digits) {
  return std::isfinite(number) && fmt::format("{:.0f}", number) == digits;
}

bool equal_numbers(const Json& a, const Json& b) {
  if (a.is_long_integer() && b.is_long_integer()) return a.long_digits() == b.long_digits();
  if (b.is_long_integer()) return equal_numbers(b, a);
  if (a.is_long_integer()) return b.is_double() && is_integer_of(b.as_number(), a.long_digits());
  if (a.is_integer() && b.is_integer()) return a.as_integer() == b.as_integer();
  if (a.is_double() && b.is_double()) return a.as_number() == b.as_number();
  const std::int64_t integer = a.is_integer() ? a.as_integer() : b.as_integer();
  const double number = a.is_integer() ? b.as_number() : a.as_number();
  // Compared as integers: a double cannot hold every 64-bit integer.
  return number >= -0x1p63 && number < 0x1p63 && std::trunc(number) == number &&
         static_cast<std::int64_t>(number) == integer;
}

bool equal_objects(const JsonObject& a, const JsonObject& b) {
  if (a.size() != b.size()) return false;
  if (std::equal(a.begin(), a.end(), b.begin(),
                 [](const JsonMember& x, const JsonMember& y) { return x.first == y.first; })) {
    return std::equal(a.begin(), a.end(), b.begin(), [](const JsonMember& x, const JsonMember& y) {
      return x.second == y.second;
    });
  }
  const auto sorted = [](const JsonObject& object) {
    std::vector<const JsonMember*> members;
    members.reserve(object.size());
    for (const JsonMember& member : object) members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const JsonMember* x, const JsonMember* y) { return x->first < y->first; });
    return members;
  };
  const auto left = sorted(a);
  const auto right = sorted(b);
  return std::equal(left.begin(), left.end(), right.begin(),
                    [](const JsonMember* x, const JsonMember* y) { return *x == *y; });
}

void append_integer(std::string& out, std::int64_t value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

// The shortest text that reads back as the same double, and as a double. JSON has no infinities:
// they become null.
void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

constexpr bool needs_escape(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

// True when any of eight bytes needs an escape (the high bit of a byte marks it; carries only ever
// add false alarms, which the byte loop then clears up).
bool any_needs_escape(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHigh = 0x8080808080808080U;
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t found = ((word - kOnes * 0x20) & ~word) | ((quote - kOnes) & ~quote) |
                              ((backslash - kOnes) & ~backslash);
  return (found & kHigh) != 0;
}

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

void append_line(std::string& out, int indent, int depth) {
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
}

void append_value(std::string& out, const Json& value, int indent, int depth);

template <typename Items, typename Append>
void append_items(std::string& out, const Items& items, char open, char close, int indent,
                  int depth, Append append) {
  out += open;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    if (indent > 0) append_line(out, indent, depth + 1);
    append(item);
  }
  if (indent > 0 && !first) append_line(out, indent, depth);
  out += close;
}

void append_value(std::string& out, const Json& value, int indent, int depth) {
  switch (value.kind()) {
    case Json::Kind::kNull:
      out += "null";
      return;
    case Json::Kind::kBool:
      out += value.as_bool() ? "true" : "false";
      return;
    case Json::Kind::kInteger:
      append_integer(out, value.as_integer());
      return;
    case Json::Kind::kDouble:
      if (value.is_long_integer()) {
        out += value.long_digits();
      } else {
        append_double(out, value.as_number());
      }
      return;
    case Json::Kind::kString:
      append_quoted_json(out, value.as_string());
      return;
    case Json::Kind::kArray:
      append_items(out, value.as_array(), '[', ']', indent, depth,
                   [&](const Json& item) { append_value(out, item, indent, depth + 1); });
      return;
    case Json::Kind::kObject:
      append_items(out, value.as_object(), '{', '}', indent, depth, [&](const JsonMember& member) {
        append_quoted_json(out, member.first);
        out += indent > 0 ? ": " : ":";
        append_value(out, member.second, indent, depth + 1);
      });
      return;
  }
}

}  // namespace

Json::Json(std::uint64_t value) : value_(static_cast<std::int64_t>(value)) {
  if (!std::in_range<std::int64_t>(value)) value_ = LongInteger{std::to_string(value)};
}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(JsonArray value) : value_(std::move(value)) {}
Json::Json(JsonObject value) : value_(std::move(value)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;
Json Json::array(std::initializer_list<Json> items) { return JsonArray(items); }
Json Json::object(std::initializer_list<JsonMember> members) { return JsonObject(members); }

Json Json::integer(std::string_view digits) {
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, value).ec != std::errc::result_out_of_range)
    return Json(value);
  Json made;
  made.value_ = LongInteger{std::string(digits)};
  return made;
}

double Json::double_or_nearest() const {
  const auto* written = std::get_if<LongInteger>(&value_);
  if (written == nullptr) return get_or_empty<double>();
  double nearest = 0;
  std::from_chars(written->digits.data(), written->digits.data() + written->digits.size(), nearest);
  return nearest;
}

JsonMember::JsonMember(const char* name, Json value) : first(name), second(std::move(value)) {}
JsonMember::JsonMember(std::string_view name, Json value) : first(name), second(std::move(value)) {}
JsonMember::JsonMember(std::string name, Json value)
    : first(std::move(name)), second(std::move(value)) {}
bool JsonMember::operator==(const JsonMember& other) const {
  return first == other.first && second == other.second;
}

const Json* Json::find(std::string_view key) const {
  const auto* object = std::get_if<JsonObject>(&value_);
  if (object == nullptr) return nullptr;
  for (const JsonMember& member : *object) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

Json* Json::find(std::string_view key) {
  return const_cast<Json*>(static_cast<const Json*>(this)->find(key));
}

Json& Json::set(std::string_view key, Json value) {
  if (Json* present = find(key)) {
    *present = std::move(value);
    return *present;
  }
  return as_object().emplace_back(std::string(key), std::move(value)).second;
}

void Json::push_back(Json value) { as_array().push_back(std::move(value)); }

bool Json::operator==(const Json& other) const {
  if (is_number() && other.is_number()) return equal_numbers(*this, other);
  if (kind() != other.kind()) return false;
  if (is_object()) return equal_objects(as_object(), other.as_object());
  return value_ == other.value_;
}

std::string Json::dump(int indent) const {
  std::string out;
  append_value(out, *this, indent, 0);
  return out;
}

std::string quote_json(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted_json(out, text);
  return out;
}

void append_quoted_json(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // where the bytes that need no escape begin
  std::size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size()) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + at, sizeof word);
      if (!any_needs_escape(word)) {
        at += 8;
        continue;
      }
    }
    for (const std::size_t stop = std::min(at + 8, text.size()); at < stop; ++at) {
      if (!needs_escape(static_cast<unsigned char>(text[at]))) continue;
      out.append(text, plain, at - plain);
      append_escape(out, text[at]);
      plain = at + 1;
    }
  }
  out.append(text, plain);
  out += '"';
}

}  // namespace anima
