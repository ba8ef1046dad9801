#include "store/base/value_code.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/json/json.h"
#include "store/base/records.h"

namespace anima::store::detail {
namespace {

constexpr std::string_view kXsd = "http://www.w3.org/2001/XMLSchema#";

bool has_extra(ValueKind kind) {
  return kind == ValueKind::kLanguageString || kind == ValueKind::kTyped;
}

bool is_numeric_type(std::string_view iri) {
  if (!iri.starts_with(kXsd)) return false;
  const std::string_view name = iri.substr(kXsd.size());
  for (const std::string_view known :
       {"integer", "decimal", "double", "float", "int", "long", "short", "byte",
        "nonNegativeInteger", "positiveInteger", "negativeInteger", "nonPositiveInteger",
        "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"}) {
    if (name == known) return true;
  }
  return false;
}

// Whole text as a number; xsd allows a plus sign, INF and NaN.
bool parse_number(std::string_view text, OrderKey& key) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto whole = std::from_chars(text.data(), end, key.integer);
  if (whole.ec == std::errc{} && whole.ptr == end) {
    key.exact = true;
    key.number = static_cast<double>(key.integer);
    return true;
  }
  if (text == "INF" || text == "-INF") {
    key.number = text.front() == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
  }
  const auto real = std::from_chars(text.data(), end, key.number);
  return real.ec == std::errc{} && real.ptr == end && std::isfinite(key.number);
}

// Exact for every pair of an integer and a double.
std::strong_ordering compare_mixed(std::int64_t a, double b) {
  if (std::isnan(b)) return std::strong_ordering::less;
  if (b >= 9223372036854775808.0) return std::strong_ordering::less;
  if (b < -9223372036854775808.0) return std::strong_ordering::greater;
  const auto whole = static_cast<std::int64_t>(b);
  if (a != whole) return a <=> whole;
  const double rest = b - static_cast<double>(whole);
  if (rest > 0) return std::strong_ordering::less;
  return rest < 0 ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::strong_ordering compare_numbers(const OrderKey& a, const OrderKey& b) {
  if (a.exact && b.exact) return a.integer <=> b.integer;
  if (a.exact) return compare_mixed(a.integer, b.number);
  if (b.exact) return 0 <=> compare_mixed(b.integer, a.number);
  if (std::isnan(a.number) || std::isnan(b.number)) {
    return std::isnan(a.number) <=> std::isnan(b.number);
  }
  if (a.number < b.number) return std::strong_ordering::less;
  return a.number > b.number ? std::strong_ordering::greater : std::strong_ordering::equal;
}

}  // namespace

void encode_value(const ValueView& value, std::string& out) {
  out.push_back(static_cast<char>(value.kind));
  switch (value.kind) {
    case ValueKind::kNull:
      return;
    case ValueKind::kBoolean:
      out.push_back(value.integer != 0 ? 1 : 0);
      return;
    case ValueKind::kInteger:
      out.append(reinterpret_cast<const char*>(&value.integer), 8);
      return;
    case ValueKind::kDouble:
      out.append(reinterpret_cast<const char*>(&value.number), 8);
      return;
    default:
      break;
  }
  if (has_extra(value.kind)) {
    std::uint64_t size = value.extra.size();
    for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
    out.push_back(static_cast<char>(size));
    out.append(value.extra);
  }
  out.append(value.text);
}

ValueView decode_value(std::string_view stored) {
  ValueView value;
  if (stored.empty()) return value;
  const auto kind = static_cast<ValueKind>(stored.front());
  stored.remove_prefix(1);
  value.kind = kind;
  switch (kind) {
    case ValueKind::kNull:
      return value;
    case ValueKind::kBoolean:
      if (!stored.empty()) value.integer = stored.front() != 0;
      return value;
    case ValueKind::kInteger:
      if (stored.size() == 8) std::memcpy(&value.integer, stored.data(), 8);
      return value;
    case ValueKind::kDouble:
      if (stored.size() == 8) std::memcpy(&value.number, stored.data(), 8);
      return value;
    default:
      break;
  }
  if (has_extra(kind)) {
    std::uint64_t size = 0;
    for (unsigned shift = 0; shift < 35 && !stored.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(stored.front());
      stored.remove_prefix(1);
      size |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    if (size > stored.size()) size = stored.size();
    value.extra = stored.substr(0, size);
    stored.remove_prefix(size);
  }
  value.text = stored;
  return value;
}

bool is_stored_value(std::string_view stored) {
  if (stored.empty() || static_cast<std::uint8_t>(stored.front()) > 11) return false;
  std::string again;
  encode_value(decode_value(stored), again);
  return again == stored;
}

OrderKey order_key(const ValueView& value) {
  OrderKey key;
  key.kind = value.kind;
  key.text = value.text;
  key.extra = value.extra;
  switch (value.kind) {
    case ValueKind::kNull:
      key.order = OrderKey::kNull;
      break;
    case ValueKind::kBoolean:
      key.order = OrderKey::kBoolean;
      key.integer = value.integer;
      break;
    case ValueKind::kInteger:
      key.order = OrderKey::kNumber;
      key.exact = true;
      key.integer = value.integer;
      key.number = static_cast<double>(value.integer);
      break;
    case ValueKind::kDouble:
      key.order = OrderKey::kNumber;
      key.number = value.number;
      break;
    case ValueKind::kDecimal:
      if (parse_number(value.text, key)) key.order = OrderKey::kNumber;
      break;
    case ValueKind::kTyped:
      if (is_numeric_type(value.extra) && parse_number(value.text, key))
        key.order = OrderKey::kNumber;
      break;
    case ValueKind::kDateTime:
      if (const auto time = parse_timestamp(value.text)) {
        key.order = OrderKey::kInstant;
        key.integer = time->microseconds;
      }
      break;
    case ValueKind::kString:
      key.order = OrderKey::kText;
      break;
    case ValueKind::kEntity:
      key.integer = static_cast<std::int64_t>(value.entity);
      break;
    default:
      break;
  }
  return key;
}

std::strong_ordering order_of(const OrderKey& a, const OrderKey& b) {
  if (a.order != b.order) return a.order <=> b.order;
  switch (a.order) {
    case OrderKey::kNull:
      return std::strong_ordering::equal;
    case OrderKey::kBoolean:
    case OrderKey::kInstant:
      return a.integer <=> b.integer;
    case OrderKey::kNumber:
      return compare_numbers(a, b);
    case OrderKey::kText:
      return a.text <=> b.text;
    case OrderKey::kOther:
      break;
  }
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (a.integer != b.integer) return a.integer <=> b.integer;
  if (const auto extra = a.extra <=> b.extra; extra != 0) return extra;
  return a.text <=> b.text;
}

std::optional<int> compare_values(const ValueView& a, const ValueView& b) {
  const OrderKey left = order_key(a);
  const OrderKey right = order_key(b);
  const auto order = order_of(left, right);
  if (left.order == OrderKey::kOther || right.order == OrderKey::kOther) {
    if (left.order == right.order && order == 0) return 0;
    return std::nullopt;
  }
  if (left.order == OrderKey::kNumber && right.order == OrderKey::kNumber &&
      (std::isnan(left.number) || std::isnan(right.number))) {
    return std::nullopt;
  }
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool number_of(const ValueView& value, double* out) {
  const OrderKey key = order_key(value);
  if (key.order != OrderKey::kNumber) return false;
  *out = key.number;
  return true;
}

std::string display_value(const ValueView& value) {
  switch (value.kind) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBoolean:
      return value.integer != 0 ? "true" : "false";
    case ValueKind::kInteger:
      return std::to_string(value.integer);
    case ValueKind::kDouble:
      return Json(value.number).dump();
    case ValueKind::kEntity:
      return "C:" + std::to_string(static_cast<std::uint32_t>(value.entity));
    case ValueKind::kLanguageString:
      return quote_json(value.text) + "@" + std::string(value.extra);
    case ValueKind::kTyped:
      return quote_json(value.text) + "^^<" + std::string(value.extra) + ">";
    case ValueKind::kBlank:
      return "_:" + std::string(value.text);
    case ValueKind::kIri:
      return "<" + std::string(value.text) + ">";
    case ValueKind::kString:
      return quote_json(value.text);
    case ValueKind::kDateTime:
    case ValueKind::kDecimal:
    case ValueKind::kJson:
      return std::string(value.text);
  }
  return {};
}

std::uint32_t hash_term(std::string_view stored) {
  return static_cast<std::uint32_t>(checksum64(stored) >> 32);
}

}  // namespace anima::store::detail
