// What a cycle looks at: the concepts and links that changed since the last whole cycle, and those
// that this one changes as it goes. Thread-safety: one thread.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sleep/evidence/reading.h"
#include "store/space.h"

namespace anima::sleep::detail {

class WorkSet {
 public:
  // Everything that is there: the first cycle of a space, or one that cannot know what changed.
  static WorkSet everything(const Snapshot& snapshot);
  static WorkSet nothing() { return {}; }

  bool is_everything() const { return everything_; }
  bool empty() const { return concepts_.empty() && links_.empty(); }
  // Marks what a key belongs to, and both ends of a link.
  void add_written(const Snapshot& snapshot, const store::WrittenKey& key);
  void add(const Snapshot& snapshot, EntityId entity);
  void add_all(const WorkSet& other);
  void take_out(const WorkSet& other);
  const std::set<EntityId>& concepts() const { return concepts_; }
  const std::set<EntityId>& links() const { return links_; }

 private:
  bool everything_ = false;
  std::set<EntityId> concepts_, links_;
};

// The source of the entries of a cycle: "sleep cycle 12, phase 6, 35 changes".
std::string entry_source(std::uint64_t cycle, int phase, std::size_t changes);
struct EntrySource {
  std::uint64_t cycle = 0;
  int phase = 0;
  std::size_t changes = 0;
};
// Nullopt for an entry of anybody else.
std::optional<EntrySource> parse_entry_source(const store::EntryInfo& entry);

// The source of an undo by number of cycles begins so.
inline constexpr std::string_view kUndoSource = "sleep undo of cycle ";

// What entries after `after`, up to `last`, wrote, but those whose source `skip` says to pass over.
// An entry that was erased or sealed makes everything be looked at. O(entries and what they wrote).
Result<WorkSet> written_since(store::Space& space, const Snapshot& now, store::Sequence after,
                              store::Sequence last,
                              const std::function<bool(const store::EntryInfo&)>& skip);

}  // namespace anima::sleep::detail
