#include "kip/detail/cursor.h"

#include "base/crypto.h"

namespace anima::kip::detail {

std::string encode_cursor(std::uint64_t fingerprint, const JsonArray& keys) {
  JsonArray content;
  content.emplace_back(std::to_string(fingerprint));
  content.insert(content.end(), keys.begin(), keys.end());
  return to_base64url(Json(std::move(content)).dump());
}

Outcome<JsonArray> decode_cursor(std::string_view token, std::uint64_t fingerprint,
                                 std::uint32_t offset) {
  const auto bytes = from_base64url(token);
  const auto json = bytes ? parse_json(*bytes) : Result<Json>(fail(bytes.error()));
  const bool readable = json && json->kind() == Json::Kind::kArray && !json->as_array().empty() &&
                        json->as_array()[0].is_string();
  if (!readable) {
    return refuse(Code::kInvalidSyntax, "this is no cursor of this engine",
                  "pass the next_cursor of the page before, unchanged", offset);
  }
  JsonArray keys = json->as_array();
  if (keys[0].as_string() != std::to_string(fingerprint)) {
    return refuse(Code::kInvalidSyntax, "this cursor belongs to another command",
                  "repeat the command that gave the cursor, with CURSOR added", offset);
  }
  keys.erase(keys.begin());
  return keys;
}

}  // namespace anima::kip::detail
