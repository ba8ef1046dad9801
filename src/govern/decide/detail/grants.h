// What a refused call lacks. Pure but for the policy's fork.
#pragma once

#include <string>
#include <vector>

#include "govern/rules/permissions.h"
#include "govern/rules/policy.h"

namespace anima::govern::detail {

// The policy's word on top of the three layers': the stricter of both counts.
void apply_verdict(const PolicyVerdict& verdict, const CallRequest& request, Decision& decision);

// Grants that together would allow the call, and of which none can be left out. Found layer by
// layer: each is assumed, and the call judged again. `policy` may be null. O(sources x levels)
// judgements.
std::vector<std::string> missing_grants(const PermissionTable& permissions, Policy* policy,
                                        CallRequest request);

}  // namespace anima::govern::detail
