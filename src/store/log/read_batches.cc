#include "store/log/read_batches.h"

#include <algorithm>
#include <future>
#include <utility>

#include "store/log/entry_codec.h"

namespace anima::store::detail {

Status read_in_batches(Sequence first,
                       const std::function<Result<ReadBatch>(Sequence first)>& read_batch,
                       const std::function<Status(const LogEntry&)>& visit) {
  first = std::max(first, Sequence{1});
  // Begins with the entry before, to which the first one must be chained.
  Sequence next{std::max(to_number(first) - 1, std::uint64_t{1})};
  Digest previous{};
  Result<ReadBatch> batch = read_batch(next);
  while (true) {
    if (!batch) return fail(std::move(batch).error());
    const Sequence after{to_number(next) + batch->entries.size()};
    std::future<Result<ReadBatch>> following;
    if (batch->full) {
      following = std::async(std::launch::async, [&, after] { return read_batch(after); });
    }
    for (const LogEntry& entry : batch->entries) {
      if (next >= first) {
        if (entry.previous != previous) {
          return fail(ErrorCode::kCorrupt, "it is not chained to the entry before it",
                      entry_place(next));
        }
        ANIMA_TRY(visit(entry));
      }
      previous = entry.hash;
      next = Sequence{to_number(next) + 1};
    }
    if (batch->damage) return fail(std::move(*batch->damage));
    if (!batch->full) return {};
    batch = following.get();
  }
}

}  // namespace anima::store::detail
