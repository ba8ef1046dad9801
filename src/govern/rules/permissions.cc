#include "govern/rules/permissions.h"

#include <algorithm>
#include <array>

#include "base/enum_order.h"
#include "base/json/text_array.h"

namespace anima::govern {
namespace {

static_assert(ascend({Tier::kReadOnly, Tier::kWriteSafe, Tier::kWriteDestructive, Tier::kAdmin}));

constexpr int kAutoBlock = 800;

// What the layers go by. Where values came from is judged by rules, which a call with values has.
Trust judged_trust(const CallRequest& request, const Decision& decision) {
  return request.values != nullptr ? request.trust : decision.effective_trust;
}

constexpr std::array<std::string_view, 4> kTiers = {"READ_ONLY", "WRITE_SAFE", "WRITE_DESTRUCTIVE",
                                                    "ADMIN"};

Trust needed_trust(const ToolPolicy& policy) {
  if (!policy.door.empty()) return Trust::kHostile;
  switch (policy.tier) {
    case Tier::kReadOnly:
      return Trust::kHostile;
    case Tier::kWriteSafe:
      return Trust::kStandard;
    case Tier::kWriteDestructive:
      return Trust::kOperator;
    case Tier::kAdmin:
      return Trust::kSystem;
  }
  return Trust::kSystem;
}

int severity_thousandths(Tier tier, Trust trust) {
  constexpr std::array<int, 4> kBase = {100, 300, 600, 900};
  return kBase[static_cast<std::size_t>(tier)] * risk_multiplier_hundredths(trust) / 100;
}

bool is_listed(const ToolPolicy& policy, std::string_view agent) {
  return std::ranges::any_of(policy.agents,
                             [&](const std::string& a) { return a == "*" || a == agent; });
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// Layer 2: sufficient, close enough to be escalated, or neither.
void judge_trust(const ToolPolicy& policy, const CallRequest& request, Decision& decision) {
  const Trust needed = needed_trust(policy);
  decision.layer = Layer::kTrust;
  decision.reason = std::string(to_string(policy.tier)) + " needs " +
                    std::string(trust_name(needed)) + " trust; the call has " +
                    std::string(trust_name(judged_trust(request, decision)));
  if (judged_trust(request, decision) < request.trust)
    decision.reason += " (the lowest among what its arguments were made from)";
  const bool close = at_least(judged_trust(request, decision), Trust::kStandard) &&
                     decision.severity_thousandths < kAutoBlock;
  decision.permission = close ? Permission::kNeedsApproval : Permission::kDenied;
  decision.missing.push_back(close ? "an approval of exactly these arguments"
                                   : "a source of at least " + std::string(trust_name(needed)) +
                                         " trust");
}

Json labels_of(const CallRequest& request, const ToolPolicy* policy) {
  Json labels = Json::array();
  for (const ArgumentOrigin& origin : request.origins) {
    Json label = Json::object({{"argument", origin.argument},
                               {"source", origin.source},
                               {"trust", std::string(trust_name(origin.trust))}});
    if (policy != nullptr && is_carried(*policy, origin.argument)) label.set("carried", true);
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace

bool is_carried(const ToolPolicy& policy, std::string_view argument) {
  return std::ranges::find(policy.carried, argument) != policy.carried.end();
}

Trust effective_trust(const CallRequest& request, const ToolPolicy* policy) {
  Trust trust = request.trust;
  for (const Trust label : request.argument_labels) trust = lowest(trust, label);
  for (const ArgumentOrigin& origin : request.origins) {
    if (policy == nullptr || !is_carried(*policy, origin.argument))
      trust = lowest(trust, origin.trust);
  }
  return trust;
}

std::string_view to_string(Tier tier) { return kTiers[static_cast<std::size_t>(tier)]; }

std::string_view to_string(Permission permission) {
  switch (permission) {
    case Permission::kAllowed:
      return "allowed";
    case Permission::kDenied:
      return "denied";
    case Permission::kNeedsApproval:
      return "needs_approval";
  }
  return "denied";
}

std::string_view to_string(Layer layer) {
  switch (layer) {
    case Layer::kNone:
      return "none";
    case Layer::kUnknownTool:
      return "unknown_tool";
    case Layer::kAllowList:
      return "allowlist";
    case Layer::kTrust:
      return "trust";
    case Layer::kTier:
      return "tier";
    case Layer::kPolicy:
      return "policy";
    case Layer::kApproval:
      return "approval";
    case Layer::kLine:
      return "line";
    case Layer::kConstitution:
      return "constitution";
  }
  return "none";
}

PermissionTable PermissionTable::of_the_source() {
  PermissionTable table;
  const auto add = [&](Tier tier, std::initializer_list<const char*> tools) {
    for (const char* tool : tools) {
      ToolPolicy policy{.tool = tool, .tier = tier, .agents = {"*"}};
      if (tier == Tier::kWriteSafe)
        policy.carried = {"text", "content", "title", "body", "message", "description"};
      if (policy.tool == "calendar:create")  // a time chooses nothing but its place in the calendar
        policy.carried.insert(policy.carried.end(), {"start", "end"});
      table.set(std::move(policy));
    }
  };
  add(Tier::kReadOnly, {"file:read", "calendar:query", "notion:read"});
  add(Tier::kWriteSafe, {"file:write", "calendar:create", "notion:create", "sms:send"});
  add(Tier::kWriteDestructive, {"file:delete", "calendar:delete", "shell:execute"});
  add(Tier::kAdmin, {"config:modify", "trust:escalate"});
  table.set({.tool = "audit:clear", .tier = Tier::kAdmin, .agents = {"*"}, .never = true});
  return table;
}

void PermissionTable::set(ToolPolicy policy) {
  std::string tool = policy.tool;
  policies_.insert_or_assign(std::move(tool), std::move(policy));
}

const ToolPolicy* PermissionTable::find(std::string_view tool) const {
  const auto found = policies_.find(tool);
  return found == policies_.end() ? nullptr : &found->second;
}

Decision PermissionTable::decide(const CallRequest& request) const {
  Decision decision;
  const ToolPolicy* policy = find(request);
  decision.effective_trust = effective_trust(request, policy);
  decision.evidence = Json::object();
  if (Json labels = labels_of(request, policy); !labels.as_array().empty())
    decision.evidence.set("labels", std::move(labels));
  if (policy == nullptr) {
    decision.layer = Layer::kUnknownTool;
    decision.reason = "there is no policy for " + quoted(request.tool);
    decision.missing.push_back("a policy for " + quoted(request.tool));
    return decision;
  }
  const Trust judged = judged_trust(request, decision);
  decision.severity_thousandths = severity_thousandths(policy->tier, judged);
  if (!is_listed(*policy, request.agent)) {
    decision.layer = Layer::kAllowList;
    decision.reason =
        quoted(request.agent) + " is not on the allow-list of " + quoted(request.tool);
    decision.missing.push_back("put " + quoted(request.agent) + " on the allow-list of " +
                               quoted(request.tool));
    return decision;
  }
  if (policy->never) {
    decision.layer = Layer::kTier;
    decision.reason = quoted(request.tool) + " is never run: the audit log is append-only";
    return decision;
  }
  if (!at_least(judged, needed_trust(*policy))) {
    judge_trust(*policy, request, decision);
    if (decision.permission == Permission::kDenied || !request.confirmed) return decision;
  } else if (policy->tier >= Tier::kWriteDestructive && !request.confirmed) {
    decision.layer = Layer::kTier;
    decision.permission = Permission::kNeedsApproval;
    decision.reason = std::string(to_string(policy->tier)) + " calls are confirmed one by one";
    decision.missing.push_back("an approval of exactly these arguments");
    return decision;
  }
  decision.permission = Permission::kAllowed;
  decision.layer = Layer::kNone;
  decision.reason.clear();
  decision.missing.clear();
  return decision;
}

Json Decision::to_json() const {
  Json json = Json::object({{"permission", std::string(to_string(permission))},
                            {"layer", std::string(to_string(layer))},
                            {"reason", reason},
                            {"trust", std::string(trust_name(effective_trust))},
                            {"severity", static_cast<double>(severity_thousandths) / 1000},
                            {"missing", text_array(missing)}});
  if (!rule.empty()) json.set("rule", rule);
  if (evidence.is_object() && !evidence.as_object().empty()) json.set("evidence", evidence);
  return json;
}

}  // namespace anima::govern
