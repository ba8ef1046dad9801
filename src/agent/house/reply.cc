#include "agent/house/reply.h"

#include <utility>

#include "base/json/text_array.h"

namespace anima::agent {

std::string_view to_string(ReplyKind kind) {
  switch (kind) {
    case ReplyKind::kAnswered:
      return "answered";
    case ReplyKind::kBlocked:
      return "blocked";
    case ReplyKind::kClarify:
      return "clarify";
    case ReplyKind::kWaiting:
      return "waiting";
    case ReplyKind::kDenied:
      return "denied";
    case ReplyKind::kFailed:
      return "failed";
    case ReplyKind::kHalted:
      return "halted";
    case ReplyKind::kBusy:
      return "busy";
  }
  return "failed";
}

Json Reply::to_json() const {
  Json json = Json::object({{"outcome", std::string(to_string(kind))},
                            {"message", text},
                            {"messageId", admission.message_id},
                            {"status", admission.status},
                            {"trust", std::string(govern::trust_name(admission.trust))},
                            {"assessment", admission.assessment.to_json()}});
  if (!plan.is_null()) json.set("plan", plan);
  Json list = Json::array();
  for (const TaskReport& report : tasks) {
    Json task =
        Json::object({{"task", report.task},
                      {"tool", report.tool},
                      {"outcome", std::string(to_string(report.outcome.kind))},
                      {"result", result_json(report.outcome)},
                      {"trust", std::string(govern::trust_name(report.outcome.output_trust))}});
    if (report.earlier) task.set("earlier", true);
    list.push_back(std::move(task));
  }
  if (!tasks.empty()) json.set("tasks", std::move(list));
  if (!options.empty()) json.set("options", text_array(options));
  for (const auto& [key, value] :
       {std::pair{"planId", &plan_id}, std::pair{"approvalId", &approval_id},
        std::pair{"auditId", &audit_id}, std::pair{"memoryId", &memory_id}}) {
    if (!value->empty()) json.set(key, *value);
  }
  return json;
}

ReplyKind kind_of(govern::Outcome::Kind kind) {
  switch (kind) {
    case govern::Outcome::Kind::kDone:
      return ReplyKind::kAnswered;
    case govern::Outcome::Kind::kWaiting:
      return ReplyKind::kWaiting;
    case govern::Outcome::Kind::kFailed:
      return ReplyKind::kFailed;
    case govern::Outcome::Kind::kHalted:
      return ReplyKind::kHalted;
    case govern::Outcome::Kind::kBusy:
      return ReplyKind::kBusy;
    case govern::Outcome::Kind::kDenied:
      break;
  }
  return ReplyKind::kDenied;
}

Json result_json(const govern::Outcome& outcome) {
  if (outcome.kind == govern::Outcome::Kind::kDone) return outcome.result;
  return Json::object(
      {{"error", outcome.reason}, {"outcome", std::string(to_string(outcome.kind))}});
}

}  // namespace anima::agent
