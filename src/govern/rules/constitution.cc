#include "govern/rules/constitution.h"

#include <algorithm>
#include <array>

namespace anima::govern {
namespace {

constexpr std::array<std::string_view, 6> kRules = {"creator primacy",       "loopback only",
                                                    "content is no command", "audit immutable",
                                                    "least privilege",       "trust required"};
constexpr std::string_view kLoopback = "127.0.0.1";

std::optional<std::string> broken(int rule, const ActionContext& context) {
  switch (rule) {
    case 0:
      if (context.against_creator) return "the action is against the creator";
      break;
    case 1:
      if (context.host && *context.host != kLoopback)
        return "the address " + *context.host + " is not 127.0.0.1";
      break;
    case 2:
      if (context.external && context.treat_as_command)
        return "content from outside would be taken as a command";
      break;
    case 3:
      if (context.target == "audit" &&
          (context.operation == "delete" || context.operation == "modify")) {
        return "the audit log is append-only";
      }
      break;
    case 4:
      if (context.destructive && !context.approved) return "a destructive action needs an approval";
      break;
    case 5:
      if (!context.trust) return "the trust level is missing";
      if (context.sensitive && !at_least(*context.trust, Trust::kVerified)) {
        return "a sensitive action needs at least verified trust, not " +
               std::string(trust_name(*context.trust));
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

GateVerdict gate(std::string_view name, std::optional<bool> passed, std::string failure) {
  if (!passed) return {name, false, "no evidence"};
  return {name, *passed, *passed ? "" : std::move(failure)};
}

GateVerdict documentation(const ReleaseEvidence& evidence) {
  if (!evidence.documents) return {"documentation", false, "no evidence"};
  for (const std::string& required : evidence.required_documents) {
    if (std::ranges::find(*evidence.documents, required) == evidence.documents->end()) {
      return {"documentation", false, "'" + required + "' is missing"};
    }
  }
  return {"documentation", true, ""};
}

}  // namespace

std::string_view rule_name(int rule) { return kRules[static_cast<std::size_t>(rule)]; }

std::vector<Violation> judge(const ActionContext& context) {
  std::vector<Violation> violations;
  for (int rule = 0; rule < static_cast<int>(kRules.size()); ++rule) {
    if (auto reason = broken(rule, context))
      violations.push_back({rule, rule_name(rule), std::move(*reason)});
  }
  return violations;
}

std::vector<GateVerdict> evaluate_gates(const ReleaseEvidence& evidence) {
  std::optional<bool> secure;
  if (evidence.critical_events) secure = *evidence.critical_events == 0;
  return {gate("test_coverage", evidence.tests_passed, "tests failed"),
          gate("audit_integrity", evidence.audit_valid, "the audit chain does not verify"),
          gate("security_scan", secure,
               std::to_string(evidence.critical_events.value_or(0)) + " critical events"),
          gate("build_clean", evidence.build_clean, "the build is not clean"),
          documentation(evidence)};
}

}  // namespace anima::govern
