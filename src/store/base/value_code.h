// The stored form of a literal and the order of values.
//
// Stored form (on disk, never change): kind byte, then nothing (null), one byte (boolean), eight
// bytes (integer, double), the text (string, date-time, decimal, JSON, blank, IRI), or the length
// of `extra` as a varint, `extra` and the text (language string, typed). One value has one stored
// form. Small integers and entities have none: their code says everything. Order: null < boolean <
// number < date-time < string; other kinds have an arbitrary but fixed place after them and cannot
// be compared. Thread-safety: pure functions.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "store/number_key.h"
#include "store/value.h"

namespace anima::store::detail {

void encode_value(const ValueView& value, std::string& out);
// Views into `stored`. Null for bytes that are no stored form.
ValueView decode_value(std::string_view stored);
bool is_stored_value(std::string_view stored);

// A value as it is ordered. Views into the value it was made from.
struct OrderKey {
  enum Class : std::uint8_t { kNull, kBoolean, kNumber, kInstant, kText, kOther };
  Class order = kOther;
  std::int64_t integer = 0;  // boolean, microseconds of an instant, entity
  NumberKey number;
  ValueKind kind = ValueKind::kNull;
  std::string_view text, extra;
};
OrderKey order_key(const ValueView& value);
// Total: comparable values by value, others by kind and bytes.
std::strong_ordering order_of(const OrderKey& a, const OrderKey& b);
std::optional<int> compare_values(const ValueView& a, const ValueView& b);
bool number_of(const ValueView& value, double* out);
std::string display_value(const ValueView& value);

}  // namespace anima::store::detail
