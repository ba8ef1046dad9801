#include "serve/tokens.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/json.h"
#include "base/json/json_member.h"
#include "govern/trust.h"

namespace anima::serve {
namespace {

constexpr std::string_view kFile = "/serve_tokens.json";
constexpr std::string_view kBegin = "anima_";
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kLongestName = 64;
constexpr std::uint64_t kLongestFile = 1 << 20;

// Compares all of both.
bool same_digest(const Digest& a, const Digest& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

Unexpected<Error> damaged(const std::string& path) {
  return fail(ErrorCode::kCorrupt, "the tokens cannot be read", path,
              "move the file away and make new ones with `anima serve token add`");
}

std::optional<AccessToken> token_of(const Json& json) {
  AccessToken token;
  token.name = text_member(json, "name");
  const auto trust = govern::parse_trust(text_member(json, "trust"));
  const Json* writes = json.find("may_write");
  const auto made = parse_timestamp(text_member(json, "made"));
  const auto digest = from_hex(text_member(json, "sha256"));
  if (!is_name(token.name) || !trust || *trust > store::Trust::kVerified || writes == nullptr ||
      !writes->is_bool() || !made || !digest || digest->size() != token.digest.size())
    return std::nullopt;
  token.trust = *trust;
  token.may_write = writes->as_bool();
  // Files of before have no such member.
  const Json* sees = json.find("sees_approvals");
  if (sees != nullptr && !sees->is_bool()) return std::nullopt;
  token.sees_approvals = sees != nullptr && sees->as_bool();
  token.made = *made;
  std::ranges::copy(*digest, token.digest.begin());
  return token;
}

Json json_of(const AccessToken& token) {
  return Json::object({{"name", token.name},
                       {"trust", std::string(govern::trust_name(token.trust))},
                       {"may_write", token.may_write},
                       {"sees_approvals", token.sees_approvals},
                       {"made", format_timestamp(token.made)},
                       {"sha256", to_hex(token.digest)}});
}

auto find_name(std::vector<AccessToken>& tokens, std::string_view name) {
  return std::ranges::find(tokens, name, &AccessToken::name);
}

}  // namespace

TokenBook::TokenBook(FileSystem& files, std::string folder)
    : files_(files), path_(std::move(folder) + std::string(kFile)) {}

Result<std::vector<AccessToken>> TokenBook::read() const {
  std::vector<AccessToken> tokens;
  const auto info = files_.info(path_);
  if (!info && info.error().code == ErrorCode::kNotFound) return tokens;
  if (!info) return fail(info.error());
  if (info->kind != FileInfo::Kind::kFile) return damaged(path_);
  if ((info->permissions & 077) != 0) {
    return fail(ErrorCode::kDenied, "others can read the tokens", path_, "chmod 600 " + path_);
  }
  ANIMA_ASSIGN(const std::string text, read_file(files_, path_, kLongestFile));
  const auto json = parse_json(text);
  const Json* list = json ? json->find("tokens") : nullptr;
  if (list == nullptr || !list->is_array()) return damaged(path_);
  for (const Json& each : list->as_array()) {
    auto token = token_of(each);
    if (!token) return damaged(path_);
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

Status TokenBook::write(const std::vector<AccessToken>& tokens) const {
  Json list = Json::array();
  for (const AccessToken& each : tokens) list.push_back(json_of(each));
  const Json json = Json::object({{"format", "anima-serve-tokens/1"}, {"tokens", std::move(list)}});
  return replace_file(files_, path_, json.dump() + "\n", 0600);
}

Result<std::string> TokenBook::add(AccessToken token, Random& random) {
  if (!is_name(token.name)) {
    return fail(ErrorCode::kInvalidArgument,
                "a token's name has 1 to 64 letters, digits, dots, - and _", token.name);
  }
  std::array<std::uint8_t, kSecretBytes> secret{};
  random.fill(secret);
  std::string text = std::string(kBegin) + to_hex(secret);
  token.digest = sha256(text);
  ANIMA_ASSIGN(const auto lock, files_.lock(path_ + ".lock", LockMode::kExclusive, true));
  ANIMA_ASSIGN(std::vector<AccessToken> tokens, read());
  if (find_name(tokens, token.name) != tokens.end()) {
    return fail(ErrorCode::kAlreadyExists, "there is a token of that name", token.name,
                "anima serve token remove " + token.name);
  }
  tokens.push_back(std::move(token));
  std::ranges::sort(tokens, {}, &AccessToken::name);
  ANIMA_TRY(write(tokens));
  return text;
}

Result<std::vector<AccessToken>> TokenBook::list() { return read(); }

Status TokenBook::remove(std::string_view name) {
  ANIMA_ASSIGN(const auto lock, files_.lock(path_ + ".lock", LockMode::kExclusive, true));
  ANIMA_ASSIGN(std::vector<AccessToken> tokens, read());
  const auto found = find_name(tokens, name);
  if (found == tokens.end()) {
    return fail(ErrorCode::kNotFound, "there is no such token", std::string(name),
                "see `anima serve token list`");
  }
  tokens.erase(found);
  return write(tokens);
}

Result<std::optional<AccessToken>> TokenBook::find(std::string_view token) {
  const Digest digest = sha256(token);
  const MutexLock lock(mutex_);
  const FileStamp stamp = stamp_of(path_);
  if (stamp_ != stamp) {
    stamp_.reset();
    ANIMA_ASSIGN(tokens_, read());
    stamp_ = stamp;
  }
  std::optional<AccessToken> found;
  for (const AccessToken& each : tokens_)
    if (same_digest(each.digest, digest)) found = each;
  return found;
}

}  // namespace anima::serve
