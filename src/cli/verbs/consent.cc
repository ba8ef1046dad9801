#include "cli/verbs/consent.h"

#include <utility>

#include "base/text.h"
#include "cli/render/approval_view.h"

namespace anima::cli {

std::optional<std::string> ConsentPrompt::next(const std::string& prompt) {
  if (!put_back_.empty()) return std::exchange(put_back_, {});
  return input_.next(prompt);
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
  const bool other = !yes && !folded.empty() && folded != "n" && folded != "no";
  if (other) put_back_ = *said;
  if (yes) {
    ANIMA_TRY(approvals_.grant(approval_id, "operator"));
    return true;
  }
  ANIMA_TRY(approvals_.reject(approval_id, "operator", "denied at the prompt"));
  if (!context_.json) context_.print("Not done.\n");
  return false;
}

}  // namespace anima::cli
