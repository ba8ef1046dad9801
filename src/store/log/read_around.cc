#include "store/read_around.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/log/attachment.h"
#include "store/log/sealed.h"

namespace anima::store {

Result<Sequence> last_entry(Log& log) {
  const Sequence acknowledged = log.acknowledged();  // before the log: it only grows
  const Result<Head> head = log.head();
  if (head) return head->sequence;
  if (head.error().code == ErrorCode::kCorrupt && acknowledged != Sequence::kNone)
    return acknowledged;
  return fail(head.error());
}

Status read_around_damage(Log& log, Sequence first,
                          const std::function<Status(const LogEntry&)>& visit,
                          const std::function<Status(Sequence, const Error&)>& unreadable) {
  ANIMA_ASSIGN(const Sequence last, last_entry(log));
  const auto after = [](Sequence one) { return Sequence{static_cast<std::uint64_t>(one) + 1}; };
  Sequence next = std::max(first, Sequence{1});
  while (next <= last) {
    bool refused = false;
    const Status read = log.read(next, [&](const LogEntry& entry) -> Status {
      next = after(entry.sequence);
      Status visited = visit(entry);
      refused = !visited;
      return visited;
    });
    if (read || refused || read.error().code != ErrorCode::kCorrupt) return read;
    ANIMA_TRY(unreadable(next, read.error()));
    // A reading begins with the entry before, which this one is behind.
    for (bool whole = false; !whole && (next = after(next)) <= last;) {
      const Result<LogEntry> entry = log.entry(next);
      whole = entry.has_value();
      const bool is_damage = !entry && (entry.error().code == ErrorCode::kCorrupt ||
                                        entry.error().code == ErrorCode::kNotFound);
      if (!entry && !is_damage) return fail(entry.error());
      ANIMA_TRY(whole ? visit(*entry) : unreadable(next, entry.error()));
    }
    next = after(next);
  }
  return {};
}

bool tells_of_attachment(const LogEntry& entry) { return detail::has_attachment(entry); }

Result<LogEntry> opened(Space& space, LogEntry entry) {
  if (entry.seal.empty()) return entry;
  ANIMA_ASSIGN(const std::string_view sealed, detail::sealed_part(entry));
  ANIMA_ASSIGN(UnsealedText text, space.unseal({entry.seal, std::string(sealed)}));
  entry.payload = std::move(text.text);
  return entry;
}

}  // namespace anima::store
