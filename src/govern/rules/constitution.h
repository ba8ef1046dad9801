// The constitution's six rules and the overseer's five gates. No vote, operator command or setting
// overrides a violated rule. Thread-safety: pure functions. Source: source document 004; governance
// specification 1.9, table rows 83-84, 95-96.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "govern/trust.h"

namespace anima::govern {

// What an action is judged by. Unset members do not concern their rule, but `trust` must be there
// (rule 5).
struct ActionContext {
  bool against_creator = false;
  std::optional<std::string> host = {};  // an address that the action binds or reaches
  bool external = false;
  bool treat_as_command = false;
  std::string operation = {};  // "delete", "modify", ...
  std::string target = {};     // "audit" concerns rule 3
  bool destructive = false;
  bool approved = false;
  bool sensitive = false;
  std::optional<Trust> trust = {};
};

struct Violation {
  int rule = 0;  // 0 .. 5
  std::string_view name;
  std::string reason;
};
// Evaluates all six, in order. Empty = compliant.
std::vector<Violation> judge(const ActionContext& context);
std::string_view rule_name(int rule);

// What a release shows; a missing answer fails its gate.
struct ReleaseEvidence {
  std::optional<bool> tests_passed = {};
  std::optional<bool> audit_valid = {};
  std::optional<int> critical_events = {};  // security events of the last 24 hours
  std::optional<bool> build_clean = {};
  std::optional<std::vector<std::string>> documents = {};
  std::vector<std::string> required_documents = {};
};
struct GateVerdict {
  std::string_view gate;
  bool passed = false;
  std::string reason;
};
std::vector<GateVerdict> evaluate_gates(const ReleaseEvidence& evidence);  // five, always

}  // namespace anima::govern
