// Reading a log past what is damaged in it: for listings, which show an entry that cannot be read
// as that, and then the rest. What a state or a proof rests on is never read so.
#pragma once

#include <functional>

#include "store/log.h"
#include "store/space.h"

namespace anima::store {

// Calls `visit` for each entry from `first` on that can be read, and `unreadable` in the place of
// each that cannot. Where the newest one cannot, the log ends at the newest entry that somebody was
// told is durable. Errors: those of the functions, and of Log::read() but kCorrupt.
Status read_around_damage(Log& log, Sequence first,
                          const std::function<Status(const LogEntry&)>& visit,
                          const std::function<Status(Sequence, const Error&)>& unreadable);

// The entry with its payload opened, as Space::changes() gives it: empty when the key was destroyed
// or is not here.
Result<LogEntry> opened(Space& space, LogEntry entry);

// Whether it says that records are attached to it, whether or not they are still there.
bool tells_of_attachment(const LogEntry& entry);

// The newest entry, also where it cannot be read.
Result<Sequence> last_entry(Log& log);

}  // namespace anima::store
