#include "kip/detail/cursor.h"

#include <bit>

#include "base/crypto.h"

namespace anima::kip::detail {

Json key_json(const query::SortKey& key) {
  JsonArray parts;
  parts.emplace_back(static_cast<std::int64_t>(key.rank));
  parts.emplace_back(std::bit_cast<std::int64_t>(key.number));
  parts.emplace_back(to_base64url(key.text));
  return Json(std::move(parts));
}

std::optional<query::SortKey> key_of_json(const Json& json, std::string* text) {
  if (json.kind() != Json::Kind::kArray || json.as_array().size() != 3) return std::nullopt;
  const JsonArray& parts = json.as_array();
  if (!parts[0].is_integer() || !parts[1].is_integer() || !parts[2].is_string())
    return std::nullopt;
  Result<std::string> bytes = from_base64url(parts[2].as_string());
  const std::int64_t rank = parts[0].as_integer();
  const auto number = std::bit_cast<double>(parts[1].as_integer());
  if (!bytes || rank < 0 || rank > 255 || number != number) return std::nullopt;
  *text = std::move(*bytes);
  query::SortKey key;
  key.rank = static_cast<std::uint8_t>(rank);
  key.number = number;
  key.text = *text;
  return key;
}

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
