#include "cli/verbs/govern/consent.h"

#include <utility>

#include "agent/learnings/own_learnings.h"
#include "base/text/text.h"
#include "cli/render/approval_view.h"
#include "cli/verbs/govern/signing.h"
#include "govern/approve/approver_book.h"

namespace anima::cli {

std::optional<std::string> ConsentPrompt::next(const std::string& prompt) {
  if (!put_back_.empty()) return std::exchange(put_back_, {});
  return input_.next(prompt);
}

// Where the space has approvers, the yes is signed by one.
Status ConsentPrompt::grant(const std::string& approval_id) {
  ANIMA_ASSIGN(const bool signed_one, approvals_.needs_signature());
  if (!signed_one) return approvals_.grant(approval_id, "operator");
  govern::ApproverBook book(ledger_);
  ANIMA_ASSIGN(const govern::Approvers* approvers, book.now());
  ANIMA_ASSIGN(const ChosenSigner signer, choose_signer(context_, *approvers, {}, ""));
  return approvals_.grant(approval_id, signer.role.empty() ? "operator" : signer.role, signer.sign);
}

Result<bool> ConsentPrompt::ask(const std::string& approval_id) {
  ANIMA_ASSIGN(const govern::Approval approval, approvals_.find(approval_id));
  if (context_.json) {
    context_.print(Json::object({{"type", "approval"}, {"approval", approval.to_json()}}).dump() +
                   "\n");
  } else {
    context_.print(approval_text(approval));
  }
  context_.out.flush();
  const std::optional<std::string> said = next("allow this once? [y/N] ");
  const std::string folded = said ? to_lower(trim(*said)) : std::string();
  const bool yes = folded == "y" || folded == "yes";
  const auto reason = said ? agent::reason_of_refusal(*said) : std::nullopt;
  const bool other = !yes && !reason && !folded.empty() && folded != "n" && folded != "no";
  if (other) put_back_ = *said;
  if (yes) {
    ANIMA_TRY(grant(approval_id));
    return true;
  }
  ANIMA_TRY(approvals_.reject(approval_id, "operator", reason.value_or("denied at the prompt")));
  if (!context_.json) context_.print("Not done.\n");
  return false;
}

}  // namespace anima::cli
