// One state of a space as values: what its entities and literals are called, and which terms a
// value stands for.
//
// A concept is the string of its name; when an older concept bears the same name, asserted or not,
// it is "Type:name", and where an older one is called that too, the name /concept/N. So what a
// concept is called depends on older ones only and never changes: what comes later can take no
// name from what was there. The exceptions are kept beside each state. A value may stand for
// several terms (a concept and the string of its name); a row is there when any of its statements
// is.
// Thread-safety: immutable.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "datalog/space/space_terms.h"
#include "store/snapshot.h"

namespace anima::datalog {

using store::EntityId;

// Concepts that are not what the names of the asserted ones say: those with a longer name, and
// those that nobody asserts.
struct SpaceLabels {
  std::unordered_map<std::uint32_t, Code> special;             // by entity
  std::vector<std::uint64_t> bits;                             // entity: in `special`
  std::unordered_map<Code, std::vector<EntityId>> by_code;     // of `special`, sorted
  std::unordered_map<Code, std::vector<EntityId>> unasserted;  // by the term of their name, sorted

  bool is_special(EntityId entity) const {
    const auto id = static_cast<std::uint32_t>(entity);
    return id / 64 < bits.size() && (bits[id / 64] >> (id % 64) & 1) != 0;
  }
  void set(EntityId entity, Code code);
  void clear(EntityId entity);
};

// The predicates of links, by the name that rules have for them.
struct SpaceLinks {
  std::map<std::string, std::vector<store::Predicate>> by_name;  // predicates sorted
  std::vector<std::uint32_t> known;                              // every one, sorted
  std::vector<std::uint32_t> hidden;  // the agent's own books, which rules do not see; sorted

  bool is_hidden(store::Predicate predicate) const;
};

struct SpaceState {
  store::Snapshot snapshot;
  std::shared_ptr<SpaceTerms> terms;
  std::shared_ptr<ValueTable> values;
  std::shared_ptr<const SpaceLabels> labels;
  std::shared_ptr<const SpaceLinks> links;
  std::map<store::GraphId, Code> graphs;

  // The first state. O(literals + concepts).
  static std::shared_ptr<const SpaceState> first(const store::Snapshot& snapshot,
                                                 std::shared_ptr<SpaceTerms> terms,
                                                 std::shared_ptr<ValueTable> values);
  // The state of a newer snapshot, whose literals the terms know already. O(what was written).
  std::shared_ptr<const SpaceState> next(const store::Snapshot& newer,
                                         std::span<const store::WrittenKey> written) const;

  Code entity(EntityId id) const;
  Code term(store::Term term) const {
    return term.is_entity() ? entity(term.as_entity()) : terms->literal(term);
  }
  Code name_of(EntityId concept_id) const {  // its name, not what it is called
    return terms->literal(snapshot.name_term(concept_id));
  }
  // Appends the entities of a value: the one that has it as its plain name first.
  void entities_of(Code code, std::vector<EntityId>& out, store::Scratch& scratch) const;
  // Appends the concepts, asserted or not, whose name is this string.
  void named(Code code, std::vector<EntityId>& out, store::Scratch& scratch) const;
  // What the concept is called that a string names to somebody who writes it now: by its plain name
  // or by its type and name, only among the asserted ones where one is asserted, types and
  // predicates last. The string itself where there is none. Errors: kInvalidArgument, with the
  // candidates, when there are several.
  Result<Code> meant_now(Code code) const;
  // The same for what was written before: the oldest of all that it may name, so that what was
  // asserted since changes nothing.
  Code lasting(Code code) const;
  // Is one of the concepts from this bound on named by one of these texts "Type:name"?
  bool has_new(const std::unordered_set<std::string>& texts, std::uint32_t from) const;
  // Is some entity called so?
  bool is_called(Code code) const;
  bool has_unsure_label(store::Term term) const {
    return term.is_entity() && labels->is_special(term.as_entity());
  }

 private:
  std::string qualified(EntityId entity) const;
  void named(Code code, const SpaceLabels& known, std::vector<EntityId>& out,
             store::Scratch& scratch) const;
  void typed(std::string_view text, std::vector<EntityId>& out) const;
  EntityId plain_owner(Code name, const SpaceLabels& known) const;
  bool is_free(Code code, EntityId entity, const SpaceLabels& known) const;
  bool may_be_plain(EntityId entity, const SpaceLabels& known) const;
  void label(EntityId entity, SpaceLabels& labels, std::set<EntityId>& displaced) const;
  std::shared_ptr<const SpaceLabels> all_labels() const;
  std::shared_ptr<const SpaceLinks> all_links() const;
  void take_graphs();
};

// The name of a predicate for rules: other characters than letters, digits and `_` become `_`, and
// it starts with a small letter.
std::string predicate_name(std::string_view label);

}  // namespace anima::datalog
