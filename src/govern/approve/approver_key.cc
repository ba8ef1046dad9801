#include "govern/approve/approver_key.h"

#include <algorithm>

#include "base/json/json.h"
#include "base/json/json_member.h"
#include "base/text/text.h"

namespace anima::govern {
namespace {

constexpr std::string_view kKeyKind = "approver key 1";

Unexpected<Error> no_key(std::string_view where) {
  return fail(ErrorCode::kCorrupt, "this is no key of an approver", std::string(where),
              "`anima approver init` makes one");
}

Result<Json> read_file_json(std::string_view file, std::string_view where) {
  const auto json = parse_json(file);
  if (!json || text_member(*json, "anima") != kKeyKind) return no_key(where);
  return *json;
}

std::uint64_t positive_member(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  const bool is_number = value != nullptr && value->is_integer() && value->as_integer() > 0;
  return is_number ? static_cast<std::uint64_t>(value->as_integer()) : 0;
}

}  // namespace

Result<NewApproverKey> make_approver_key(std::string_view name, std::string_view role,
                                         std::string_view passphrase, const PassphraseCost& cost,
                                         Random& random) {
  ANIMA_TRY(check_approver(name, role));
  if (count_code_points(passphrase) < kLeastPassphraseCharacters) {
    return fail(ErrorCode::kInvalidArgument, "a passphrase has at least 12 characters", {},
                "four words that nobody would put together are easy to keep");
  }
  PassphraseSalt salt;
  random.fill(salt);
  ANIMA_ASSIGN(SealKey lock, key_from_passphrase(passphrase, salt, cost));
  SigningKey key = make_signing_key(random);
  std::string seed(key.seed.begin(), key.seed.end());
  NewApproverKey made;
  made.card = make_card(name, role, key);
  Json json = made.card.to_json();
  json.set("anima", kKeyKind);
  json.set("salt", to_base64url({reinterpret_cast<const char*>(salt.data()), salt.size()}));
  json.set("passes", static_cast<std::int64_t>(cost.passes));
  json.set("memory_bytes", static_cast<std::int64_t>(cost.memory_bytes));
  json.set("sealed", to_base64url(seal(lock, seed, random)));
  made.file = json.dump() + "\n";
  wipe(seed);
  wipe(key);
  wipe(lock);
  return made;
}

Result<ApproverCard> card_of_key(std::string_view file, std::string_view where) {
  ANIMA_ASSIGN(const Json json, read_file_json(file, where));
  auto card = ApproverCard::from_json(json);
  if (!card) return no_key(where);
  return card;
}

Result<SigningKey> open_approver_key(std::string_view file, std::string_view passphrase,
                                     std::string_view where) {
  ANIMA_ASSIGN(const Json json, read_file_json(file, where));
  ANIMA_ASSIGN(const ApproverCard card, card_of_key(file, where));
  const auto salt_bytes = from_base64url(text_member(json, "salt"));
  const auto sealed = from_base64url(text_member(json, "sealed"));
  PassphraseSalt salt;
  if (!salt_bytes || salt_bytes->size() != salt.size() || !sealed) return no_key(where);
  std::copy(salt_bytes->begin(), salt_bytes->end(), salt.begin());
  ANIMA_ASSIGN(SealKey lock, key_from_passphrase(passphrase, salt,
                                                 {positive_member(json, "passes"),
                                                  positive_member(json, "memory_bytes")}));
  auto seed = unseal(lock, *sealed);
  wipe(lock);
  std::array<std::uint8_t, 32> bytes;
  if (!seed || seed->size() != bytes.size())
    return fail(ErrorCode::kDenied, "the passphrase does not open this key", std::string(where));
  std::copy(seed->begin(), seed->end(), bytes.begin());
  wipe(*seed);
  SigningKey key = signing_key_from_seed(bytes);
  wipe(bytes);
  if (key.public_key == card.key) return key;
  wipe(key);
  return no_key(where);
}

StatementSignature sign_statement(const Statement& statement, std::string_view approver,
                                  const SigningKey& key) {
  return {std::string(approver),
          sign(key, signed_text(statement.what, approver, digest_of(statement.content)))};
}

}  // namespace anima::govern
