// EventJournal: what a bus told, kept in the log of a space and told again from any place of it.
//
//   EventJournal journal(*space, clock);
//   EventBus bus([&](const Event& event) { journal.add(event); });
//   ...
//   EventJournal::replay(*space, last_seen, [&](const KeptEvent& kept) { ...; return Status(); });
//
// add() collects; flush() writes what was collected as one entry, a record an event
// (RecordKind::kEvent), sealed under the key "events" where the space has a folder, since events
// carry what was said and read. 64 events, or a second after the first of them, make the next add()
// flush, and so does the end of the journal. A process that is killed loses what it had not
// flushed; decisions are records of their own and are never lost that way. While the log cannot be
// written the newest 1,000 are kept and all security events; how many others were dropped is told
// before those that are left (system:events_dropped). Events named audit:* are left out: their
// entry is in the log already.
//
// Thread-safety: from any thread. Ownership: space and clock outlive it. On disk: docs/formats.md.
// Source: DATA.md 10; governance specification 1.3.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "base/clock.h"
#include "bus/event_bus.h"
#include "store/space.h"

namespace anima::bus {

struct KeptEvent {
  store::Sequence entry = store::Sequence::kNone;  // where it lies; events of one entry in order
  Timestamp time;                                  // when it was emitted
  Event event;
};

// The author of the entries that hold events, in whose act they come.
inline constexpr std::string_view kEventAuthor = "bus";

class EventJournal {
 public:
  EventJournal(store::Space& space, Clock& clock) : space_(space), clock_(clock) {}
  ~EventJournal() { (void)flush(); }
  EventJournal(const EventJournal&) = delete;
  EventJournal& operator=(const EventJournal&) = delete;

  void add(const Event& event);
  // Durable when it returns. Errors: those of the space; what was collected stays collected.
  Status flush();

  // The events of the entries behind `after`, in log order; what was erased is left out. Stops at
  // the first error of `visit`. O(log behind `after`).
  static Status replay(store::Space& space, store::Sequence after,
                       const std::function<Status(const KeptEvent&)>& visit);
  // The same, going on behind what is damaged: `unreadable` is called in the place of an entry that
  // cannot be read, or of events that are sealed under a key that is not here.
  static Status replay(store::Space& space, store::Sequence after,
                       const std::function<Status(const KeptEvent&)>& visit,
                       const std::function<Status(store::Sequence, std::string why)>& unreadable);

 private:
  struct Waiting {
    Timestamp time;
    Event event;
  };
  Status write();
  void drop_one();

  store::Space& space_;
  Clock& clock_;
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
  std::int64_t waiting_since_ = 0;  // monotonic nanoseconds
  std::int64_t dropped_ = 0;        // since the last that was written
};

}  // namespace anima::bus
