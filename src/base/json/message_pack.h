// MessagePack (the specification of msgpack.org, version 2014) as values.
//
// Encoding is canonical: the shortest form of integers and lengths, floats as they are held.
// Decoding takes every form but extensions, refuses what is behind the value, a key twice and more
// than kMaxMessagePackDepth levels, and never allocates more than the input can hold (about 48
// bytes for each of its bytes). Errors: kSyntax with the byte's number in `where`, kUnsupported
// (an extension). Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace anima {

inline constexpr std::size_t kMaxMessagePackDepth = 32;

// Bytes that are no text: the type `bin`.
struct Binary {
  std::string bytes;
  bool operator==(const Binary&) const = default;
};

class MessagePack {
 public:
  enum class Kind : std::uint8_t {
    kNil,
    kBool,
    kUnsigned,
    kNegative,
    kFloat32,
    kFloat64,
    kText,
    kBinary,
    kArray,
    kMap,
  };
  using Array = std::vector<MessagePack>;
  using Map = std::vector<std::pair<MessagePack, MessagePack>>;  // in the order it was written in

  MessagePack() = default;
  MessagePack(bool value) : value_(value) {}
  MessagePack(std::uint64_t value) : value_(value) {}
  MessagePack(std::uint32_t value) : value_(std::uint64_t{value}) {}
  MessagePack(std::int64_t value) {
    if (value < 0) {
      value_ = value;
    } else {
      value_ = static_cast<std::uint64_t>(value);
    }
  }
  MessagePack(int value) : MessagePack(std::int64_t{value}) {}
  MessagePack(float value) : value_(value) {}
  MessagePack(double value) : value_(value) {}
  MessagePack(const char* text) : value_(std::string(text)) {}
  MessagePack(std::string_view text) : value_(std::string(text)) {}
  MessagePack(std::string text) : value_(std::move(text)) {}
  MessagePack(Binary bytes) : value_(std::move(bytes)) {}
  MessagePack(Array items) : value_(std::move(items)) {}
  MessagePack(Map members) : value_(std::move(members)) {}

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_nil() const { return kind() == Kind::kNil; }
  // The value held, or null when it is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::uint64_t* natural() const { return std::get_if<std::uint64_t>(&value_); }
  const std::int64_t* negative() const { return std::get_if<std::int64_t>(&value_); }
  const float* float32() const { return std::get_if<float>(&value_); }
  const double* float64() const { return std::get_if<double>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const Binary* binary() const { return std::get_if<Binary>(&value_); }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Map* map() const { return std::get_if<Map>(&value_); }

  // The member of a map under a text key, or null (also when this is no map). O(members).
  const MessagePack* find(std::string_view key) const;
  // Adds a member; what is no map becomes an empty one first.
  MessagePack& set(std::string_view key, MessagePack value);
  void push_back(MessagePack value);  // what is no array becomes an empty one first

  bool operator==(const MessagePack&) const = default;

  std::string encode() const;
  void encode_to(std::string& out) const;

 private:
  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, float, double, std::string,
               Binary, Array, Map>
      value_;
};

// All of the bytes must be one value.
Result<MessagePack> decode_message_pack(std::string_view bytes);

}  // namespace anima
