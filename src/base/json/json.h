// JSON values (RFC 8259) as Anima passes them between rooms. Integers stay integers, and keep their
// digits where 64 bits do not hold them; object members keep the order they were written in (a
// duplicate key is an error when parsed). Parsing is Boost.JSON's, behind this door. Thread-safety:
// plain values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace anima {

class Json;
using JsonArray = std::vector<Json>;
struct JsonMember;
using JsonObject = std::vector<JsonMember>;

class Json {
 private:
  // With a sign where it is negative, without leading zeros, outside of 64 bits.
  struct LongInteger {
    std::string digits;
    bool operator==(const LongInteger&) const = default;
  };

 public:
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kDouble, kString, kArray, kObject };

  Json();
  Json(std::nullptr_t);
  Json(bool value);
  Json(int value);
  Json(unsigned value);
  Json(std::int64_t value);
  Json(std::uint64_t value);
  Json(double value);
  Json(const char* value);
  Json(std::string_view value);
  Json(std::string value);
  Json(JsonArray value);
  Json(JsonObject value);
  // Compiled once, because a value is made, moved and ended in thousands of places.
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();
  static Json array(std::initializer_list<Json> items = {});
  // An integer as RFC 8259 writes it, of at most kLongestInteger digits, so that a double is near
  // it. One that 64 bits hold becomes that integer.
  static constexpr std::size_t kLongestInteger = 308;
  static Json integer(std::string_view digits);
  static Json object(std::initializer_list<JsonMember> members = {});

  // A long integer is a number as a double is, for whoever does not ask for its digits.
  Kind kind() const {
    return is_long_integer() ? Kind::kDouble : static_cast<Kind>(value_.index());
  }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_integer() const { return kind() == Kind::kInteger; }
  bool is_double() const { return kind() == Kind::kDouble; }
  bool is_number() const { return is_integer() || is_double(); }
  bool is_long_integer() const { return std::holds_alternative<LongInteger>(value_); }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_object() const { return kind() == Kind::kObject; }

  // What a value of another kind gives is empty: false, 0, "", no items, no members. Nothing aborts
  // or throws; who must tell the cases apart asks for the kind. as_number() takes both numbers.
  bool as_bool() const { return get_or_empty<bool>(); }
  std::int64_t as_integer() const { return get_or_empty<std::int64_t>(); }
  double as_number() const {
    return is_integer() ? static_cast<double>(as_integer()) : double_or_nearest();
  }
  const std::string& long_digits() const { return get_or_empty<LongInteger>().digits; }
  const std::string& as_string() const { return get_or_empty<std::string>(); }
  const JsonArray& as_array() const { return get_or_empty<JsonArray>(); }
  const JsonObject& as_object() const { return get_or_empty<JsonObject>(); }
  // To be changed: a value of another kind becomes an empty one.
  JsonArray& as_array() { return become<JsonArray>(); }
  JsonObject& as_object() { return become<JsonObject>(); }

  // The member of an object, or null (also when this is no object). O(members).
  const Json* find(std::string_view key) const;
  Json* find(std::string_view key);
  // Sets or adds a member; what is no object becomes an empty one first.
  Json& set(std::string_view key, Json value);
  void push_back(Json value);  // what is no array becomes an empty one first

  // Deep, members of objects in any order, 1 == 1.0.
  bool operator==(const Json& other) const;

  // Compact, or indented by `indent` blanks a level. Doubles print so that they read back.
  std::string dump(int indent = 0) const;

 private:
  template <typename T>
  const T& get_or_empty() const {
    if (const T* held = std::get_if<T>(&value_)) return *held;
    static const T empty{};
    return empty;
  }
  template <typename T>
  T& become() {
    T* held = std::get_if<T>(&value_);
    return held != nullptr ? *held : value_.emplace<T>();
  }

  double double_or_nearest() const;

  std::variant<std::monostate, bool, std::int64_t, double, std::string, JsonArray, JsonObject,
               LongInteger>
      value_;
};

struct JsonMember {
  JsonMember() = default;
  JsonMember(const char* name, Json value);
  JsonMember(std::string_view name, Json value);
  JsonMember(std::string name, Json value);
  bool operator==(const JsonMember& other) const;

  std::string first;
  Json second;
};

// Here, because a member of an object has to be known before a value can end.
inline Json::Json() = default;
inline Json::Json(std::nullptr_t) {}
inline Json::Json(bool value) : value_(value) {}
inline Json::Json(int value) : value_(std::int64_t{value}) {}
inline Json::Json(unsigned value) : value_(std::int64_t{value}) {}
inline Json::Json(std::int64_t value) : value_(value) {}
inline Json::Json(double value) : value_(value) {}

struct JsonLimits {
  std::size_t max_depth = 64;
  std::size_t max_bytes = std::size_t{1} << 30;
};

// The whole text must be one value. Errors: kSyntax with "line:column", kLimitExceeded.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// `text` as a JSON string with its quotes.
std::string quote_json(std::string_view text);
void append_quoted_json(std::string& out, std::string_view text);

}  // namespace anima
