#include "govern/decide/detail/grants.h"

#include <algorithm>
#include <array>

namespace anima::govern::detail {
namespace {

constexpr std::array<Trust, 4> kRising = {Trust::kStandard, Trust::kVerified, Trust::kOperator,
                                          Trust::kSystem};
constexpr int kSteps = 8;
const std::string kApproval = "an approval of exactly these arguments";

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// One thing that somebody can give.
struct Grant {
  enum class Kind : std::uint8_t { kAllowList, kCaller, kOrigin, kLabels, kApproval };
  Kind kind = Kind::kApproval;
  std::size_t origin = 0;          // of kOrigin: which
  Trust level = Trust::kStandard;  // of kCaller, kOrigin, kLabels: at least
};

// A refused call, and what becomes of it with some grants.
class Refusal {
 public:
  Refusal(const ToolPolicy& tool, Policy* policy, CallRequest request)
      : tool_(tool), policy_(policy), request_(std::move(request)) {}

  Decision decide(const std::vector<Grant>& grants) const;
  // Adds what takes the refusal away; false: nobody can grant that.
  bool answer(const Decision& refused, std::vector<Grant>& grants) const;
  std::string in_words(const Grant& grant) const;

 private:
  static void add(std::vector<Grant>& grants, const Grant& grant);
  std::vector<Grant> raising_all(Trust level, bool carried_too) const;
  bool answer_trust(std::vector<Grant>& grants) const;
  bool answer_policy(std::vector<Grant>& grants) const;

