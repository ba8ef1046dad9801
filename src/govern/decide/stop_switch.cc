#include "govern/decide/stop_switch.h"

#include <vector>

#include "base/json/json_member.h"

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

// What ends a stop, as it is signed: which stop of which space.
Statement statement_of(const Json& event, const LineState& line, const Approvers& approvers) {
  const Json* at = event.find("at");
  return {text_member(event, "event"),
          Json::object({{"by", text_member(event, "by")},
                        {"stopped_by", line.by},
                        {"stopped_because", line.reason},
                        {"emergency", line.emergency},
                        {"entry", static_cast<std::int64_t>(line.entry)},
                        {"at", at == nullptr ? Json() : *at},
                        {"space", approvers.space()}})};
}

// Who signed what ends a stop: the key, by which two persons are told apart. Empty: the space had
// no approver when it was written.
Result<std::string> signed_by(const Json& event, const LineState& line, const Approvers* approvers,
                              store::Sequence entry) {
  if (approvers == nullptr || !approvers->any(entry)) return std::string();
  const auto signature = signature_in(event);
  if (!signature) {
    return fail(ErrorCode::kDenied, "this space asks for the signature of an approver", {},
                "`anima guard resume` asks for the passphrase");
  }
  const Statement statement = statement_of(event, line, *approvers);
  ANIMA_ASSIGN(const Approver* approver,
               approvers->check(statement.what, digest_of(statement.content), *signature,
                                text_member(event, "by"), entry));
  return "key:" + to_hex(approver->key);
}

// What one event does to the line; an error when it does not count. `approvers` null: nothing is
// signed.
Status apply(LineState& line, const Json& event, Timestamp at, store::Sequence entry,
             const Approvers* approvers) {
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
            .since = at,
            .entry = entry};
    return {};
  }
  if (name == "resume") {
    if (by != "operator") return refused("only the operator resumes", by);
    if (line.emergency) {
      return fail(ErrorCode::kConflict, "an emergency stop stands", {},
                  "the arbiter and the operator lift it");
    }
    if (line.halted) ANIMA_TRY(signed_by(event, line, approvers, entry));
    line = {};
    return {};
  }
  if (name == "lift") {
    ANIMA_ASSIGN(const std::string key, signed_by(event, line, approvers, entry));
    return lift(line, by, key.empty() ? text_member(event, "person") : key);
  }
  return fail(ErrorCode::kCorrupt, "the line has no event '" + name + "'");
}

}  // namespace

Status StopSwitch::halt(std::string_view by, std::string_view reason) {
  return change("halt", "line_halted", by, reason);
}

Status StopSwitch::resume(std::string_view by, const Signer& signer) {
  return change("resume", "line_resumed", by, {}, {}, signer);
}

Status StopSwitch::emergency(std::string_view by, std::string_view reason) {
  return change("emergency", "emergency_stop", by, reason);
}

Status StopSwitch::lift_emergency(std::string_view role, std::string_view person,
                                  const Signer& signer) {
  if (person.empty())
    return fail(ErrorCode::kInvalidArgument, "lifting an emergency names the person who does");
  return change("lift", "emergency_lifted", role, {}, person, signer);
}

// Asks for a signature where one is needed, without the lock: a person takes a while.
Status StopSwitch::sign(Json& event, const Signer& signer) {
  Statement statement;
  {
    const std::lock_guard lock(mutex_);
    ANIMA_TRY(catch_up());
    ANIMA_ASSIGN(const Approvers* approvers, book_->now());
    // Without a signer it is refused when it is looked at, with the reason.
    if (!line_.halted || !approvers->any() || !signer) return {};
    event.set("at", line_.since.microseconds);
    statement = statement_of(event, line_, *approvers);
  }
  ANIMA_ASSIGN(const StatementSignature signature, signer(statement));
  put_signature(signature, event);
  return {};
}

Status StopSwitch::change(std::string_view name, std::string_view action, std::string_view by,
                          std::string_view reason, std::string_view person, const Signer& signer) {
  const bool stops = name == "halt" || name == "emergency";
  Json event = Json::object(
      {{"event", std::string(name)}, {"by", std::string(by)}, {"reason", std::string(reason)}});
  Json details = Json::object({{"reason", std::string(reason)}});
  if (!person.empty()) {
    event.set("person", std::string(person));
    details.set("person", std::string(person));
  }
  if (!stops && ledger_ != nullptr) ANIMA_TRY(sign(event, signer));
  {
    const std::lock_guard lock(mutex_);
    const Status read = catch_up();
    if (!read && !stops) return read;
    const Approvers* approvers = nullptr;
    if (!stops && ledger_ != nullptr) {
      ANIMA_ASSIGN(approvers, book_->now());
    }
    LineState next = line_;
    ANIMA_TRY(apply(next, event, {}, kNewest, approvers));
    if (read && name == "halt" && line_.halted) return {};
    if (ledger_ == nullptr) {
      line_ = std::move(next);
      return {};
    }
  }
  for (const char* member : {"approver", "signature"}) {
    if (const Json* value = event.find(member)) details.set(member, *value);
  }
  // Without the lock: who listens may ask how the line stands.
  ANIMA_TRY(write(std::move(event), action, by, std::move(details)));
  tell(stops, by, reason);
  return {};
}

Status StopSwitch::write(Json event, std::string_view action, std::string_view by, Json details) {
  const Trust trust = by == "operator"                      ? Trust::kOperator
                      : by == "guardian" || by == "arbiter" ? Trust::kSystem
                                                            : Trust::kStandard;
  ANIMA_TRY(
      ledger_->write_with({{kLineRecord, std::move(event)}}, action, by, trust, std::move(details))
          .map([](const std::string&) {}));
  const std::lock_guard lock(mutex_);
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

// The events first, then who may sign: the ledger is read by one at a time.
Status StopSwitch::read_on() const {
  std::vector<LedgerEntry> events;
  ANIMA_ASSIGN(const store::Sequence last,
               ledger_->read(kLineRecord, read_, [&](const LedgerEntry& entry) -> Status {
                 events.push_back(entry);
                 return {};
               }));
  for (const LedgerEntry& entry : events) {
    ANIMA_ASSIGN(const Approvers* approvers, book_->at(entry.sequence));
    // What is refused does not count.
    (void)apply(line_, entry.content, entry.time, entry.sequence, approvers);
  }
  read_ = last;
  return {};
}

LineLook StopSwitch::look() const {
  const std::lock_guard lock(mutex_);
  if (!catch_up()) return LineLook::kUnknown;
  return line_.halted ? LineLook::kStopped : LineLook::kRuns;
}

LineLook StopSwitch::look_in(const WriterTurn& turn) const {
  const std::lock_guard lock(mutex_);
  if (ledger_ != nullptr) {
    const Result<store::Sequence> committed = turn.committed();
    if (!committed || (*committed != read_ && !read_on())) return LineLook::kUnknown;
  }
  return line_.halted ? LineLook::kStopped : LineLook::kRuns;
}

void StopSwitch::pass(store::Sequence entry) const {
  const std::lock_guard lock(mutex_);
  const store::Sequence next{static_cast<std::uint64_t>(read_) + 1};
  if (entry == next) read_ = entry;
}

Result<LineState> StopSwitch::state() const {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  return line_;
}

}  // namespace anima::govern
