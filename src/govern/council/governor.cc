#include "govern/council/governor.h"

#include "base/json/text_array.h"

namespace anima::govern {
namespace {

std::string_view decision_of(bool allowed) { return allowed ? "COMPLIANT" : "VIOLATION"; }

Json gate_list(const std::vector<GateVerdict>& gates) {
  Json list = Json::array();
  for (const GateVerdict& gate : gates) {
    list.push_back(Json::object(
        {{"gate", std::string(gate.gate)}, {"passed", gate.passed}, {"reason", gate.reason}}));
  }
  return list;
}

}  // namespace

Json violation_list(const std::vector<Violation>& violations) {
  Json list = Json::array();
  for (const Violation& violation : violations) {
    list.push_back(Json::object({{"rule", violation.rule},
                                 {"name", std::string(violation.name)},
                                 {"reason", violation.reason}}));
  }
  return list;
}

Json Ruling::to_json() const {
  Json json = Json::object({{"ruling_id", id},
                            {"allowed", allowed()},
                            {"decision", std::string(decision_of(allowed()))},
                            {"violations", violation_list(violations)}});
  json.set("auditId", audit_id);
  return json;
}

std::vector<std::string> Release::blockers() const {
  std::vector<std::string> blockers;
  for (const GateVerdict& gate : gates) {
    if (!gate.passed) blockers.push_back(std::string(gate.gate) + ": " + gate.reason);
  }
  return blockers;
}

Json Release::to_json() const {
  return Json::object({{"release", allowed()},
                       {"gates", gate_list(gates)},
                       {"blockers", text_array(blockers())},
                       {"auditId", audit_id}});
}

Result<Ruling> Governor::rule(std::string_view action, const ActionContext& context,
                              std::string_view by, Trust trust) {
  Ruling ruling;
  ruling.id = make_uuid(random_);
  ruling.violations = judge(context);
  ANIMA_ASSIGN(
      ruling.audit_id,
      audit_.write(ruling.allowed() ? "arbiter_evaluation" : "constitutional_violation", by, trust,
                   Json::object({{"rulingId", ruling.id},
                                 {"action", std::string(action)},
                                 {"decision", std::string(decision_of(ruling.allowed()))},
                                 {"violations", violation_list(ruling.violations)}})));
  if (events_ == nullptr) return ruling;
  for (const Violation& violation : ruling.violations) {
    events_->emit({"governance:rule_violated", Json::object({{"rule", violation.rule},
                                                             {"action", std::string(action)},
                                                             {"reason", violation.reason}})});
    events_->emit({"security:alert", Json::object({{"type", "constitutional_violation"},
                                                   {"source", std::string(by)},
                                                   {"data", violation.reason}})});
  }
  events_->emit(
      {"arbiter:ruling", Json::object({{"ruleId", ruling.id},
                                       {"type", "action"},
                                       {"decision", std::string(decision_of(ruling.allowed()))}})});
  return ruling;
}

Result<Release> Governor::judge_release(const ReleaseEvidence& evidence, std::string_view by,
                                        Trust trust) {
  Release release;
  release.gates = evaluate_gates(evidence);
  ANIMA_ASSIGN(release.audit_id, audit_.write("gates_evaluated", by, trust,
                                              Json::object({{"release", release.allowed()},
                                                            {"gates", gate_list(release.gates)}})));
  if (events_ == nullptr) return release;
  for (const GateVerdict& gate : release.gates) {
    events_->emit({"overseer:gate", Json::object({{"gateId", std::string(gate.gate)},
                                                  {"passed", gate.passed},
                                                  {"reason", gate.reason}})});
  }
  return release;
}

}  // namespace anima::govern
