#include "serve/v1/events.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/json/text_array.h"
#include "serve/http/stream_keeper.h"
#include "store/history.h"
#include "store/verify/audit.h"

namespace anima::serve::v1 {
namespace {

constexpr std::size_t kMostInAStep = 500;  // entries
// Entries of a large space take long to read, and other streams wait for the step.
constexpr std::chrono::milliseconds kLongestStep{50};
constexpr std::size_t kMostToldStatements = 1000;      // of one entry, that came, and that went
constexpr std::size_t kRoom = std::size_t{256} << 10;  // bytes that may wait

std::vector<std::string> lines_of(const store::Snapshot& now,
                                  const std::vector<store::Triple>& triples) {
  const std::size_t told = std::min(triples.size(), kMostToldStatements);
  return store::statement_lines(now, std::span(triples).first(told), {});
}

std::uint64_t more(const std::vector<store::Triple>& triples) {
  return triples.size() > kMostToldStatements ? triples.size() - kMostToldStatements : 0;
}

}  // namespace

Result<Json> entry_json(store::Space& space, const store::Snapshot& now, store::Sequence entry) {
  ANIMA_ASSIGN(const auto change, store::entry_changes(space, now, entry));
  const store::EntryInfo info = now.entry(entry);
  Json data = Json::object({{"sequence", static_cast<std::uint64_t>(entry)},
                            {"time", format_timestamp(info.time)},
                            {"author", std::string(info.author)},
                            {"source", std::string(info.source)},
                            {"trust", store::trust_label(info.trust)},
                            {"added", text_array(lines_of(now, change.added))},
                            {"removed", text_array(lines_of(now, change.removed))}});
  if (const std::uint64_t rest = more(change.added) + more(change.removed); rest > 0)
    data.set("more", rest);
  return data;
}

Result<std::string> EventFeed::next_event(const store::Snapshot& now) {
  const store::Sequence entry{static_cast<std::uint64_t>(after_) + 1};
  const std::string id = std::to_string(static_cast<std::uint64_t>(entry));
  const auto data = entry_json(*space_, now, entry);
  if (!data && data.error().code != ErrorCode::kNotFound) return fail(data.error());
  after_ = entry;
  // Sealed, and its key is gone or elsewhere: that there was one is told.
  if (!data)
    return http::sse_event(id, "unread",
                           Json::object({{"sequence", static_cast<std::uint64_t>(entry)}}).dump());
  if (data->find("added")->as_array().empty() && data->find("removed")->as_array().empty())
    return std::string();
  return http::sse_event(id, "change", data->dump());
}

// Whether he took nothing of what waits for long.
bool EventFeed::is_slow(http::Outlet& outlet) {
  const Steady::time_point now = Steady::now();
  const std::size_t waits = outlet.waiting();
  if (waits == 0 || waits < waited_) moved_ = now;
  waited_ = waits;
  return now - moved_ >= options_.slow;
}

// False: the reader may not be told any more, and the stream has ended. It asks once in a while.
bool EventFeed::may_go_on(Steady::time_point& asked, http::Outlet& outlet) {
  if (!options_.may || Steady::now() - asked < options_.look) return true;
  if (const Status may = options_.may(); !may) {
    outlet.end(may.error().describe());
    return false;
  }
  asked = Steady::now();
  return true;
}

void EventFeed::step(http::Outlet& outlet) {
  if (is_slow(outlet)) return outlet.end("the reader is too slow: go on with Last-Event-ID");
  if (outlet.waiting() >= kRoom) return;
  const auto now = space_->snapshot();
  if (!now) return outlet.end("the log cannot be read: " + now.error().describe());
  // A stream on which nothing comes ends, too; what then comes is judged when it does.
  const bool news = now->sequence() > after_ || !next_.empty();
  if (!may_go_on(news ? looked_ : idle_looked_, outlet) || !news) return;
  const Steady::time_point until = Steady::now() + kLongestStep;
  for (std::size_t i = 0; i < kMostInAStep && (i == 0 || Steady::now() < until); ++i) {
    if (next_.empty() && now->sequence() <= after_) return;
    if (next_.empty()) {
      auto event = next_event(*now);
      if (!event) return outlet.end("an entry cannot be read: " + event.error().describe());
      next_ = *std::move(event);
    }
    if (next_.empty()) continue;
    const std::size_t waits = outlet.waiting();
    if (waits > 0 && waits + next_.size() > kRoom) return;
    if (waits == 0) moved_ = Steady::now();
    outlet.put(std::exchange(next_, {}));
  }
}

}  // namespace anima::serve::v1
