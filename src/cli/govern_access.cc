#include "cli/govern_access.h"

#include <fmt/format.h>

#include "base/text.h"

namespace anima::cli {

Result<std::unique_ptr<Governance>> open_governance(Context& context, Access access) {
  ANIMA_ASSIGN(auto space, open_space(context, access));
  return std::make_unique<Governance>(std::move(space), local_origin(context, "").author);
}

std::string approval_text(const govern::Approval& approval) {
  std::string text = fmt::format(
      "{} ({})\n  tool       {}\n  agent      {}\n  trust      {}\n  arguments  {}\n"
      "  because    {}\n  asked      {}\n  expires    {}\n",
      approval.id, to_string(approval.status), visible_text(approval.request.tool),
      visible_text(approval.request.agent), govern::trust_name(approval.effective_trust),
      visible_text(approval.request.arguments.dump()), visible_text(approval.reason),
      format_timestamp(approval.asked), format_timestamp(approval.expires));
  if (!approval.decided_by.empty()) text += "  answered   by " + approval.decided_by + "\n";
  const Json* parts = approval.evidence.find("shell");
  if (parts == nullptr) return text;
  for (const Json& part : parts->as_array()) {
    text += fmt::format("  {:<9}  `{}`  ({})\n", part.find("effect")->as_string(),
                        visible_text(part.find("command")->as_string()),
                        part.find("reason")->as_string());
  }
  return text;
}

}  // namespace anima::cli
