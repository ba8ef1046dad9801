#include "govern/detail/grants.h"

#include <array>

namespace anima::govern::detail {
namespace {

constexpr std::array<Trust, 5> kRising = {Trust::kUntrusted, Trust::kStandard, Trust::kVerified,
                                          Trust::kOperator, Trust::kSystem};
const std::string kApproval = "an approval of exactly these arguments";

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string source_grant(const ArgumentOrigin& origin, Trust needed) {
  return "the argument " + quoted(origin.argument) + " made from a source of at least " +
         std::string(trust_name(needed)) + " trust (it was made from " + quoted(origin.source) +
         ", " + std::string(trust_name(origin.trust)) + ")";
}

CallRequest raised(CallRequest request, Trust least) {
  request.trust = std::max(request.trust, least);
  for (Trust& label : request.argument_labels) label = std::max(label, least);
  for (ArgumentOrigin& origin : request.origins) origin.trust = std::max(origin.trust, least);
  return request;
}

// What has to be raised to `needed`, in words.
void name_low_sources(const CallRequest& request, const ToolPolicy& tool, Trust needed,
                      std::vector<std::string>& grants) {
  if (request.trust < needed)
    grants.push_back("a caller of at least " + std::string(trust_name(needed)) + " trust");
  for (const ArgumentOrigin& origin : request.origins) {
    if (origin.trust < needed && !is_carried(tool, origin.argument))
      grants.push_back(source_grant(origin, needed));
  }
  for (const Trust label : request.argument_labels) {
    if (label >= needed) continue;
    grants.push_back("a source of at least " + std::string(trust_name(needed)) + " trust");
    break;
  }
}

// The lowest level at which the trust layer no longer denies.
void grant_trust(const PermissionTable& table, const ToolPolicy& tool, CallRequest& request,
                 std::vector<std::string>& grants) {
  for (const Trust level : kRising) {
    CallRequest trial = raised(request, level);
    if (table.decide(trial).permission == Permission::kDenied) continue;
    name_low_sources(request, tool, level, grants);
    request = std::move(trial);
    return;
  }
}

// One source whose being trusted would silence the rule; else all of them; else the rule itself.
void grant_policy(Policy& policy, const ToolPolicy& tool, const PolicyVerdict& verdict,
                  CallRequest& request, std::vector<std::string>& grants) {
  const auto silent = [&](const CallRequest& trial) {
    return policy.would_decide(trial, tool).permission != Permission::kDenied;
  };
  for (std::size_t i = 0; i < request.origins.size(); ++i) {
    CallRequest trial = request;
    trial.origins[i].trust = std::max(trial.origins[i].trust, Trust::kStandard);
    if (!silent(trial)) continue;
    grants.push_back(source_grant(request.origins[i], Trust::kStandard));
    request = std::move(trial);
    return;
  }
  CallRequest trial = raised(request, Trust::kStandard);
  if (silent(trial)) {
    name_low_sources(request, tool, Trust::kStandard, grants);
    request = std::move(trial);
    return;
  }
  grants.push_back("a change of the policy that says: " + verdict.reason);
}

}  // namespace

void apply_verdict(const PolicyVerdict& verdict, const CallRequest& request, Decision& decision) {
  if (decision.permission == Permission::kDenied || verdict.permission == Permission::kAllowed)
    return;
  if (verdict.permission == Permission::kNeedsApproval) {
    if (request.confirmed) return;
    if (decision.permission == Permission::kAllowed) {
      decision.layer = Layer::kPolicy;
      decision.reason = verdict.reason;
      decision.rule = verdict.rule;
      decision.missing = {kApproval};
    }
    decision.permission = Permission::kNeedsApproval;
    return;
  }
  decision.permission = Permission::kDenied;
  decision.layer = Layer::kPolicy;
  decision.reason = verdict.reason;
  decision.rule = verdict.rule;
}

std::vector<std::string> missing_grants(const PermissionTable& permissions, Policy* policy,
                                        CallRequest request) {
  std::vector<std::string> grants;
  request.confirmed = false;
  const ToolPolicy* found = permissions.find(request.tool);
  if (found == nullptr) return {"a policy for " + quoted(request.tool)};
  if (found->never) return {};
  ToolPolicy tool = *found;
  for (int step = 0; step < 6; ++step) {
    PermissionTable table;
    table.set(tool);
    Decision decision = table.decide(request);
    PolicyVerdict verdict;
    if (decision.permission != Permission::kDenied && policy != nullptr) {
      verdict = policy->would_decide(request, tool);
      apply_verdict(verdict, request, decision);
    }
    if (decision.permission == Permission::kAllowed) return grants;
    if (decision.permission == Permission::kNeedsApproval) {
      grants.push_back(kApproval);
      request.confirmed = true;
    } else if (decision.layer == Layer::kAllowList) {
      grants.push_back(decision.missing.front());
      tool.agents.push_back(request.agent);
    } else if (decision.layer == Layer::kTrust) {
      grant_trust(table, tool, request, grants);
    } else if (decision.layer == Layer::kPolicy) {
      const std::size_t before = grants.size();
      grant_policy(*policy, tool, verdict, request, grants);
      if (grants.size() == before || grants.back().starts_with("a change of the policy"))
        return grants;
    } else {
      grants.insert(grants.end(), decision.missing.begin(), decision.missing.end());
      return grants;
    }
  }
  return grants;
}

}  // namespace anima::govern::detail
