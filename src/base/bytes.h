// Binary encoding of what is stored: little-endian fixed words, LEB128 variable-length integers,
// length-prefixed strings. The reader checks every bound and fails with kCorrupt; it never reads
// past its span and never allocates more than the input can hold. Thread-safety: plain values.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima {

static_assert(std::endian::native == std::endian::little, "stored formats are little-endian");

class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value) { append(&value, sizeof value); }
  void u64(std::uint64_t value) { append(&value, sizeof value); }
  void f64(double value) { append(&value, sizeof value); }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      u8(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    u8(static_cast<std::uint8_t>(value));
  }
  // Zigzag, so that small negative numbers stay short.
  void signed_varint(std::int64_t value) {
    varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void string(std::string_view value) {
    varint(value.size());
    raw(value);
  }
  void raw(std::string_view value) { bytes_.append(value); }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }
  std::size_t size() const { return bytes_.size(); }
  void truncate(std::size_t size) { bytes_.resize(size); }
  void clear() { bytes_.clear(); }

 private:
  void append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  Result<std::uint8_t> u8() { return fixed<std::uint8_t>(); }
  Result<std::uint32_t> u32() { return fixed<std::uint32_t>(); }
  Result<std::uint64_t> u64() { return fixed<std::uint64_t>(); }
  Result<double> f64() { return fixed<double>(); }
  Result<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_end()) return truncated();
      const auto byte = static_cast<std::uint8_t>(bytes_[position_++]);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return fail(ErrorCode::kCorrupt, "a variable-length integer is longer than 64 bits");
  }
  Result<std::int64_t> signed_varint() {
    ANIMA_ASSIGN(const std::uint64_t value, varint());
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  // A view into the span given to the constructor.
  Result<std::string_view> string() {
    ANIMA_ASSIGN(const std::uint64_t size, varint());
    return raw(size);
  }
  Result<std::string_view> raw(std::uint64_t size) {
    if (size > remaining()) return truncated();
    const std::string_view view = bytes_.substr(position_, size);
    position_ += size;
    return view;
  }

  bool at_end() const { return position_ == bytes_.size(); }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }

 private:
  template <typename T>
  Result<T> fixed() {
    if (remaining() < sizeof(T)) return truncated();
    T value;
    std::memcpy(&value, bytes_.data() + position_, sizeof value);
    position_ += sizeof value;
    return value;
  }
  static Unexpected<Error> truncated() {
    return fail(ErrorCode::kCorrupt, "the bytes end too early");
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
};

}  // namespace anima
