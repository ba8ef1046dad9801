#include "kip/detail/cursor.h"

#include <array>

namespace anima::kip::detail {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string to_base64(std::string_view bytes) {
  std::string out;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out += kAlphabet[(buffer >> bits) & 63];
    }
  }
  if (bits > 0) out += kAlphabet[(buffer << (6 - bits)) & 63];
  return out;
}

bool from_base64(std::string_view text, std::string* out) {
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return false;
    buffer = (buffer << 6) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out->push_back(static_cast<char>((buffer >> bits) & 255));
    }
  }
  return true;
}

}  // namespace

std::string encode_cursor(std::uint64_t fingerprint, const JsonArray& keys) {
  JsonArray content;
  content.emplace_back(std::to_string(fingerprint));
  content.insert(content.end(), keys.begin(), keys.end());
  return to_base64(Json(std::move(content)).dump());
}

Outcome<JsonArray> decode_cursor(std::string_view token, std::uint64_t fingerprint,
                                 std::uint32_t offset) {
  std::string bytes;
  const auto json =
      from_base64(token, &bytes) ? parse_json(bytes) : Result<Json>(fail(ErrorCode::kSyntax, ""));
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
