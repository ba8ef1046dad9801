// Counts a space's statements into a Schema, and keeps it current as statements come and go.
//
//   SchemaKeeper keeper(pack, rules, synonyms);
//   keeper.build(snapshot, reasoner);
//   if (!keeper.follow(older, newer, changed_statements(..), rule_changes, reasoner))
//   keeper.build(newer, ..);
//
// What follow() leaves is what build() makes of the newer snapshot, so the numbers of types,
// attributes and predicates stay. It says no where these would change: a type, a key or a predicate
// that is new or gone, or a predicate whose objects begin or cease to be numbers. Thread-safety:
// one thread. Ownership: holds the pack; snapshots are held by the caller during the call.
// Complexity: build() O(statements), follow() O(changed statements and those of things that get
// another type; words of the type Word when one of them changed).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ask/lexicon/pack.h"
#include "ask/lexicon/rule_heads.h"
#include "ask/lexicon/schema.h"
#include "ask/lexicon/statement_changes.h"
#include "memory/compartments/reasoner.h"
#include "store/snapshot.h"

namespace anima::ask {

// A thing that begins or ceases to be one that can be asked about, or gets other names.
struct NameChange {
  store::EntityId entity = store::EntityId::kNone;
  bool was = false, is = false;
};

class SchemaKeeper {
 public:
  SchemaKeeper(std::shared_ptr<const Pack> pack, const std::vector<memory::RuleSource>& rules,
               std::vector<Synonym> synonyms);

  // `reasoner` is at the same snapshot; null where the rules need none.
  void build(const store::Snapshot& snapshot, const memory::Reasoner* reasoner);
  // False: build() anew; nothing else may be asked of the keeper then.
  bool follow(const store::Snapshot& before, const store::Snapshot& now,
              const StatementChanges& changes, const std::vector<memory::RuleChange>& derived,
              const memory::Reasoner* reasoner);

  const Schema& schema() const { return *schema_; }
  // Of the last follow(): whose names changed, and whether other words mean something now.
  const std::vector<NameChange>& renamed() const { return renamed_; }
  bool words_changed() const { return words_changed_; }

 private:
  // A predicate of links.
  struct Relation {
    enum class Kind : std::uint8_t { kTypes, kLeftOut, kValues, kThings };
    Kind kind = Kind::kThings;
    std::uint64_t rows = 0;
    std::uint64_t things = 0;  // rows whose objects do not read as values
    std::uint64_t forks = 0;   // subjects with several objects
    int index = -1;            // among the schema's attributes or predicates
  };
  // What one follow() has to look at again.
  struct Touched {
    std::vector<store::EntityId> suspects;  // whose types may have changed
    std::vector<store::EntityId> aliased;   // whose other names changed
    std::vector<store::Triple> statements;  // to be counted again
    std::set<store::Predicate> relations;
    std::set<std::pair<store::EntityId, store::Predicate>> forks;
    std::set<int> attributes;
    std::vector<std::pair<store::EntityId, std::vector<TypeId>>> moved;  // and their new types
    bool known_before = false;  // one of these was there before and still is
  };

  // --- building
  void read_types(const store::Snapshot& snapshot);
  void read_relation(const store::Snapshot& snapshot, store::Predicate predicate);
  void read_type_link(const store::Snapshot& snapshot, store::Predicate predicate,
                      const std::string& label);
  void read_members(const store::Snapshot& snapshot);
  void count_links(const store::Snapshot& snapshot);
  void count_attributes(const store::Snapshot& snapshot);
  void read_words(const store::Snapshot& snapshot);
  void count_lists(const store::Snapshot& snapshot, store::Predicate predicate, int attribute);
  static void count_signature(std::vector<Signature>& list, TypeId subject, TypeId object,
                              int step);
  AttributeInfo& new_attribute(const std::string& key);
  PredicateInfo& new_predicate(const std::string& label);

