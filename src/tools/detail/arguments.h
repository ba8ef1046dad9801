// Reading the arguments of a call, and the parts that every result of an external tool has.
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::tools::detail {

inline Unexpected<Error> bad_argument(std::string_view name, std::string_view wanted) {
  return fail(ErrorCode::kInvalidArgument,
              "the argument \"" + std::string(name) + "\" must be " + std::string(wanted));
}

// A text that must be there and not be empty.
inline Result<std::string> needed_text(const Json& arguments, std::string_view name) {
  const Json* value = arguments.find(name);
  if (value == nullptr || !value->is_string() || value->as_string().empty()) {
    return bad_argument(name, "a text");
  }
  return value->as_string();
}

// Empty when it is not there.
inline Result<std::string> optional_text(const Json& arguments, std::string_view name) {
  const Json* value = arguments.find(name);
  if (value == nullptr || value->is_null()) return std::string();
  if (!value->is_string()) return bad_argument(name, "a text");
  return value->as_string();
}

inline Result<std::int64_t> optional_integer(const Json& arguments, std::string_view name,
                                             std::int64_t otherwise, std::int64_t low,
                                             std::int64_t high) {
  const Json* value = arguments.find(name);
  if (value == nullptr || value->is_null()) return otherwise;
  if (!value->is_integer() || value->as_integer() < low || value->as_integer() > high) {
    return bad_argument(
        name, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value->as_integer();
}

// The first `bytes` of a text, not cutting a character.
inline std::string_view cut_at_character(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

inline Json outside(JsonObject members) {
  members.emplace_back("trust", "untrusted");
  return Json(std::move(members));
}

}  // namespace anima::tools::detail
