#include "serve/mcp_tools/call_log.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text/valid_text.h"

namespace anima::serve {

namespace {

constexpr std::string_view kKey = "mcp-calls";
constexpr std::size_t kMaxResponseBytes = std::size_t{256} << 10;
constexpr std::size_t kTogether = 32;
constexpr std::size_t kMaxWaiting = 1000;
constexpr std::int64_t kMaxWaitNanoseconds = 1'000'000'000;

// An id is the entry's sequence and the call's place in the entry. Calls that are in no entry come
// after all that are.
constexpr std::int64_t kIdsPerEntry = 1024;
constexpr std::int64_t kFirstWaitingId = std::int64_t{1} << 52;
constexpr std::uint64_t kEntriesAtOnce = 512;

static_assert(kMaxWaiting < kIdsPerEntry);

std::uint64_t number(store::Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

void set_id(Json* call, std::int64_t id) {
  call->as_object().insert(call->as_object().begin(), {"_id", Json(id)});
}

// Of what nests too deep to be read again only the size is kept: one such record would close the
// list for everybody.
bool reads_again(const Json& call) { return parse_json(valid_text(call.dump())).has_value(); }

Json size_of(const Json& json) { return Json::object({{"omitted_bytes", json.dump().size()}}); }

std::int64_t id_of(const Json& call) { return call.find("_id")->as_integer(); }

}  // namespace

CallLog::CallLog(std::shared_ptr<kip::Engine> engine, store::Origin origin, bool durable,
                 std::shared_ptr<Clock> clock)
    : engine_(std::move(engine)),
      origin_(std::move(origin)),
      durable_(durable),
      clock_(std::move(clock)) {}

CallLog::~CallLog() {
  const std::lock_guard lock(mutex_);
  flush();
}

void CallLog::add(Json call, bool now) {
  for (const char* part : {"response", "request"}) {
    const Json* value = call.find(part);
    if (value == nullptr) continue;
    const bool too_long =
        std::string_view(part) == "response" && value->dump().size() > kMaxResponseBytes;
    if (too_long || !reads_again(call)) call.set(part, size_of(*value));
  }
  const std::lock_guard lock(mutex_);
  const std::int64_t time = clock_->monotonic_nanoseconds();
  if (waiting_.empty()) waiting_since_ = time;
  waiting_.push_back(std::move(call));
  if (now || waiting_.size() >= kTogether || time - waiting_since_ >= kMaxWaitNanoseconds) flush();
  if (waiting_.size() > kMaxWaiting) {
    waiting_.pop_front();
    ++dropped_;
  }
}

void CallLog::flush() {
  if (!durable_ || waiting_.empty()) return;
  store::Space& space = engine_->space();
  const auto change = [this](store::Transaction& transaction) -> Status {
    for (const Json& call : waiting_)
      ANIMA_TRY(transaction.record(store::RecordKind::kCall, valid_text(call.dump())));
    return {};
  };
  // Without a folder there is no place for a key, and nothing to erase from.
  const auto receipt = space.folder().empty()
                           ? space.write(origin_, change)
                           : space.write_sealed(origin_, std::string(kKey), change);
  if (receipt) waiting_.clear();
}

Result<JsonArray> CallLog::stored(store::Sequence after, store::Sequence last) {
  JsonArray calls;
  bool ended = false;
  const Status status =
      engine_->space().changes(after, [&](const store::LogEntry& entry) -> Status {
        if (entry.sequence > last) {
          ended = true;
          return fail(ErrorCode::kCancelled, "enough");
        }
        std::int64_t id = static_cast<std::int64_t>(number(entry.sequence)) * kIdsPerEntry;
        return store::visit_records(
            entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
              if (kind != store::RecordKind::kCall) return {};
              auto read = parse_json(payload);
              Json call =
                  read ? *std::move(read) : Json::object({{"unreadable", read.error().describe()}});
              set_id(&call, id++);
              calls.push_back(std::move(call));
              return {};
            });
      });
  if (!status && !ended) return fail(status.error());
  return calls;
}

Result<CallLog::Page> CallLog::page(std::size_t limit, std::int64_t before, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  flush();
  if (before == 0) before = kFirstWaitingId + dropped_ + static_cast<std::int64_t>(kMaxWaiting) + 1;
  Page page;
  // One call more than asked for tells whether there is a following page.
  const auto take = [&](const Json& call) {
    if (id_of(call) < before && page.calls.size() <= limit) page.calls.push_back(call);
  };
  for (std::size_t i = waiting_.size(); i-- > 0;) {
    Json call = waiting_[i];
    set_id(&call, kFirstWaitingId + dropped_ + static_cast<std::int64_t>(i));
    take(call);
  }
  ANIMA_ASSIGN(const store::Snapshot now, engine_->space().snapshot());
  std::uint64_t last =
      std::min(number(now.sequence()), static_cast<std::uint64_t>(before / kIdsPerEntry));
  while (last > 0 && page.calls.size() <= limit) {
    const std::uint64_t after = last > kEntriesAtOnce ? last - kEntriesAtOnce : 0;
    ANIMA_ASSIGN(const JsonArray calls, stored(store::Sequence{after}, store::Sequence{last}));
    for (std::size_t i = calls.size(); i-- > 0;) take(calls[i]);
    last = after;
  }
  std::size_t fit = 0;
  for (std::uint64_t taken = 0; fit < std::min(limit, page.calls.size()); ++fit) {
    taken += page.calls[fit].dump().size();
    if (fit > 0 && taken > bytes) break;
  }
  if (page.calls.size() > fit) {
    page.calls.resize(fit);
    page.next = id_of(page.calls.back());
  }
  return page;
}

}  // namespace anima::serve
