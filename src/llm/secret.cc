#include "llm/secret.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace anima::llm {
namespace {

constexpr std::uint64_t kMaxKey = 8192;
constexpr std::size_t kLeastShape = 16;  // shorter ones are words, not keys
constexpr std::array<std::string_view, 5> kShapes{"sk-", "gsk_", "AIza", "xai-", "pk-"};

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '*' || c == '.';
}

enum class Fit : std::uint8_t { kNone, kWhole, kBegun };
struct KeyMatch {
  Fit fit = Fit::kNone;
  std::size_t size = 0;  // of kWhole, in the text
};

// One character of the key at the beginning of the text: as it is, or as JSON may write it.
KeyMatch match_character(std::string_view text, char wanted) {
  if (text.empty()) return {Fit::kBegun, 0};
  if (text[0] == wanted) return {Fit::kWhole, 1};
  if (text[0] != '\\') return {};
  if (text.size() == 1) return {Fit::kBegun, 0};
  if (text[1] == wanted) return {Fit::kWhole, 2};
  const std::string escape = fmt::format("\\u{:04x}", static_cast<unsigned char>(wanted));
  const std::string_view begun = text.substr(0, escape.size());
  if (!equals_ignoring_ascii_case(begun, std::string_view(escape).substr(0, begun.size())))
    return {};
  return begun.size() == escape.size() ? KeyMatch{Fit::kWhole, escape.size()}
                                       : KeyMatch{Fit::kBegun, 0};
}

KeyMatch match_key(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  for (const char wanted : key) {
    const KeyMatch one = match_character(text.substr(at), wanted);
    if (one.fit != Fit::kWhole) return one;
    at += one.size;
  }
  return {Fit::kWhole, at};
}

Result<std::string> read_key_file(const std::string& path, FileSystem& files) {
  ANIMA_ASSIGN(const FileInfo info, files.info(path));
  if (info.kind != FileInfo::Kind::kFile)
    return fail(ErrorCode::kInvalidArgument, "the key must be in a regular file", path);
  if ((info.permissions & 077U) != 0) {
    return fail(ErrorCode::kDenied,
                fmt::format("others may read the key (the file has mode {:04o})", info.permissions),
                path, fmt::format("chmod 600 {}", path));
  }
  return read_file(files, path, kMaxKey);
}

}  // namespace

bool Secret::is_in(std::string_view text) const {
  if (text_.empty()) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (match_key(text.substr(at), text_).fit == Fit::kWhole) return true;
  }
  return false;
}

std::string KeySource::describe() const {
  switch (kind) {
    case Kind::kEnvironment:
      return "the variable " + name;
    case Kind::kFile:
      return "the file " + name;
    case Kind::kNone:
      break;
  }
  return "no key";
}

Result<Secret> read_key(const KeySource& source, const Environment& environment,
                        FileSystem& files) {
  if (source.kind == KeySource::Kind::kNone) return Secret();
  std::string text;
  if (source.kind == KeySource::Kind::kEnvironment) {
    const auto found = environment.find(source.name);
    if (found == environment.end() || trim(found->second).empty())
      return fail(ErrorCode::kNotFound, "the variable for the model's key is not set", source.name,
                  fmt::format("export {}=..., or name a file with key_file", source.name));
    text = found->second;
  } else {
    ANIMA_ASSIGN(text, read_key_file(source.name, files));
  }
  const std::string_view key = trim(text);
  const bool plain = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7f; });
  if (key.empty() || key.size() > kMaxKey || !plain) {
    return fail(ErrorCode::kInvalidArgument,
                "the model's key is empty, longer than 8192 bytes, or has blanks inside",
                source.name);
  }
  return Secret(std::string(key));
}

std::string KeyScrubber::feed(std::string_view bytes) {
  if (secret_ == nullptr || secret_->empty()) return std::string(bytes);
  const std::string text = std::move(held_) + std::string(bytes);
  held_.clear();
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const KeyMatch match = match_key(rest, secret_->reveal());
    if (match.fit == Fit::kBegun) {
      held_ = rest;
      break;
    }
    if (match.fit == Fit::kWhole) {
      out += kScrubbed;
      at += match.size;
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string KeyScrubber::finish() { return std::exchange(held_, {}); }

std::string scrub(std::string_view text, const Secret* secret) {
  KeyScrubber scrubber(secret);
  std::string out = scrubber.feed(text);
  return out + scrubber.finish();
}

std::string scrub_key_shapes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_key_character(text[at])) {
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_key_character(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool key = word.size() >= kLeastShape && std::ranges::any_of(kShapes, [&](auto shape) {
                       return word.starts_with(shape);
                     });
    out += key ? kScrubbed : word;
    at = end;
  }
  return out;
}

}  // namespace anima::llm
