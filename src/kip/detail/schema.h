// Names, ids and what is protected, as one snapshot sees them. Thread-safety: one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kip/fault.h"
#include "kip/syntax.h"
#include "store/snapshot.h"

namespace anima::kip::detail {

using store::EntityId;
using store::Snapshot;
using store::Term;

inline std::uint32_t code_of(EntityId id) { return static_cast<std::uint32_t>(id); }

// "C:12" or "P:12"; what the store's id is, whatever kind it has.
std::string id_text(const Snapshot& snapshot, EntityId entity);
// Accepts "C:12", "P:12", "P:12:treats" and "sym:12"; nullopt for everything else.
std::optional<EntityId> parse_id(std::string_view text);

// A defined concept type or predicate, else KIP_2001 with near names.
Outcome<EntityId> require_type(const Snapshot& snapshot, std::string_view name, Place place);
Outcome<EntityId> require_predicate(const Snapshot& snapshot, std::string_view name, Place place);
// An existing concept or link by its id, else KIP_3002.
Outcome<EntityId> require_id(const Snapshot& snapshot, std::string_view id, Place place);
Unexpected<Fault> no_such_concept(const Snapshot& snapshot, EntityId type,
                                  std::string_view type_name, std::string_view name, Place place);

std::vector<std::string> defined_names(const Snapshot& snapshot, EntityId of_type);  // sorted

// The concepts that KIP never deletes, and whose definitions it never changes.
bool is_protected(const Snapshot& snapshot, EntityId entity);  // never deleted
bool is_schema_node(const Snapshot& snapshot,
                    EntityId entity);  // attributes and metadata are fixed as well
// An entry of Anima's own books (store/own_graphs.h): a memory, an agent's goal, a loaded
// compartment.
bool is_kept(const Snapshot& snapshot, EntityId entity);
Unexpected<Fault> kept_elsewhere(const Snapshot& snapshot, EntityId entity, Place place);
bool is_fixed_attribute(const Snapshot& snapshot, EntityId entity, std::string_view key);

// How often a concept or link was changed: its `_version`; 0 = not there.
std::int64_t version_of(const Snapshot& snapshot, EntityId entity);

}  // namespace anima::kip::detail
