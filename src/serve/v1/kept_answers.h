// What requests with an Idempotency-Key were answered, so that the same request, made again, writes
// nothing and is answered as before.
//
// An answer is a record of the log (kAnswerRecord), written by the act of the request, so that
// after a crash it is there if and only if what the request wrote is: an act that was cut off is
// taken back (store/act.h), and its answer counts no more. A key is a token's own, and of no later
// token of its name. It counts for a day, and of one caller the newest 1,000 do; what is older may
// be done again. Several servers of one folder share keys, those of several machines what was
// answered alone. Thread-safety: every
// function from any thread. Ownership: shares the space; the clock outlives it. Complexity: the
// first use looks at the heads of a day's entries. Source:
// draft-ietf-httpapi-idempotency-key-header.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "serve/http/message.h"
#include "store/space.h"

namespace anima::serve::v1 {

// On disk, never renumber (docs/formats.md).
inline constexpr store::RecordKind kAnswerRecord{14};
// The source of the entries that tell of such answers.
inline constexpr std::string_view kAnswerSource = "idempotency key";
inline constexpr std::size_t kLongestKey = 255;

class KeptAnswers {
 public:
  KeptAnswers(std::shared_ptr<store::Space> space, Clock& clock)
      : space_(std::move(space)), clock_(clock) {}

  enum class State : std::uint8_t {
    kNew,    // nobody used it; it is the caller's until release()
    kSame,   // the request was answered: `answer`
    kOther,  // another request was answered under this key
    kRuns,   // a request with this key is being answered
  };
  struct Claim {
    State state = State::kNew;
    http::Response answer = {};
  };
  // `request`: what tells it from others, whole. Errors: those of reading the log.
  Result<Claim> claim(const http::Caller& caller, std::string_view key, std::string_view request);
  // What a request that was new is answered; on the thread, and in the act, of its writes. Errors:
  // those of the space.
  Status keep(const http::Caller& caller, std::string_view key, std::string_view request,
              const http::Response& answer);
  void release(const http::Caller& caller, std::string_view key);

 private:
  static constexpr std::size_t kMostOfCaller = 1000;

  struct Kept {
    store::Sequence entry = store::Sequence::kNone;
    std::string request;  // its hash
    Timestamp time;
  };
  struct OfCaller {
    std::map<std::string, Kept> kept;  // by the hash of the key
    std::deque<std::string> order;     // the oldest first
    // Each with its place in a file that the servers of a space share; none in memory.
    std::map<std::string, std::unique_ptr<FileLock>> running;
  };

  Result<std::unique_ptr<FileLock>> place_of(std::string_view caller, std::string_view key) const;
  Status catch_up();
  Status take_up(store::Sequence entry, Timestamp time);
  Result<Json> record(store::Sequence entry);
  void add(const std::string& caller, std::string key, Kept kept);

  std::shared_ptr<store::Space> space_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, OfCaller> callers_;
  store::Sequence seen_ = store::Sequence::kNone;
};

}  // namespace anima::serve::v1
