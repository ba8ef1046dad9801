#include "govern/decide/gateway.h"

#include <algorithm>

#include "govern/ledger/ledger.h"
#include "govern/rules/constitution.h"

namespace anima::govern {
namespace {

constexpr double kMinute = 60e6;           // microseconds
constexpr std::size_t kRemembered = 1000;  // messages of a space that earlier processes took in
constexpr std::size_t kBuckets = 4096;
constexpr const char* kTooMany = "too many messages: try again in a minute";

double thousandths(int value) { return static_cast<double>(value) / 1000; }

Json pattern_ids(const Assessment& assessment) {
  Json ids = Json::array();
  for (const Finding& finding : assessment.findings) ids.push_back(finding.id);
  return ids;
}

// The lowest trust at which the same text is not blocked.
Json trust_that_passes(const Assessment& assessment) {
  Json missing = Json::array();
  for (const Trust trust :
       {Trust::kUntrusted, Trust::kStandard, Trust::kVerified, Trust::kOperator}) {
    const int risk = assessment.base_thousandths * risk_multiplier_hundredths(trust) / 100;
    if (action_for(risk) == Action::kBlock) continue;
    missing.push_back("a sender of at least " + std::string(trust_name(trust)) + " trust");
    break;
  }
  return missing;
}

std::string source_of(const IncomingMessage& message) {
  return message.channel + '/' + message.sender;
}

// What behaviour itself adds is no injection.
bool is_hit(const Assessment& assessment) {
  return std::ranges::any_of(assessment.findings, [](const Finding& finding) {
    return finding.id != "RATE" && finding.id != "ANOM";
  });
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

Gateway::Gateway(const Guardian& guardian, AuditLog& audit, bus::EventBus& events, Clock& clock,
                 Random& random, GatewayOptions options, Ledger* ledger)
    : guardian_(guardian),
      audit_(audit),
      events_(events),
      clock_(clock),
      random_(random),
      options_(options),
      ledger_(ledger) {}

Result<Gateway::Counted> Gateway::counted_from(const LedgerEntry& entry) {
  const Json* source = entry.content.find("source");
  const Json* length = entry.content.find("length");
  const Json* hit = entry.content.find("hit");
  const Json* at = entry.content.find("at");
  const bool whole = source != nullptr && source->is_string() && length != nullptr &&
                     length->is_integer() && hit != nullptr && hit->is_bool();
  if (!whole) {
    return fail(ErrorCode::kCorrupt, "a record of a message lacks what it needs",
                "log entry " + std::to_string(static_cast<std::uint64_t>(entry.sequence)));
  }
  // By the clock, where it says so: the time of the log stands still while a clock that was ahead
  // is waited for.
  const bool timed = at != nullptr && at->is_integer();
  return Counted{source->as_string(), static_cast<std::size_t>(length->as_integer()),
                 hit->as_bool(), timed ? Timestamp{at->as_integer()} : entry.time};
}

// Brings in what every process of the space took in since.
Status Gateway::catch_up() {
  if (ledger_ == nullptr) return {};
  const auto head = ledger_->space().log().known_head();
  if (head && read_ == head) return {};
  if (!read_) {
    ANIMA_ASSIGN(read_, ledger_->before_newest(kMessageRecord, kRemembered));
  }
  ANIMA_ASSIGN(read_,
               ledger_->read(kMessageRecord, *read_, [&](const LedgerEntry& entry) -> Status {
                 ANIMA_ASSIGN(const Counted message, counted_from(entry));
                 count(message);
                 return {};
               }));
  return {};
}

void Gateway::count(const Counted& message) {
  behaviour_.add(message.source, message.length, message.at, message.hit);
  spend(message.source, message.at);
}

// A bucket a source, refilled evenly. One of a time that has not come says nothing: the clock was
// set back.
double Gateway::tokens(const std::string& source, Timestamp now) const {
  const double capacity = options_.messages_per_minute;
  const auto found = buckets_.find(source);
  if (found == buckets_.end()) return capacity;
  const auto elapsed = static_cast<double>(now.microseconds - found->second.filled.microseconds);
  if (elapsed < -kMinute) return capacity;
  return std::min(capacity, found->second.tokens + std::max(0.0, elapsed) * capacity / kMinute);
}

void Gateway::spend(const std::string& source, Timestamp now) {
  buckets_.insert_or_assign(source, Bucket{std::max(0.0, tokens(source, now) - 1), now, false});
  if (buckets_.size() <= kBuckets) return;
  // A bucket that filled up again is like one that was never used.
  std::erase_if(buckets_, [&](const auto& bucket) {
    return static_cast<double>(now.microseconds - bucket.second.filled.microseconds) >= kMinute;
  });
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
      behaviour_.look(source_of(message), message.content.size(), admission.time);
  const std::string_view text = options_.text_detection ? std::string_view(message.content) : "";
  return guardian_.assess(text, admission.trust, behaviour.signs());
}

// The entry of a message that was judged, whatever came of it.
Status Gateway::write_down(const IncomingMessage& message, const Admission& admission) {
  const Assessment& assessment = admission.assessment;
  const Counted counted{source_of(message), message.content.size(), is_hit(assessment),
                        admission.time};
  Json details = Json::object({{"messageId", admission.message_id},
                               {"contentLength", static_cast<std::uint64_t>(counted.length)},
                               {"channel", message.channel},
                               {"risk", thousandths(assessment.risk_thousandths)},
                               {"action", std::string(action_name(assessment.action))}});
  if (!assessment.findings.empty()) details.set("patterns", pattern_ids(assessment));
  if (ledger_ == nullptr) {
    count(counted);
    return audit_.write("message_received", message.sender, admission.trust, std::move(details))
        .map([](const std::string&) {});
  }
  LedgerRecord record{kMessageRecord,
                      Json::object({{"source", counted.source},
                                    {"length", static_cast<std::uint64_t>(counted.length)},
                                    {"hit", counted.hit},
                                    {"at", counted.at.microseconds},
                                    {"session", message.session}})};
  return ledger_
      ->write_with({std::move(record)}, "message_received", message.sender, admission.trust,
                   std::move(details))
      .map([](const std::string&) {});
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
                                   {"severity", risk < 1 ? "high" : "critical"},
                                   {"source", message.sender},
                                   {"details", Json::object({{"messageId", admission.message_id}})},
                                   {"layer", "guardian"},
                                   {"reason", "the guardian's risk is at least 0.8"},
                                   {"risk", risk},
                                   {"patterns", pattern_ids(assessment)},
                                   {"evidence", assessment.to_json()},
                                   {"missing", trust_that_passes(assessment)},
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

// A flood is told of once until the source is let in again, so that it fills no log.
Result<Admission> Gateway::refuse_the_many(const IncomingMessage& message, Admission admission) {
  Bucket& bucket = buckets_.find(source_of(message))->second;
  if (bucket.told) {
    admission.status = 429;
    admission.reason = kTooMany;
    return admission;
  }
  bucket.told = true;
  events_.emit({"security:alert",
                Json::object({{"type", "rate_limit"},
                              {"source", message.sender},
                              {"data", "more than " + std::to_string(options_.messages_per_minute) +
                                           " messages a minute"}})});
  return refuse(std::move(admission), 429, kTooMany);
}

// What cannot be judged: nothing in it, or nobody knows how far it is trusted.
Result<Admission> Gateway::refuse_unjudged(const IncomingMessage& message, Admission admission) {
  spend(source_of(message), admission.time);
  if (message.content.empty())
    return refuse(std::move(admission), 400, "the message has no content");
  if (!channel_trust(message.channel)) {
    return break_rule(
        std::move(admission), 5,
        "the message has no trust level: '" + message.channel + "' is no known channel");
  }
  return refuse(std::move(admission), 400,
                "the source '" + message.source.value_or("") + "' is no trust level");
}

Result<Admission> Gateway::admit(const IncomingMessage& message) {
  ANIMA_TRY(catch_up());
  Admission admission;
  admission.message_id = make_uuid(random_);
  admission.time = clock_.now();
  if (const Status near = require_loopback(message.peer); !near)
    return break_rule(std::move(admission), 1, near.error().message);
  if (options_.messages_per_minute > 0 && tokens(source_of(message), admission.time) < 1)
    return refuse_the_many(message, std::move(admission));
  const auto most = channel_trust(message.channel);
  const auto claimed = message.source ? parse_trust(*message.source) : most;
  if (message.content.empty() || !most || !claimed)
    return refuse_unjudged(message, std::move(admission));
  admission.trust = lowest(*claimed, *most);
  events_.emit({"message:received", Json::object({{"messageId", admission.message_id}})});
  admission.assessment = assess(message, admission);
  ANIMA_TRY(write_down(message, admission));
  ANIMA_TRY(announce(message, admission));
  if (admission.assessment.action == Action::kBlock)
    return refuse(std::move(admission), 403, "the message was blocked as a threat");
  events_.emit({"message:accepted", Json::object({{"messageId", admission.message_id}})});
  return admission;
}

}  // namespace anima::govern
