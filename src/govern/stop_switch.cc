#include "govern/stop_switch.h"

namespace anima::govern {
namespace {

std::string text_member(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value != nullptr && value->is_string() ? value->as_string() : std::string();
}

Status refused(std::string_view who, std::string_view by) {
  return fail(ErrorCode::kDenied, std::string(who) + ", not '" + std::string(by) + "'");
}

Status lift(LineState& line, std::string_view by) {
  if (by != "arbiter" && by != "operator")
    return refused("the arbiter and the operator lift an emergency", by);
  if (!line.emergency) return fail(ErrorCode::kConflict, "there is no emergency");
  line.lifted_by.emplace(by);
  if (line.lifted_by.size() == 2) line = {};
  return {};
}

// What one event does to the line; an error when it does not count.
Status apply(LineState& line, const Json& event, Timestamp at) {
  const std::string name = text_member(event, "event");
  const std::string by = text_member(event, "by");
  if (name == "halt" || name == "emergency") {
    if (name == "halt" && by != "operator" && by != "guardian")
      return refused("only the operator or the guardian halts", by);
    if (name == "halt" && line.halted) return {};
    line = {.halted = true,
            .emergency = name == "emergency",
            .by = by,
            .reason = text_member(event, "reason"),
            .since = at};
    return {};
  }
  if (name == "resume") {
    if (by != "operator") return refused("only the operator resumes", by);
    if (line.emergency) {
      return fail(ErrorCode::kConflict, "an emergency stop stands", {},
                  "the arbiter and the operator lift it");
    }
    line = {};
    return {};
  }
  if (name == "lift") return lift(line, by);
  return fail(ErrorCode::kCorrupt, "the line has no event '" + name + "'");
}

}  // namespace

Status StopSwitch::halt(std::string_view by, std::string_view reason) {
  return change("halt", "line_halted", by, reason);
}

Status StopSwitch::resume(std::string_view by) { return change("resume", "line_resumed", by, {}); }

Status StopSwitch::emergency(std::string_view by, std::string_view reason) {
  return change("emergency", "emergency_stop", by, reason);
}

Status StopSwitch::lift_emergency(std::string_view by) {
  return change("lift", "emergency_lifted", by, {});
}

Status StopSwitch::change(std::string_view name, std::string_view action, std::string_view by,
                          std::string_view reason) {
  const bool stops = name == "halt" || name == "emergency";
  Json event = Json::object(
      {{"event", std::string(name)}, {"by", std::string(by)}, {"reason", std::string(reason)}});
  {
    const std::lock_guard lock(mutex_);
    const Status read = catch_up();
    if (!read && !stops) return read;
    LineState next = line_;
    ANIMA_TRY(apply(next, event, {}));
    if (read && name == "halt" && line_.halted) return {};
    if (ledger_ == nullptr) {
      line_ = std::move(next);
      return {};
    }
  }
  // Without the lock: who listens for audit entries may ask how the line stands.
  const Trust trust = by == "operator"                      ? Trust::kOperator
                      : by == "guardian" || by == "arbiter" ? Trust::kSystem
                                                            : Trust::kStandard;
  const auto written = ledger_->write_with({{kLineRecord, std::move(event)}}, action, by, trust,
                                           Json::object({{"reason", std::string(reason)}}));
  const std::lock_guard lock(mutex_);
  if (!written) {
    stopped_here_ = stopped_here_ || stops;
    return fail(written.error());
  }
  if (!stops) stopped_here_ = false;
  return catch_up();
}

Status StopSwitch::catch_up() const {
  if (ledger_ == nullptr) return {};
  const auto head = ledger_->space().log().known_head();
  if (head && *head == read_) return {};
  ANIMA_ASSIGN(read_, ledger_->read(kLineRecord, read_, [&](const LedgerEntry& entry) -> Status {
    (void)apply(line_, entry.content, entry.time);  // what is refused does not count
    return {};
  }));
  return {};
}

bool StopSwitch::halted() const {
  const std::lock_guard lock(mutex_);
  return !catch_up() || line_.halted || stopped_here_;
}

Result<LineState> StopSwitch::state() const {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  LineState now = line_;
  now.halted = now.halted || stopped_here_;
  return now;
}

}  // namespace anima::govern
