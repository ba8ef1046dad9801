#include "govern/rules/call_trace.h"

#include <algorithm>
#include <utility>

#include "base/crypto.h"
#include "base/json/json_member.h"
#include "govern/rules/detail/call_record.h"

namespace anima::govern {
namespace {

constexpr const char* kTraceKey = "trace";
constexpr std::int64_t kRecordedMicroseconds = std::int64_t{30} * 24 * 3600 * 1'000'000;
constexpr std::size_t kTogether = 128;  // calls that the rules are given at once
// A call that was announced takes two entries.
constexpr std::size_t kEntriesOfACall = 2;

std::uint64_t number_of(store::Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

std::string place_of(const LedgerEntry& entry) {
  return "log entry " + std::to_string(number_of(entry.sequence));
}

Status damaged(const LedgerEntry& entry, std::string_view what) {
  return fail(ErrorCode::kCorrupt, "a record of a call lacks " + std::string(what),
              place_of(entry));
}

std::optional<std::int64_t> integer_member(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  if (value == nullptr || !value->is_integer()) return std::nullopt;
  return value->as_integer();
}

PolicyVerdict unknown(const Error& error) {
  return {Permission::kDenied, "the calls before it cannot be known: " + error.describe(), {}};
}

}  // namespace

CallTrace::CallTrace(Policy* policy, Ledger* ledger, Clock& clock)
    : policy_(policy), ledger_(ledger), clock_(clock) {
  if (policy_ != nullptr && ledger_ != nullptr) policy_->follow_log();
}

// --- reading ------------------------------------------------------------------------------------

Status CallTrace::catch_up(Head from) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(take_new_rules());
  if (ledger_ == nullptr) return {};
  const Policy::Sight sight = policy_ == nullptr ? Policy::Sight() : policy_->sight();
  const auto head = ledger_->space().log().known_head();
  const bool current = head && read_ == head;
  if (current && (from == Head::kShared || !sight.looks_back)) return {};
  if (!sight.looks_back) return look_who_records();
  const Policy::Sink add = [this](const std::vector<TracedCall>& calls) { policy_->add(calls); };
  return follow(
      add, sight,
      from == Head::kShared ? head.value_or(store::Sequence::kNone) : store::Sequence::kNone);
}

Status CallTrace::take_new_rules() {
  if (policy_ == nullptr) return {};
  ANIMA_TRY(policy_->refresh([this](const Policy::Sink& add, Policy::Sight sight) -> Status {
    mine_.clear();
    read_.reset();
    if (!sight.looks_back || ledger_ == nullptr) return {};
    return follow(add, sight, store::Sequence::kNone);
  }));
  rules_ = policy_->rules();
  return {};
}

// Brings in what other processes decided. `head`: as Ledger::read has it.
Status CallTrace::follow(const Policy::Sink& add, Policy::Sight sight, store::Sequence head) {
  if (!read_) {
    ANIMA_ASSIGN(read_, ledger_->before_newest(kTraceRecord, kEntriesOfACall * policy_->window()));
  }
  std::vector<TracedCall> calls;
  const auto hand_over = [&] {
    add(calls);
    calls.clear();
  };
  ANIMA_ASSIGN(const store::Sequence last,
               ledger_->read(
                   kTraceRecord, *read_,
                   [&](const LedgerEntry& entry) -> Status {
                     ANIMA_ASSIGN(TracedCall call, traced_from(entry, sight));
                     calls.push_back(std::move(call));
                     if (calls.size() >= kTogether) hand_over();
                     return {};
                   },
                   [this](store::Sequence sequence) { return is_mine(sequence); }, head));
  if (!calls.empty()) hand_over();
  read_ = last;
  mine_.erase(mine_.begin(), mine_.upper_bound(last));
  return {};
}

// The newest record says it.
Status CallTrace::look_who_records() {
  ANIMA_ASSIGN(const store::Sequence before, ledger_->before_newest(kTraceRecord, 1));
  const store::Sequence after = std::max(before, read_.value_or(store::Sequence::kNone));
  ANIMA_ASSIGN(read_, ledger_->read(kTraceRecord, after, [&](const LedgerEntry& entry) -> Status {
    const auto until = integer_member(entry.content, "until");
    if (!until) return damaged(entry, "how long calls are recorded");
    until_ = Timestamp{*until};
    return {};
  }));
  mine_.erase(mine_.begin(), mine_.upper_bound(*read_));
  return {};
}

Result<TracedCall> CallTrace::traced_from(const LedgerEntry& entry, Policy::Sight sight) {
  TracedCall call;
  call.outcome = text_member(entry.content, "outcome");
  if (const auto number = integer_member(entry.content, "end")) {
    call.number = static_cast<std::uint64_t>(*number);
    call.is_end = true;
    return call;
  }
  call.number = number_of(entry.sequence);
  std::optional<Json> secret;
  if (sight.reads_arguments) {
    const auto bytes = from_base64url(text_member(entry.content, "sealed"));
    if (!bytes) return fail(damaged(entry, "its sealed part").error());
    ANIMA_ASSIGN(const auto opened,
                 ledger_->space().unseal({text_member(entry.content, "seal"), *bytes}));
    if (opened.state == store::SealState::kOpen) {
      ANIMA_ASSIGN(secret, parse_json(opened.text));
    }
  }
  auto recorded = detail::recorded_call(entry.content, std::move(secret));
  if (!recorded) return fail(ErrorCode::kCorrupt, recorded.error().message, place_of(entry));
  call.request = std::move(recorded->request);
  call.tool = std::move(recorded->tool);
  return call;
}

// --- writing ------------------------------------------------------------------------------------

bool CallTrace::recording() const {
  return (policy_ != nullptr && policy_->sight().looks_back) || clock_.now() < until_;
}

Json CallTrace::record_of(Json content) const {
  const bool looks_back = policy_ != nullptr && policy_->sight().looks_back;
  content.set("until",
              looks_back ? clock_.now().microseconds + kRecordedMicroseconds : until_.microseconds);
  return content;
}

Result<LedgerRecord> CallTrace::record_of_call(const Call& call, std::string_view outcome) const {
  ANIMA_ASSIGN(const std::string secret,
               record_payload(detail::secret_part(call.request, *call.tool)));
  ANIMA_ASSIGN(const store::SealedText sealed, ledger_->space().seal(kTraceKey, secret));
  Json content = detail::open_part(call.request, *call.tool);
  if (!outcome.empty()) content.set("outcome", std::string(outcome));
  content.set("seal", sealed.seal);
  content.set("sealed", to_base64url(sealed.bytes));
  return LedgerRecord{kTraceRecord, record_of(std::move(content))};
}

std::vector<LedgerRecord> CallTrace::put(Call& call, const WriterTurn& turn, LedgerRecord record) {
  call.entry_ = turn.place;
  if (in_trace(call)) mine_.insert(turn.place);
  std::vector<LedgerRecord> records;
  records.push_back(std::move(record));
  return records;
}

EntryPart CallTrace::announcing(Call& call) {
  if (ledger_ == nullptr || call.tool == nullptr) return nullptr;
  return [this, &call](WriterTurn& turn) -> Result<std::vector<LedgerRecord>> {
    ANIMA_TRY(catch_up(Head::kLog));
    const std::lock_guard lock(mutex_);
    if (recording()) {
      // What was written in this very turn cannot be read yet; what this object wrote is known.
      ANIMA_ASSIGN(const store::Sequence committed, turn.committed());
      for (std::uint64_t at = number_of(committed) + 1; at < number_of(turn.place); ++at)
        turn.again = turn.again || !is_mine(store::Sequence{at});
      if (turn.again) return fail(ErrorCode::kBusy, "other writers were faster");
    }
    auto again = policy_ == nullptr
                     ? std::nullopt
                     : policy_->decide_again(call.request, *call.tool, call.number, call.rules_);
    call.rules_ = rules_;
    const bool stands = !again || again->permission == Permission::kAllowed ||
                        (again->permission == Permission::kNeedsApproval && !call.may_be_asked);
    if (!stands) {
      call.overruled = *std::move(again);
      return fail(ErrorCode::kDenied, call.overruled->reason);
    }
    if (!recording()) return std::vector<LedgerRecord>();
    ANIMA_ASSIGN(LedgerRecord record, record_of_call(call, {}));
    return put(call, turn, std::move(record));
  };
}

// What others wrote meanwhile changes nothing about how a call went on.
EntryPart CallTrace::ending(Call& call, std::string_view outcome) {
  if (ledger_ == nullptr || call.tool == nullptr) return nullptr;
  return [this, &call,
          said = std::string(outcome)](WriterTurn& turn) -> Result<std::vector<LedgerRecord>> {
    (void)catch_up(Head::kLog);
    const std::lock_guard lock(mutex_);
    if (!recording()) return std::vector<LedgerRecord>();
    if (call.placed) {
      Json end = Json::object({{"end", call.number}, {"outcome", said}});
      return put(call, turn, {kTraceRecord, record_of(std::move(end))});
    }
    ANIMA_ASSIGN(LedgerRecord record, record_of_call(call, said));
    call.refused_ = said == "denied" || said == "waiting";
    return put(call, turn, std::move(record));
  };
}

void CallTrace::entered(Call& call, bool written) {
  const store::Sequence entry = std::exchange(call.entry_, store::Sequence::kNone);
  if (entry == store::Sequence::kNone) return;
  if (!written) {
    // The place is free for an entry of another process, which may have been passed over.
    const std::lock_guard lock(mutex_);
    mine_.erase(entry);
    if (read_ && *read_ >= entry) read_ = store::Sequence{number_of(entry) - 1};
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!in_trace(call)) {
      mine_.erase(entry);
    } else if (read_ && number_of(*read_) + 1 == number_of(entry)) {
      read_ = entry;
      mine_.erase(entry);
    }
  }
  if (call.placed) return;
  if (policy_ != nullptr) policy_->place(call.number, number_of(entry), call.refused_);
  call.number = number_of(entry);
  call.placed = true;
}

void CallTrace::ended(Call& call, std::string_view outcome) {
  if (policy_ != nullptr && call.number != 0) policy_->finished(call.number, outcome);
}

bool CallTrace::is_recording() {
  const std::lock_guard lock(mutex_);
  return ledger_ != nullptr && recording();
}

// --- deciding -----------------------------------------------------------------------------------

PolicyVerdict CallTrace::decide(Call& call) {
  PolicyVerdict verdict;
  const Status known = catch_up(Head::kShared);
  if (policy_ != nullptr) {
    call.rules_ = policy_->rules();
    verdict = policy_->decide(call.request, *call.tool, call.number);
  }
  return known ? verdict : unknown(known.error());
}

PolicyVerdict CallTrace::would_decide(const CallRequest& request, const ToolPolicy& tool) {
  const Status known = catch_up(Head::kShared);
  if (!known) return unknown(known.error());
  return policy_ == nullptr ? PolicyVerdict() : policy_->would_decide(request, tool);
}

}  // namespace anima::govern
