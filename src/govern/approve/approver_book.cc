#include "govern/approve/approver_book.h"

#include <algorithm>

namespace anima::govern {
namespace {

Json audit_details(const Approver& approver, const Json& event) {
  Json details = Json::object(
      {{"name", approver.name}, {"role", approver.role}, {"key", to_hex(approver.key)}});
  for (const char* member : {"approver", "signature"}) {
    if (const Json* value = event.find(member)) details.set(member, *value);
  }
  return details;
}

}  // namespace

Status ApproverBook::catch_up() {
  if (approvers_.space().empty()) {
    if (auto id = space_id(ledger_)) approvers_.of_space(*std::move(id));
  }
  ANIMA_ASSIGN(read_, ledger_.read(store::RecordKind::kApproval, read_,
                                   [&](const LedgerEntry& entry) -> Status {
                                     approvers_.apply(entry.content, entry.time, entry.sequence);
                                     return {};
                                   }));
  return {};
}

Result<const Approvers*> ApproverBook::now() {
  ANIMA_TRY(catch_up());
  return &approvers_;
}

Result<const Approvers*> ApproverBook::at(store::Sequence entry) {
  if (read_ < entry) ANIMA_TRY(catch_up());
  return &approvers_;
}

Status ApproverBook::sign(const Statement& statement, const Signer& signer, std::string_view role,
                          Json& event) {
  if (!signer) {
    return fail(ErrorCode::kDenied, "an approver of this space has to sign this", {},
                "`anima approver list` shows who can");
  }
  ANIMA_ASSIGN(const StatementSignature signature, signer(statement));
  ANIMA_TRY(approvers_.check(statement.what, digest_of(statement.content), signature, role));
  put_signature(signature, event);
  return {};
}

Status ApproverBook::add(const ApproverCard& card, std::string_view actor, Timestamp now,
                         const Signer& signer) {
  ANIMA_TRY(catch_up());
  ANIMA_ASSIGN(const std::string space, space_id(ledger_));
  for (const Approver& each : approvers_.all()) {
    if (each.key == card.key)
      return fail(ErrorCode::kAlreadyExists, "this key was registered already, as " + each.name);
    if (!each.until && each.name == card.name)
      return fail(ErrorCode::kAlreadyExists, "there is an approver '" + card.name + "' already");
  }
  Json event = card.to_json();
  event.set("event", "approver_registered");
  event.set("at", now.microseconds);
  if (approvers_.any()) {
    ANIMA_TRY(sign(approvers_.registration(card, now.microseconds), signer, "operator", event));
  } else if (card.role != "operator") {
    return fail(ErrorCode::kInvalidArgument, "the first approver of a space is an operator");
  }
  const Approver shown{card.name, card.role, card.key, now, {}, {}};
  ANIMA_TRY(ledger_.write_with({{store::RecordKind::kApproval, event}}, "approver_registered",
                               actor, Trust::kOperator, audit_details(shown, event)));
  ANIMA_TRY(catch_up());
  const Approver* stands = approvers_.find(card.name);
  if (stands != nullptr && stands->key == card.key) return {};
  return fail(ErrorCode::kConflict, "somebody else was registered at the same moment", {},
              "`anima approver list`, and once more");
}

Status ApproverBook::remove(std::string_view name, std::string_view actor, Timestamp now,
                            const Signer& signer) {
  ANIMA_TRY(catch_up());
  const Approver* found = approvers_.find(name);
  if (found == nullptr) {
    return fail(ErrorCode::kNotFound, "there is no approver '" + std::string(name) + "'", {},
                "`anima approver list` shows who there is");
  }
  const Approver approver = *found;
  Json event = Json::object(
      {{"event", "approver_removed"}, {"name", approver.name}, {"at", now.microseconds}});
  ANIMA_TRY(sign(approvers_.removal(approver, now.microseconds), signer, "", event));
  ANIMA_TRY(ledger_.write_with({{store::RecordKind::kApproval, event}}, "approver_removed", actor,
                               Trust::kOperator, audit_details(approver, event)));
  ANIMA_TRY(catch_up());
  if (approvers_.find(name) == nullptr) return {};
  return fail(ErrorCode::kConflict, "'" + approver.name + "' stays an approver", {},
              "an operator or they themselves sign it, and the last operator goes last");
}

}  // namespace anima::govern
