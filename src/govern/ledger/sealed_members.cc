#include "govern/ledger/sealed_members.h"

#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/json/json_member.h"
#include "govern/ledger/ledger.h"

namespace anima::govern {

Status seal_members(store::Space& space, std::string_view key,
                    std::span<const std::string_view> names, Json& object) {
  Json secret = Json::object();
  for (const std::string_view name : names) {
    if (const Json* value = object.find(name)) secret.set(name, *value);
  }
  if (secret.as_object().empty()) return {};
  ANIMA_ASSIGN(const std::string text, record_payload(secret));
  ANIMA_ASSIGN(const store::SealedText sealed, space.seal(std::string(key), text));
  for (const JsonMember& member : secret.as_object()) {
    std::erase_if(object.as_object(),
                  [&](const JsonMember& each) { return each.first == member.first; });
  }
  object.set("seal", sealed.seal);
  object.set("sealed", to_base64url(sealed.bytes));
  return {};
}

Status unseal_members(store::Space& space, Json& object) {
  if (!object.is_object() || object.find("sealed") == nullptr) return {};
  const auto bytes = from_base64url(text_member(object, "sealed"));
  if (!bytes) return fail(ErrorCode::kCorrupt, "a record lacks its sealed part");
  ANIMA_ASSIGN(const store::UnsealedText opened,
               space.unseal({text_member(object, "seal"), *bytes}));
  if (opened.state != store::SealState::kOpen) return {};
  ANIMA_ASSIGN(const Json secret, parse_json(opened.text));
  if (!secret.is_object()) return fail(ErrorCode::kCorrupt, "a record's sealed part is no object");
  std::erase_if(object.as_object(), [](const JsonMember& each) {
    return each.first == "seal" || each.first == "sealed";
  });
  for (const JsonMember& member : secret.as_object()) object.set(member.first, member.second);
  return {};
}

}  // namespace anima::govern
