#include "govern/decide/detail/constitution_of_calls.h"

#include <algorithm>
#include <array>

#include "govern/rules/constitution.h"

namespace anima::govern::detail {
namespace {

// As packs/policy/prelude.mg has them.
constexpr std::array<std::string_view, 3> kCommandArguments = {"command", "program", "script"};
constexpr std::string_view kAuditTools = "audit:";

bool takes_command_from_outside(const CallRequest& request) {
  return std::ranges::any_of(request.origins, [](const ArgumentOrigin& origin) {
    return !at_least(origin.trust, Trust::kStandard) &&
           std::ranges::find(kCommandArguments, origin.argument) != kCommandArguments.end();
  });
}

ActionContext action_of(const CallRequest& request, const ToolPolicy& tool, bool rehearsed,
                        const Decision& decision) {
  const bool asked = decision.permission == Permission::kNeedsApproval || request.confirmed;
  ActionContext action;
  action.against_creator = tool.governs && !at_least(request.trust, Trust::kOperator);
  // Where values are known a person is asked about such a command (packs/policy/values.mg).
  action.external = action.treat_as_command =
      request.values == nullptr && takes_command_from_outside(request);
  if (tool.tier > Tier::kReadOnly && std::string_view(tool.tool).starts_with(kAuditTools)) {
    action.operation = "modify";
    action.target = "audit";
  }
  action.destructive = tool.tier >= Tier::kWriteDestructive;
  action.approved = asked || rehearsed;
  action.sensitive = tool.tier == Tier::kAdmin;
  action.trust = decision.effective_trust;
  return action;
}

}  // namespace

void apply_constitution(const CallRequest& request, const ToolPolicy* tool, bool rehearsed,
                        Decision& decision) {
  if (tool == nullptr || decision.permission == Permission::kDenied) return;
  const std::vector<Violation> broken = judge(action_of(request, *tool, rehearsed, decision));
  if (broken.empty()) return;
  decision.permission = Permission::kDenied;
  decision.layer = Layer::kConstitution;
  decision.reason = broken.front().reason;
  decision.rule = "constitution: " + std::string(broken.front().name);
  decision.missing.clear();
}

}  // namespace anima::govern::detail
