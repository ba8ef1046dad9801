#include "govern/approve/call_token.h"

#include "base/json/sorted_json.h"
#include "govern/ledger/audit_chain.h"

namespace anima::govern {
namespace {

constexpr std::int64_t kLifetime = 5 * 60 * 1'000'000LL;
constexpr std::size_t kBlock = 64;

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// RFC 2104 with a key of at most one block.
Digest hmac_sha256(std::string_view key, std::string_view message) {
  std::string inner(kBlock, '\x36');
  std::string outer(kBlock, '\x5c');
  for (std::size_t i = 0; i < key.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ key[i]);
    outer[i] = static_cast<char>(outer[i] ^ key[i]);
  }
  const Digest digest = sha256(inner.append(message));
  return sha256(outer.append(bytes_of(digest)));
}

// Takes the same time wherever the texts differ.
bool equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

}  // namespace

std::string arguments_hash(const Json& arguments) { return to_hex(sha256(sorted_json(arguments))); }

TokenIssuer::TokenIssuer(Clock& clock, Random& random) : clock_(clock), random_(random) {
  std::array<std::uint8_t, 32> key{};
  random.fill(key);
  key_.assign(reinterpret_cast<const char*>(key.data()), key.size());
}

std::string TokenIssuer::signature_of(const CallToken& token) const {
  const std::string text = token.id + ":" + token.tool + ":" + token.agent + ":" +
                           token.arguments_hash + ":" + std::to_string(token.issued.microseconds) +
                           ":" + std::to_string(token.expires.microseconds);
  return to_hex(hmac_sha256(key_, text));
}

CallToken TokenIssuer::issue(std::string_view tool, std::string_view agent, const Json& arguments,
                             std::string_view approved_by) {
  const std::lock_guard lock(mutex_);
  const Timestamp now = clock_.now();
  CallToken token{make_uuid(random_),
                  std::string(tool),
                  std::string(agent),
                  arguments_hash(arguments),
                  std::string(approved_by),
                  now,
                  {now.microseconds + kLifetime},
                  {}};
  token.signature = signature_of(token);
  return token;
}

Status TokenIssuer::redeem(const CallToken& token, std::string_view tool, std::string_view agent,
                           const Json& arguments) {
  if (!equal(token.signature, signature_of(token)))
    return fail(ErrorCode::kDenied, "the call token was not issued here");
  const std::lock_guard lock(mutex_);
  if (clock_.now() > token.expires) return fail(ErrorCode::kDenied, "the call token expired");
  if (used_.contains(token.id)) return fail(ErrorCode::kDenied, "the call token was used before");
  if (token.tool != tool || token.agent != agent)
    return fail(ErrorCode::kDenied, "the call token is for another call");
  if (token.arguments_hash != arguments_hash(arguments)) {
    return fail(ErrorCode::kDenied, "the arguments differ from those that were approved");
  }
  used_.insert(token.id);
  return {};
}

}  // namespace anima::govern
