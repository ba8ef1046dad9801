// The calls of the KIP tools, kept in the space's own log, for list_logs.
//
// A call is a record (RecordKind::kCall) with a JSON object, sealed under the key "mcp-calls", so
// that what was said can be erased without touching what was learnt. Calls that only read wait in
// memory and are written together: 32 of them, a second's worth, or what there is at the end; a
// crash loses at most those. A space that cannot be written keeps the newest 1,000 in memory.
// Thread-safety: every function from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "base/json/json.h"
#include "base/result.h"
#include "kip/engine.h"

namespace anima::serve {

class CallLog {
 public:
  CallLog(std::shared_ptr<kip::Engine> engine, store::Origin origin, bool durable,
          std::shared_ptr<Clock> clock);
  ~CallLog();
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;

  // `call` is an object without `_id`. A response of more than 256 KiB is replaced by its size, and
  // so is what nests too deep to be read again.
  // `now`: written at once, with what waits.
  void add(Json call, bool now);

  struct Page {
    JsonArray calls;        // newest first, each with its `_id`
    std::int64_t next = 0;  // give it as `before` for the following page; 0 = there is none
  };
  // The newest `limit` calls of any process whose id is below `before` (0 = no bound), at least one
  // and otherwise no more than `bytes` of JSON. Reads the log backwards until the page is full.
  // Errors: those of the log.
  Result<Page> page(std::size_t limit, std::int64_t before, std::uint64_t bytes);

 private:
  void flush();                                    // with mutex_ held
  Result<JsonArray> stored(store::Sequence after,  // with ids, oldest first
                           store::Sequence last);

  std::shared_ptr<kip::Engine> engine_;
  const store::Origin origin_;
  const bool durable_;
  std::shared_ptr<Clock> clock_;
  std::mutex mutex_;
  std::deque<Json> waiting_;  // oldest first
  std::int64_t waiting_since_ = 0;
  std::int64_t dropped_ = 0;  // how many fell off the front of waiting_
};

}  // namespace anima::serve
