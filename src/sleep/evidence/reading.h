// What the phases ask of one state of the memory: names, domains, trust, and what sleep must leave
// alone. Thread-safety: one thread; lives no longer than its snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "store/snapshot.h"

namespace anima::sleep::detail {

using store::EntityId;
using store::Predicate;
using store::Snapshot;
using store::Term;
using store::Trust;

class Reading {
 public:
  explicit Reading(Snapshot snapshot);

  const Snapshot& snapshot() const { return snapshot_; }
  // kNone where it is not there.
  EntityId type(std::string_view name) const;
  EntityId domain(std::string_view name) const;
  std::optional<Predicate> link(std::string_view name) const;
  EntityId event_type() const { return event_; }
  EntityId domain_type() const { return domain_; }
  EntityId unsorted() const { return unsorted_; }
  EntityId archived() const { return archived_; }
  EntityId core() const { return core_; }

  bool is_concept(EntityId entity) const;    // that exists
  bool is_link(EntityId entity) const;       // that exists
  std::string title(EntityId entity) const;  // Person "Ada"; for a link its three parts
  std::string id(EntityId entity) const;     // C:12, P:12
  std::string text(EntityId entity, std::string_view key) const;  // empty: none, or no string
  std::string metadata_text(EntityId entity, std::string_view key) const;
  std::optional<Timestamp> time(EntityId entity, std::string_view key) const;  // of an attribute

  std::vector<EntityId> domains_of(EntityId entity) const;
  std::int64_t members_of(EntityId domain) const;
  // A shelf of the memory itself: Unsorted, Archived, CoreSchema.
  bool is_special_domain(EntityId entity) const;
  // Types, predicates, CoreSchema with what it holds, $self and $system (001, Protected Entities).
  bool is_protected(EntityId entity) const;
  bool is_definition(EntityId entity) const;
  // Somebody has looked at it and vouches for it (store/fading.h).
  bool is_reviewed(EntityId entity) const;
  // One that other graphs (a compartment) state too: not sleep's to change.
  bool is_shared(EntityId entity) const;
  // One that a compartment brought. What people told in talk is of the space itself.
  bool is_brought(EntityId entity) const;
  // Needs a domain and has none.
  bool is_orphan(EntityId entity) const;
  bool is_waiting_event(EntityId entity) const;  // an Event that is consolidated to nothing yet
  // Of an event: its start, else when it entered the log.
  Timestamp began(EntityId event) const;
  // belongs_to_domain, mentions, derived_from ..: how the memory is kept, not what it claims.
  bool is_bookkeeping(Predicate predicate) const;
  // The least trusted of those whose best statement of it counts.
  Trust trust(EntityId entity) const;
  // Whether a value of the item, or of its type, counts as evidence of what it is: on the word of
  // somebody who is trusted as far as whoever says that the item exists.
  bool is_evidence(const store::Triple& value, EntityId item) const;
  double confidence(EntityId link) const;

 private:
  store::Triple existence(EntityId entity) const;

  Snapshot snapshot_;
  EntityId event_, domain_, person_, task_, unsorted_, archived_, core_;
  std::optional<Predicate> in_domain_, consolidated_to_;
  std::vector<Predicate> bookkeeping_;  // sorted
};

}  // namespace anima::sleep::detail
