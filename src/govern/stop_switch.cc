#include "govern/stop_switch.h"

#include "base/json_member.h"

namespace anima::govern {
namespace {

Status refused(std::string_view who, std::string_view by) {
  return fail(ErrorCode::kDenied, std::string(who) + ", not '" + std::string(by) + "'");
}

// An event without a person was written when none was asked for; it counts as it did then.
Status lift(LineState& line, std::string_view role, const std::string& person) {
  if (role != "arbiter" && role != "operator")
    return refused("the arbiter and the operator lift an emergency", role);
  if (!line.emergency) return fail(ErrorCode::kConflict, "there is no emergency");
  for (const auto& [other, who] : line.lifted_by) {
    if (other == role || person.empty() || who != person) continue;
    return fail(ErrorCode::kDenied,
                "the arbiter and the operator are two persons: " + person +
                    " has lifted it as the " + other,
                {}, "somebody else lifts it as the " + std::string(role));
  }
  line.lifted_by.insert_or_assign(std::string(role), person);
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
  if (name == "lift") return lift(line, by, text_member(event, "person"));
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

Status StopSwitch::lift_emergency(std::string_view role, std::string_view person) {
  if (person.empty())
    return fail(ErrorCode::kInvalidArgument, "lifting an emergency names the person who does");
  return change("lift", "emergency_lifted", role, {}, person);
}

Status StopSwitch::change(std::string_view name, std::string_view action, std::string_view by,
                          std::string_view reason, std::string_view person) {
  const bool stops = name == "halt" || name == "emergency";
  Json event = Json::object(
      {{"event", std::string(name)}, {"by", std::string(by)}, {"reason", std::string(reason)}});
  Json details = Json::object({{"reason", std::string(reason)}});
  if (!person.empty()) {
    event.set("person", std::string(person));
    details.set("person", std::string(person));
  }
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
  // Without the lock: who listens may ask how the line stands.
  ANIMA_TRY(write(std::move(event), action, by, std::move(details), stops));
  tell(stops, by, reason);
  return {};
}

Status StopSwitch::write(Json event, std::string_view action, std::string_view by, Json details,
                         bool stops) {
  const Trust trust = by == "operator"                      ? Trust::kOperator
                      : by == "guardian" || by == "arbiter" ? Trust::kSystem
                                                            : Trust::kStandard;
  const auto written =
      ledger_->write_with({{kLineRecord, std::move(event)}}, action, by, trust, std::move(details));
  const std::lock_guard lock(mutex_);
  if (!written) {
    stopped_here_ = stopped_here_ || stops;
    return fail(written.error());
  }
  if (!stops) stopped_here_ = false;
  return catch_up();
}

void StopSwitch::tell(bool stops, std::string_view by, std::string_view reason) const {
  if (events_ == nullptr) return;
  const Result<LineState> now = state();
  if (!now) return;
  if (stops) {
    events_->emit({"system:halted", Json::object({{"by", std::string(by)},
                                                  {"reason", std::string(reason)},
                                                  {"emergency", now->emergency}})});
  } else if (!now->halted) {
    events_->emit({"system:resumed", Json::object({{"by", std::string(by)}})});
  }
}

Status StopSwitch::catch_up() const {
  if (ledger_ == nullptr) return {};
  const auto head = ledger_->space().log().known_head();
  if (head && *head == read_) return {};
  return read_on();
}

Status StopSwitch::read_on() const {
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

bool StopSwitch::halted_in(const WriterTurn& turn) const {
  const std::lock_guard lock(mutex_);
  if (stopped_here_ || ledger_ == nullptr) return stopped_here_ || line_.halted;
  const Result<store::Sequence> committed = turn.committed();
  return !committed || (*committed != read_ && !read_on()) || line_.halted;
}

void StopSwitch::pass(store::Sequence entry) const {
  const std::lock_guard lock(mutex_);
  const store::Sequence next{static_cast<std::uint64_t>(read_) + 1};
  if (entry == next) read_ = entry;
}

Result<LineState> StopSwitch::state() const {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  LineState now = line_;
  now.halted = now.halted || stopped_here_;
  return now;
}

}  // namespace anima::govern
