#include "store/base/value_code.h"

#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/json/json.h"
#include "store/base/records.h"

namespace anima::store::detail {
namespace {

bool has_extra(ValueKind kind) {
  return kind == ValueKind::kLanguageString || kind == ValueKind::kTyped;
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
    case ValueKind::kDouble:
    case ValueKind::kDecimal:
    case ValueKind::kTyped:
      if (auto number = number_key(value)) {
        key.order = OrderKey::kNumber;
        key.number = std::move(*number);
      }
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
      return a.number <=> b.number;
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
      (left.number.is_nan() || right.number.is_nan())) {
    return std::nullopt;
  }
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool number_of(const ValueView& value, double* out) {
  switch (value.kind) {
    case ValueKind::kInteger:
      *out = static_cast<double>(value.integer);
      return true;
    case ValueKind::kDouble:
      *out = value.number;
      return true;
    default:
      break;
  }
  const auto key = number_key(value);
  if (!key) return false;
  *out = key->number;
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
