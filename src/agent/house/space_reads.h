// What a space holds, as JSON: what is stated of a thing, what happened to it, what changed since a
// moment, and the sizes. What `anima history`, `anima changes`, `anima stats` and the routes of
// `anima serve` answer with.
//
// Of the knowledge alone: Anima's own books are left out. Thread-safety: functions without state.
// Errors: those of reading the space; kNotFound and kInvalidArgument of names that mean nothing or
// several things.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/json/json.h"
#include "base/result.h"
#include "store/history.h"
#include "store/snapshot.h"
#include "store/space.h"

namespace anima::agent {

// One entry of the history of a thing, with what its statements say in words.
struct HistoryEntry {
  store::Sequence sequence = store::Sequence::kNone, act = store::Sequence::kNone;
  store::EntryInfo info;  // valid as long as the snapshot
  std::vector<std::string> added, removed;
  bool compacted = false;  // what it changed may be gone
};
struct EntityHistory {
  store::EntityId entity = store::EntityId::kNone;
  std::vector<HistoryEntry> entries;  // ascending
};
// `name`: "C:12", or a name. The newest `most` entries. With it: when its links began and ended.
// O(versions of its statements, and of the times of its links).
Result<EntityHistory> entity_history(const store::Snapshot& snapshot, std::string_view name,
                                     std::size_t most);
// {"entity","name","entries":[{"sequence","time","author","source","trust","act","added",..}]}
Json history_json(const store::Snapshot& snapshot, const EntityHistory& history);

// What is stated of a thing, and the links to it: each statement with who states it best.
// {"entity","name","type","facts":[{"subject","predicate","object","subject_id","object_id","author",
// "source","trust",..}],"left_out"}; a value has no `object_id`; `rule_text` is the fact as rules
// write it. What several state says so: "stated_by", the most trusted first. A link that took
// another's place, or has an end, says `valid_from` and `valid_to`. At most `most` facts. O(its
// statements).
Result<Json> facts_about(const store::Snapshot& snapshot, std::string_view name, std::size_t most);

// The type of things that is called so. Errors: kNotFound, with names that are near.
Result<store::EntityId> type_called(const store::Snapshot& snapshot, std::string_view name);

struct ThingsAsked {
  std::string_view query, type;           // empty: all
  std::optional<store::EntityId> before;  // those that are older, without a query
  std::size_t most = 50;
};
// Concepts by words of their names, attributes and metadata, the best first; without words the
// newest first: {"things":[{"id","type","name"}],"next_cursor"}. Errors: kNotFound (no such type).
// O(hits), without words O(concepts of the type).
Result<Json> things_found(const store::Snapshot& snapshot, const ThingsAsked& asked);

// {"since","now","added","removed","added_count","removed_count","unread","upkeep"}; at most `most`
// of what came, and of what went.
Json changes_json(const store::ChangeWords& change, store::Sequence since, store::Sequence now,
                  std::size_t most);

Json stats_json(const store::SpaceStats& stats);

}  // namespace anima::agent
