#include "govern/approve/approvers.h"

#include <algorithm>

#include "base/json/json_member.h"
#include "base/json/sorted_json.h"
#include "govern/ledger/ledger.h"

namespace anima::govern {
namespace {

constexpr std::size_t kMostNameCharacters = 64;

std::int64_t time_of(const Json& event) {
  const Json* at = event.find("at");
  return at != nullptr && at->is_integer() ? at->as_integer() : 0;
}

std::string signature_bytes(const Signature& signature) {
  return {reinterpret_cast<const char*>(signature.data()), signature.size()};
}

template <std::size_t N>
bool take_bytes(std::array<std::uint8_t, N>& bytes, const Result<std::string>& text) {
  if (!text || text->size() != N) return false;
  std::copy(text->begin(), text->end(), bytes.begin());
  return true;
}

std::string card_text(std::string_view name, std::string_view role, const PublicKey& key) {
  return "anima approver 1\n" + std::string(name) + "\n" + std::string(role) + "\n" + to_hex(key) +
         "\n";
}

bool stands(const Approver& approver, store::Sequence at) {
  return approver.since < at && (!approver.until || at <= *approver.until);
}

}  // namespace

std::string digest_of(const Json& content) { return to_hex(sha256(sorted_json(content))); }

std::string signed_text(std::string_view what, std::string_view approver, std::string_view digest) {
  return "anima statement 1\n" + std::string(what) + "\n" + std::string(approver) + "\n" +
         std::string(digest) + "\n";
}

Status check_approver(std::string_view name, std::string_view role) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
  if (!plain || name.empty() || name.size() > kMostNameCharacters || name.starts_with('.')) {
    return fail(ErrorCode::kInvalidArgument,
                "the name of an approver is 1 to 64 of a-z, 0-9, '.', '-' and '_'",
                std::string(name));
  }
  if (role == "operator" || role == "arbiter" || role == "overseer") return {};
  return fail(ErrorCode::kInvalidArgument, "an approver is operator, arbiter or overseer",
              std::string(role));
}

ApproverCard make_card(std::string_view name, std::string_view role, const SigningKey& key) {
  return {std::string(name), std::string(role), key.public_key,
          sign(key, card_text(name, role, key.public_key))};
}

Json ApproverCard::to_json() const {
  return Json::object({{"name", name},
                       {"role", role},
                       {"key", to_hex(key)},
                       {"card", to_base64url(signature_bytes(signature))}});
}

Result<ApproverCard> ApproverCard::from_json(const Json& json) {
  ApproverCard card;
  card.name = text_member(json, "name");
  card.role = text_member(json, "role");
  ANIMA_TRY(check_approver(card.name, card.role));
  if (!take_bytes(card.key, from_hex(text_member(json, "key"))) ||
      !take_bytes(card.signature, from_base64url(text_member(json, "card"))) ||
      !verify(card.key, card_text(card.name, card.role, card.key), card.signature)) {
    return fail(ErrorCode::kInvalidArgument, "the card is not signed by the key that it names");
  }
  return card;
}

void put_signature(const StatementSignature& signature, Json& event) {
  event.set("approver", signature.approver);
  event.set("signature", to_base64url(signature_bytes(signature.signature)));
}

Result<StatementSignature> signature_in(const Json& event) {
  StatementSignature signature;
  signature.approver = text_member(event, "approver");
  if (take_bytes(signature.signature, from_base64url(text_member(event, "signature"))))
    return signature;
  return fail(ErrorCode::kInvalidArgument, "there is no signature of 64 bytes");
}

Result<std::string> space_id(Ledger& ledger) {
  const auto first = ledger.space().log().entry(store::Sequence{1});
  if (first) return to_hex(first->hash);
  return fail(ErrorCode::kConflict, "the space has no entry yet", {}, "anima init");
}

bool Approvers::any(store::Sequence at) const {
  return std::ranges::any_of(all_, [&](const Approver& each) { return stands(each, at); });
}

const Approver* Approvers::find(std::string_view name, store::Sequence at) const {
  const auto found = std::ranges::find_if(
      all_, [&](const Approver& each) { return each.name == name && stands(each, at); });
  return found == all_.end() ? nullptr : &*found;
}

Result<const Approver*> Approvers::check(std::string_view what, std::string_view digest,
                                         const StatementSignature& signature, std::string_view role,
                                         store::Sequence at) const {
  const Approver* approver = find(signature.approver, at);
  if (approver == nullptr) {
    return fail(ErrorCode::kDenied, "'" + signature.approver + "' is no approver of this space", {},
                "`anima approver list` shows who is");
  }
  if (!role.empty() && approver->role != role) {
    return fail(ErrorCode::kDenied, "'" + approver->name + "' is registered as " + approver->role +
                                        ", not as " + std::string(role));
  }
  if (!verify(approver->key, signed_text(what, approver->name, digest), signature.signature))
    return fail(ErrorCode::kDenied, "the signature of '" + approver->name + "' is not for this");
  return approver;
}

Statement Approvers::registration(const ApproverCard& card, std::int64_t at) const {
  Json content = card.to_json();
  content.set("space", space_);
  content.set("at", at);
  return {"register", std::move(content)};
}

Statement Approvers::removal(const Approver& approver, std::int64_t at) const {
  return {"remove", Json::object({{"name", approver.name},
                                  {"role", approver.role},
                                  {"key", to_hex(approver.key)},
                                  {"space", space_},
                                  {"at", at}})};
}

void Approvers::apply(const Json& event, Timestamp logged, store::Sequence entry) {
  const std::string name = text_member(event, "event");
  if (name == "approver_registered") add(event, logged, entry);
  if (name == "approver_removed") remove(event, entry);
}

// Two persons are two keys: no key comes twice, also not one that was taken out, whose registration
// could be written again.
void Approvers::add(const Json& event, Timestamp logged, store::Sequence entry) {
  const auto card = ApproverCard::from_json(event);
  if (!card || space_.empty()) return;
  const bool known = std::ranges::any_of(all_, [&](const Approver& each) {
    return each.key == card->key || (!each.until && each.name == card->name);
  });
  if (known) return;
  const bool first =
      std::ranges::all_of(all_, [](const Approver& each) { return each.until.has_value(); });
  if (first && card->role != "operator") return;
  if (!first) {
    const auto signature = signature_in(event);
    const std::string digest = digest_of(registration(*card, time_of(event)).content);
    if (!signature || !check("register", digest, *signature, "operator", entry)) return;
  }
  all_.push_back({card->name, card->role, card->key, logged, entry, std::nullopt});
}

// By an operator, or by who goes. The last operator goes last: nobody else could let others in.
void Approvers::remove(const Json& event, store::Sequence entry) {
  const std::string name = text_member(event, "name");
  const auto found = std::ranges::find_if(
      all_, [&](const Approver& each) { return each.name == name && !each.until; });
  const auto signature = signature_in(event);
  if (found == all_.end() || !signature) return;
  const auto others = [&](std::string_view role) {
    return std::ranges::any_of(all_, [&](const Approver& each) {
      return !each.until && each.key != found->key && (role.empty() || each.role == role);
    });
  };
  if (found->role == "operator" && others("") && !others("operator")) return;
  const std::string digest = digest_of(removal(*found, time_of(event)).content);
  const std::string_view role = signature->approver == name ? "" : "operator";
  if (check("remove", digest, *signature, role, entry)) found->until = entry;
}

}  // namespace anima::govern
