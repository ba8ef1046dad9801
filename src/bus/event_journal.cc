#include "bus/event_journal.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text/valid_text.h"
#include "store/read_around.h"

namespace anima::bus {
namespace {

constexpr std::string_view kKey = "events";
constexpr std::size_t kTogether = 64;
constexpr std::size_t kMaxWaiting = 1000;
constexpr std::int64_t kMaxWaitNanoseconds = 1'000'000'000;

// A payload like the one before (task_complete, then result) is not written twice. What is written
// is read again by everybody: of bytes that are no UTF-8 stands U+FFFD, of what nests too deep to
// be read that it did, for otherwise nobody would be told of any event.
std::string record_of(const Event& event, Timestamp time, const Json* before) {
  Json record = Json::object({{"event", event.type}, {"time", time.microseconds}});
  if (before == nullptr || *before != event.payload) record.set("payload", event.payload);
  std::string text = valid_text(record.dump());
  if (parse_json(text)) return text;
  record.set("payload", Json::object({{"omitted", "the payload cannot be read again"}}));
  return record.dump();
}

// Empty: a record of the kind that no bus told.
Result<std::optional<KeptEvent>> event_of(std::string_view payload, store::Sequence entry,
                                          const Json& before) {
  const auto record = parse_json(payload);
  if (record && record->find("event") == nullptr) return std::optional<KeptEvent>();
  const Json* type = record ? record->find("event") : nullptr;
  const Json* time = record ? record->find("time") : nullptr;
  if (type == nullptr || !type->is_string() || time == nullptr || !time->is_integer()) {
    return fail(ErrorCode::kCorrupt, "a kept event does not parse",
                "log entry " + std::to_string(static_cast<std::uint64_t>(entry)));
  }
  const Json* content = record->find("payload");
  return std::optional(KeptEvent{entry,
                                 Timestamp{time->as_integer()},
                                 {type->as_string(), content == nullptr ? before : *content}});
}

}  // namespace

void EventJournal::add(const Event& event) {
  if (priority_of(event.type) == Priority::kAudit) return;
  const std::lock_guard lock(mutex_);
  const std::int64_t now = clock_.monotonic_nanoseconds();
  if (waiting_.empty()) waiting_since_ = now;
  waiting_.push_back({clock_.now(), event});
  if (waiting_.size() >= kTogether || now - waiting_since_ >= kMaxWaitNanoseconds) (void)write();
  if (waiting_.size() > kMaxWaiting) drop_one();
}

// The oldest that tells of no security: whoever floods the bus with those drowns no other.
void EventJournal::drop_one() {
  const auto oldest = std::ranges::find_if(waiting_, [](const Waiting& each) {
    return priority_of(each.event.type) != Priority::kSecurity;
  });
  if (oldest == waiting_.end()) return;
  waiting_.erase(oldest);
  ++dropped_;
}

Status EventJournal::flush() {
  const std::lock_guard lock(mutex_);
  return write();
}

Status EventJournal::write() {
  if (waiting_.empty()) return {};
  const auto change = [this](store::Transaction& transaction) -> Status {
    const Json* before = nullptr;
    const Event gap{"system:events_dropped", Json::object({{"count", dropped_}})};
    if (dropped_ > 0) {
      ANIMA_TRY(transaction.record(store::RecordKind::kEvent,
                                   record_of(gap, waiting_.front().time, before)));
      before = &gap.payload;
    }
    for (const Waiting& each : waiting_) {
      ANIMA_TRY(
          transaction.record(store::RecordKind::kEvent, record_of(each.event, each.time, before)));
      before = &each.event.payload;
    }
    return {};
  };
  store::Origin origin;
  origin.author = std::string(kEventAuthor);
  origin.source = "events";
  origin.trust = store::Trust::kSystem;
  const auto receipt = space_.folder().empty()
                           ? space_.write(origin, change)
                           : space_.write_sealed(origin, std::string(kKey), change);
  if (!receipt) return fail(receipt.error());
  waiting_.clear();
  dropped_ = 0;
  return {};
}

namespace {

Status visit_events(const store::LogEntry& entry,
                    const std::function<Status(const KeptEvent&)>& visit) {
  Json before;
  return store::visit_records(
      entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind != store::RecordKind::kEvent) return {};
        ANIMA_ASSIGN(const auto kept, event_of(payload, entry.sequence, before));
        if (!kept) return {};
        before = kept->event.payload;
        return visit(*kept);
      });
}

}  // namespace

Status EventJournal::replay(store::Space& space, store::Sequence after,
                            const std::function<Status(const KeptEvent&)>& visit) {
  return space.changes(after,
                       [&](const store::LogEntry& entry) { return visit_events(entry, visit); });
}

Status EventJournal::replay(
    store::Space& space, store::Sequence after,
    const std::function<Status(const KeptEvent&)>& visit,
    const std::function<Status(store::Sequence, std::string why)>& unreadable) {
  const store::Sequence first{static_cast<std::uint64_t>(after) + 1};
  const auto open = [&](const store::LogEntry& entry) -> Status {
    ANIMA_ASSIGN(const store::LogEntry opened, store::opened(space, entry));
    const bool may_be_sealed =
        !entry.seal.empty() && opened.payload.empty() && entry.origin.author == kEventAuthor;
    if (!may_be_sealed) return visit_events(opened, visit);
    // What was erased is left out; a key that is not here may come back.
    ANIMA_ASSIGN(const store::UnsealedText text, space.unseal({entry.seal, {}}));
    if (text.state != store::SealState::kSealed) return {};
    return unreadable(entry.sequence, "sealed under " + entry.seal + ", a key that is not here");
  };
  return store::read_around_damage(
      space.log(), first, open,
      [&](store::Sequence entry, const Error& why) { return unreadable(entry, why.message); });
}

}  // namespace anima::bus