  const ToolPolicy& tool_;
  Policy* policy_;
  CallRequest request_;
};

Decision Refusal::decide(const std::vector<Grant>& grants) const {
  CallRequest request = request_;
  ToolPolicy tool = tool_;
  for (const Grant& grant : grants) {
    switch (grant.kind) {
      case Grant::Kind::kAllowList:
        tool.agents.push_back(request.agent);
        break;
      case Grant::Kind::kCaller:
        request.trust = std::max(request.trust, grant.level);
        break;
      case Grant::Kind::kOrigin: {
        Trust& trust = request.origins[grant.origin].trust;
        trust = std::max(trust, grant.level);
        break;
      }
      case Grant::Kind::kLabels:
        for (Trust& label : request.argument_labels) label = std::max(label, grant.level);
        break;
      case Grant::Kind::kApproval:
        request.confirmed = true;
        break;
    }
  }
  PermissionTable table;
  table.set(tool);
  Decision decision = table.decide(request);
  if (policy_ != nullptr && decision.permission != Permission::kDenied)
    apply_verdict(policy_->would_decide(request, tool), request, decision);
  return decision;
}

void Refusal::add(std::vector<Grant>& grants, const Grant& grant) {
  const auto same = std::ranges::find_if(grants, [&](const Grant& other) {
    return other.kind == grant.kind && other.origin == grant.origin;
  });
  if (same == grants.end()) {
    grants.push_back(grant);
  } else {
    same->level = std::max(same->level, grant.level);
  }
}

// Every source below the level: caller, arguments, what all was made from.
std::vector<Grant> Refusal::raising_all(Trust level, bool carried_too) const {
  std::vector<Grant> grants;
  if (request_.trust < level) grants.push_back({Grant::Kind::kCaller, 0, level});
  for (std::size_t i = 0; i < request_.origins.size(); ++i) {
    const ArgumentOrigin& origin = request_.origins[i];
    if (origin.trust < level && (carried_too || !is_carried(tool_, origin.argument)))
      grants.push_back({Grant::Kind::kOrigin, i, level});
  }
  if (std::ranges::any_of(request_.argument_labels, [&](Trust label) { return label < level; }))
    grants.push_back({Grant::Kind::kLabels, 0, level});
  return grants;
}

// The lowest level at which the trust layer no longer denies.
bool Refusal::answer_trust(std::vector<Grant>& grants) const {
  for (const Trust level : kRising) {
    std::vector<Grant> trial = grants;
    for (const Grant& grant : raising_all(level, false)) add(trial, grant);
    const Decision decision = decide(trial);
    if (decision.permission == Permission::kDenied && decision.layer == Layer::kTrust) continue;
    grants = std::move(trial);
    return true;
  }
  return false;
}

// One source whose being trusted would silence the rules; else all of them.
bool Refusal::answer_policy(std::vector<Grant>& grants) const {
  const auto silenced_by = [&](const std::vector<Grant>& more) {
    std::vector<Grant> trial = grants;
    for (const Grant& grant : more) add(trial, grant);
    if (decide(trial).permission == Permission::kDenied) return false;
    grants = std::move(trial);
    return true;
  };
  for (const Trust level : kRising) {
    const std::vector<Grant> all = raising_all(level, true);
    for (const Grant& one : all) {
      if (silenced_by({one})) return true;
    }
    if (silenced_by(all)) return true;
  }
  return false;
}

bool Refusal::answer(const Decision& refused, std::vector<Grant>& grants) const {
  if (refused.permission == Permission::kNeedsApproval) {
    add(grants, {.kind = Grant::Kind::kApproval});
    return true;
  }
  switch (refused.layer) {
    case Layer::kAllowList:
      add(grants, {.kind = Grant::Kind::kAllowList});
      return true;
    case Layer::kTrust:
      return answer_trust(grants);
    case Layer::kPolicy:
      return answer_policy(grants);
    default:
      return false;
  }
}

std::string Refusal::in_words(const Grant& grant) const {
  const std::string level(trust_name(grant.level));
  switch (grant.kind) {
    case Grant::Kind::kAllowList:
      return "put " + in_quotes(request_.agent) + " on the allow-list of " +
             in_quotes(request_.tool);
    case Grant::Kind::kCaller:
      return "a caller of at least " + level + " trust";
    case Grant::Kind::kOrigin: {
      const ArgumentOrigin& origin = request_.origins[grant.origin];
      return "the argument " + in_quotes(origin.argument) + " made from a source of at least " +
             level + " trust (it was made from " + in_quotes(origin.source) + ", " +
             std::string(trust_name(origin.trust)) + ")";
    }
    case Grant::Kind::kLabels:
      return "a source of at least " + level + " trust";
    case Grant::Kind::kApproval:
      return kApproval;
  }
  return kApproval;
}

// What an answer to a later refusal made superfluous goes.
void leave_out_what_is_not_needed(const Refusal& refusal, std::vector<Grant>& grants) {
  for (std::size_t i = grants.size(); i-- > 0;) {
    std::vector<Grant> trial = grants;
    trial.erase(trial.begin() + static_cast<std::ptrdiff_t>(i));
    if (refusal.decide(trial).permission == Permission::kAllowed) grants = std::move(trial);
  }
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
  request.confirmed = false;
  const ToolPolicy* tool = permissions.find(request);
  if (tool == nullptr) return {"a policy for " + in_quotes(request.tool)};
  if (tool->never) return {};
  const Refusal refusal(*tool, policy, std::move(request));
  std::vector<Grant> grants;
  Decision decision = refusal.decide(grants);
  for (int step = 0; step < kSteps && decision.permission != Permission::kAllowed; ++step) {
    if (!refusal.answer(decision, grants)) break;
    decision = refusal.decide(grants);
  }
  const bool enough = decision.permission == Permission::kAllowed;
  if (enough) leave_out_what_is_not_needed(refusal, grants);
  std::vector<std::string> words;
  for (const Grant& grant : grants) words.push_back(refusal.in_words(grant));
  if (enough) return words;
  if (decision.layer == Layer::kPolicy) {
    words.push_back("a change of the policy that says: " + decision.reason);
  } else {
    words.insert(words.end(), decision.missing.begin(), decision.missing.end());
  }
  return words;
}

}  // namespace anima::govern::detail