  // --- what a thing is
  std::optional<TypeId> declared_type(const store::Snapshot& snapshot,
                                      store::EntityId entity) const;
  std::optional<TypeId> linked_type(store::Predicate predicate, store::EntityId object) const;
  std::vector<TypeId> types_in(const store::Snapshot& snapshot, store::EntityId entity);
  void set_types(store::EntityId entity, const std::vector<TypeId>& types);

  // --- counting; false: the schema has no place for it
  bool count(const store::Snapshot& snapshot, const store::Triple& triple, int step);
  bool count_attribute(const store::Snapshot& snapshot, const store::Triple& triple, int step);
  void count_text(int attribute, std::string_view text, int step);

  // --- following
  bool note_type_row(const store::Snapshot& snapshot, const StatementChanges::One& change,
                     Touched& touched);
  bool note_link(const store::Snapshot& snapshot, const StatementChanges::One& change,
                 Touched& touched);
  bool move_things(const store::Snapshot& before, const store::Snapshot& now, Touched& touched);
  bool recount(const store::Snapshot& before, const store::Snapshot& now, Touched& touched);
  bool in_shape(const Touched& touched) const;
  void count_forks(const store::Snapshot& before, const store::Snapshot& now,
                   const Touched& touched);
  bool touches_words(const store::Snapshot& before, const store::Snapshot& now,
                     const StatementChanges& changes) const;
  std::vector<std::pair<bool, bool>> shapes(const Touched& touched) const;

  // --- rules (schema_rules.cc)
  void read_rules(const store::Snapshot& snapshot, const memory::Reasoner* reasoner);
  void read_rule(const RuleHead& head, const store::Snapshot& snapshot,
                 const memory::Reasoner* reasoner);
  void read_pairs(PredicateInfo& info, const store::Snapshot& snapshot,
                  const memory::Reasoner& reasoner);
  bool read_rule_set(RuleSet& set, const store::Snapshot& snapshot,
                     const memory::Reasoner& reasoner);
  void sign_pairs(PredicateInfo& info) const;
  void type_members(RuleSet& set) const;
  void close_signatures(PredicateInfo& info) const;
  store::EntityId thing_called(const store::Snapshot& snapshot, const std::string& name) const;
  static std::vector<store::EntityId> once_called(const store::Snapshot& snapshot,
                                                  const std::string& name);
  bool rows_mean_others(const store::Snapshot& before, const store::Snapshot& now,
                        const Touched& touched) const;
  void follow_pairs(PredicateInfo& info, const store::Snapshot& before, const store::Snapshot& now,
                    const memory::RuleChange* change);
  void follow_members(RuleSet& set, const store::Snapshot& before, const store::Snapshot& now,
                      const memory::RuleChange* change);
  bool follow_rules(const store::Snapshot& before, const store::Snapshot& now,
                    const std::vector<memory::RuleChange>& derived, const Touched& touched,
                    const memory::Reasoner* reasoner);

  std::shared_ptr<const Pack> pack_;
  std::vector<RuleHead> heads_;
  std::vector<Synonym> declared_;  // by packs, beside those of the space
  std::shared_ptr<Schema> schema_;
  std::map<store::Predicate, Relation> relations_;
  std::map<store::Predicate, int> attributes_;
  std::unordered_map<std::uint32_t, TypeId> type_concepts_;  // by the entity of the type
  std::map<std::pair<store::Predicate, store::EntityId>, TypeId> linked_types_;
  std::vector<std::int64_t> members_, system_members_;       // by type
  std::unordered_map<std::uint32_t, std::uint32_t> linked_;  // uses as a type
  std::unordered_map<std::uint32_t, std::uint32_t> values_;  // uses as the name of a value
  std::optional<TypeId> untyped_;
  std::set<TypeId> unnamed_when_empty_;  // Person, and what the snapshot's scope does not define
  std::int64_t untyped_members_ = 0;
  std::vector<NameChange> renamed_;
  bool words_changed_ = false;
};

}  // namespace anima::ask
