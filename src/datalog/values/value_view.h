// Hash, equality and order of values by what they hold. Thread-safety: functions without state.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "datalog/value.h"

namespace anima::datalog {

inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9E3779B97F4A7C15ULL;
  x ^= x >> 29;
  return x;
}

inline std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
  const auto* p = static_cast<const unsigned char*>(data);
  std::uint64_t h = seed ^ (size * 0xD6E8FEB86659FD93ULL);
  for (; size >= 8; p += 8, size -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    h = mix(h ^ word) * 0xD6E8FEB86659FD93ULL;
  }
  std::uint64_t tail = 0;
  if (size > 0) std::memcpy(&tail, p, size);  // an empty map has no bytes to point at
  return mix(mix(h ^ tail));
}

inline std::uint64_t wide_hash(const ValueView& v) {
  const auto seed = (static_cast<std::uint64_t>(v.kind) + 1) * 0xA24BAED4963EE407ULL;
  switch (v.kind) {
    case ValueKind::kName:
    case ValueKind::kString:
    case ValueKind::kBytes:
      return hash_bytes(v.text.data(), v.text.size(), seed);
    case ValueKind::kInt:
    case ValueKind::kTime:
    case ValueKind::kDuration:
      return mix(seed ^ mix(static_cast<std::uint64_t>(v.number)));
    case ValueKind::kFloat:
      return mix(seed ^ mix(std::bit_cast<std::uint64_t>(v.real)));
    case ValueKind::kPair:
    case ValueKind::kCons:
      return mix(seed ^ mix(std::uint64_t{v.first} << 32 | v.second));
    case ValueKind::kNil:
      return mix(seed);
    case ValueKind::kMap:
    case ValueKind::kStruct:
      return hash_bytes(v.entries.data(), v.entries.size_bytes(), seed);
  }
  return 0;
}

inline bool same_value(const ValueView& a, const ValueView& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case ValueKind::kName:
    case ValueKind::kString:
    case ValueKind::kBytes:
      return a.text == b.text;
    case ValueKind::kInt:
    case ValueKind::kTime:
    case ValueKind::kDuration:
      return a.number == b.number;
    case ValueKind::kFloat:
      return std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real);
    case ValueKind::kPair:
    case ValueKind::kCons:
      return a.first == b.first && a.second == b.second;
    case ValueKind::kNil:
      return true;
    case ValueKind::kMap:
    case ValueKind::kStruct:
      return std::ranges::equal(a.entries, b.entries);
  }
  return false;
}

inline std::uint32_t hash_value(const ValueView& v) {
  const std::uint64_t wide = wide_hash(v);
  return static_cast<std::uint32_t>(wide ^ wide >> 32);
}

// Floats in numeric order; values that compare equal (0.0, -0.0) and NaNs by their bits.
inline int compare_reals(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  const auto x = std::bit_cast<std::int64_t>(a);
  const auto y = std::bit_cast<std::int64_t>(b);
  const bool a_nan = a != a;
  const bool b_nan = b != b;
  if (a_nan != b_nan) return a_nan ? 1 : -1;
  return x < y ? -1 : x > y ? 1 : 0;
}

// By value; 0 for structured values, whose parts are compared by code. Requires equal kinds.
inline int compare_scalars(const ValueView& a, const ValueView& b) {
  switch (a.kind) {
    case ValueKind::kName:
    case ValueKind::kString:
    case ValueKind::kBytes:
      return a.text.compare(b.text);
    case ValueKind::kInt:
    case ValueKind::kTime:
    case ValueKind::kDuration:
      return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
    case ValueKind::kFloat:
      return compare_reals(a.real, b.real);
    default:
      return 0;
  }
}

}  // namespace anima::datalog
