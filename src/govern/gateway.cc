#include "govern/gateway.h"

#include <algorithm>

#include "govern/constitution.h"

namespace anima::govern {
namespace {

double thousandths(int value) { return static_cast<double>(value) / 1000; }

Json pattern_ids(const Assessment& assessment) {
  Json ids = Json::array();
  for (const Finding& finding : assessment.findings) ids.push_back(finding.id);
  return ids;
}

}  // namespace

Status require_loopback(std::string_view address) {
  if (address == "127.0.0.1") return {};
  return fail(ErrorCode::kDenied,
              "rule 1, loopback only: '" + std::string(address) + "' is not 127.0.0.1");
}

std::optional<Trust> channel_trust(std::string_view channel) {
  if (channel == "terminal") return Trust::kOperator;
  if (channel == "agent_key") return Trust::kStandard;
  for (const std::string_view outside : {"http", "mcp", "email", "file"}) {
    if (channel == outside) return Trust::kUntrusted;
  }
  return std::nullopt;
}

Json Admission::to_json() const {
  if (accepted()) {
    return Json::object(
        {{"accepted", true}, {"id", message_id}, {"timestamp", audit_timestamp(time)}});
  }
  Json json = Json::object({{"error", reason}, {"threats", pattern_ids(assessment)}});
  json.set("riskScore", thousandths(assessment.risk_thousandths));
  if (!audit_id.empty()) json.set("auditId", audit_id);
  return json;
}

Gateway::Gateway(const Guardian& guardian, AuditLog& audit, bus::EventBus& events, Clock& clock,
                 Random& random, GatewayOptions options)
    : guardian_(guardian),
      audit_(audit),
      events_(events),
      clock_(clock),
      random_(random),
      options_(options) {}

// A bucket a sender, refilled evenly.
bool Gateway::within_rate(const IncomingMessage& message, Timestamp now) {
  const double capacity = options_.messages_per_minute;
  const auto [place, fresh] = buckets_.try_emplace(message.sender, Bucket{capacity, now});
  Bucket& bucket = place->second;
  const double elapsed = static_cast<double>(now.microseconds - bucket.filled.microseconds);
  bucket.tokens = std::min(capacity, bucket.tokens + std::max(0.0, elapsed) * capacity / 60e6);
  bucket.filled = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

Result<Admission> Gateway::refuse(Admission admission, int status, std::string reason) {
  admission.status = status;
  admission.reason = std::move(reason);
  events_.emit({"message:rejected",
                Json::object({{"messageId", admission.message_id},
                              {"reason", admission.reason},
                              {"riskScore", thousandths(admission.assessment.risk_thousandths)}})});
  return admission;
}

Result<Admission> Gateway::break_rule(Admission admission, int rule, std::string reason) {
  ANIMA_ASSIGN(admission.audit_id,
               audit_.write("constitutional_violation", "gateway", Trust::kSystem,
                            Json::object({{"messageId", admission.message_id},
                                          {"rule", rule},
                                          {"name", std::string(rule_name(rule))},
                                          {"reason", reason}})));
  events_.emit({"governance:rule_violated",
                Json::object({{"rule", rule}, {"action", "message"}, {"reason", reason}})});
  events_.emit({"security:alert", Json::object({{"type", "constitutional_violation"},
                                                {"source", "gateway"},
                                                {"data", reason}})});
  admission.assessment = {};
  return refuse(std::move(admission), 403, std::move(reason));
}

Assessment Gateway::assess(const IncomingMessage& message, const Admission& admission) {
  const BehaviourReport behaviour =
      behaviour_.record(message.sender, message.content.size(), admission.time);
  const std::string_view text = options_.text_detection ? std::string_view(message.content) : "";
  Assessment assessment = guardian_.assess(text, admission.trust, behaviour.signs());
  const bool hit = std::ranges::any_of(assessment.findings, [](const Finding& finding) {
    return finding.id != "RATE" && finding.id != "ANOM";
  });
  if (hit) behaviour_.record_hit(message.sender, admission.time);
  return assessment;
}

// The audit entry of a block goes before its events.
Status Gateway::announce(const IncomingMessage& message, Admission& admission) {
  const Assessment& assessment = admission.assessment;
  const double risk = thousandths(assessment.risk_thousandths);
  const bool blocked = assessment.action == Action::kBlock;
  if (blocked) {
    ANIMA_ASSIGN(
        admission.audit_id,
        audit_.write("security_event", "system", Trust::kSystem,
                     Json::object({{"eventType", "threat_blocked"},
                                   {"severity", "high"},
                                   {"source", message.sender},
                                   {"details", Json::object({{"messageId", admission.message_id}})},
                                   {"layer", "guardian"},
                                   {"reason", "the guardian's risk is at least 0.8"},
                                   {"risk", risk},
                                   {"patterns", pattern_ids(assessment)},
                                   {"evidence", assessment.to_json()},
                                   {"mitigated", true}})));
  }
  if (assessment.action != Action::kAllow) {
    events_.emit({"security:threat_detected",
                  Json::object({{"risk", risk},
                                {"patterns", pattern_ids(assessment)},
                                {"trustLevel", std::string(trust_name(admission.trust))},
                                {"blocked", blocked}})});
  }
  events_.emit({"guardian:assessment_complete",
                Json::object({{"messageId", admission.message_id},
                              {"risk", risk},
                              {"action", std::string(action_name(assessment.action))}})});
  return {};
}

Result<Admission> Gateway::admit(const IncomingMessage& message) {
  Admission admission;
  admission.message_id = make_uuid(random_);
  admission.time = clock_.now();
  if (const Status near = require_loopback(message.peer); !near)
    return break_rule(std::move(admission), 1, near.error().message);
  if (!within_rate(message, admission.time)) {
    events_.emit(
        {"security:alert",
         Json::object({{"type", "rate_limit"},
                       {"source", message.sender},
                       {"data", "more than " + std::to_string(options_.messages_per_minute) +
                                    " messages a minute"}})});
    return refuse(std::move(admission), 429, "too many messages: try again in a minute");
  }
  if (message.content.empty())
    return refuse(std::move(admission), 400, "the message has no content");
  const auto most = channel_trust(message.channel);
  if (!most) {
    return break_rule(
        std::move(admission), 5,
        "the message has no trust level: '" + message.channel + "' is no known channel");
  }
  const auto claimed = message.source ? parse_trust(*message.source) : most;
  if (!claimed) {
    return refuse(std::move(admission), 400,
                  "the source '" + *message.source + "' is no trust level");
  }
  admission.trust = lowest(*claimed, *most);
  events_.emit({"message:received", Json::object({{"messageId", admission.message_id}})});
  ANIMA_TRY(audit_.write(
      "message_received", message.sender, admission.trust,
      Json::object({{"messageId", admission.message_id},
                    {"contentLength", static_cast<std::uint64_t>(message.content.size())}})));
  admission.assessment = assess(message, admission);
  ANIMA_TRY(announce(message, admission));
  if (admission.assessment.action == Action::kBlock)
    return refuse(std::move(admission), 403, "the message was blocked as a threat");
  events_.emit({"message:accepted", Json::object({{"messageId", admission.message_id}})});
  return admission;
}

}  // namespace anima::govern
