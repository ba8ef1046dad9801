// Governor: the arbiter's rulings on actions and the overseer's verdict on releases, each written
// down and told.
//
// A ruling evaluates all six rules of the constitution; it binds, and no vote replaces it. A
// release passes when all five gates do. Thread-safety: from any thread. Ownership: what is passed
// in outlives it. Errors: the audit log cannot be written; then there is no ruling.
// Source: source document 004; governance specification 1.9, table rows 83, 84, 95, 96.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "bus/event_bus.h"
#include "govern/ledger/audit_chain.h"
#include "govern/rules/constitution.h"

namespace anima::govern {

struct Ruling {
  std::string id;        // ruling
  std::string audit_id;  // for why-denied, when it is a violation
  std::vector<Violation> violations;
  bool allowed() const { return violations.empty(); }
  Json to_json() const;  // {"ruling_id","allowed","decision","violations"}
};

struct Release {
  std::vector<GateVerdict> gates;  // five, always
  std::string audit_id;
  bool allowed() const { return blockers().empty(); }
  std::vector<std::string> blockers() const;  // "gate: reason"
  Json to_json() const;                       // {"release","gates","blockers"}
};

class Governor {
 public:
  Governor(AuditLog& audit, Random& random, bus::EventBus* events = nullptr)
      : audit_(audit), random_(random), events_(events) {}

  // `action`: in words, for those who read the log.
  Result<Ruling> rule(std::string_view action, const ActionContext& context, std::string_view by,
                      Trust trust);
  Result<Release> judge_release(const ReleaseEvidence& evidence, std::string_view by, Trust trust);

 private:
  AuditLog& audit_;
  Random& random_;
  bus::EventBus* events_;
};

Json violation_list(const std::vector<Violation>& violations);

}  // namespace anima::govern
