// What a space can be asked: its types, attributes, predicates and values, counted from its
// statements.
//
// One Schema is of one snapshot and immutable. Thread-safety: any thread.
// Complexity: build() is O(statements).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ask/lexicon/words.h"
#include "memory/compartments.h"
#include "memory/reasoner.h"
#include "store/snapshot.h"

namespace anima::ask {

using TypeId = std::uint16_t;

// Types of things, sorted. An empty set fits nothing.
class TypeSet {
 public:
  TypeSet() = default;
  explicit TypeSet(std::vector<TypeId> sorted) : ids_(std::move(sorted)) {}
  static TypeSet of(TypeId id) { return TypeSet({id}); }
  bool empty() const { return ids_.empty(); }
  std::size_t size() const { return ids_.size(); }
  bool contains(TypeId id) const;
  void add(TypeId id);
  TypeSet both(const TypeSet& other) const;    // what is in this and in the other
  TypeSet either(const TypeSet& other) const;  // what is in one of them
  const std::vector<TypeId>& ids() const { return ids_; }
  bool operator==(const TypeSet&) const = default;

 private:
  std::vector<TypeId> ids_;
};

struct TypeInfo {
  std::string name;
  // The type of concepts, or a thing that others are linked to by `link`.
  store::EntityId id = store::EntityId::kNone;
  std::string link;       // predicate, "has_type"; empty for a type of concepts
  std::string link_type;  // the type of the thing `id`
  std::uint32_t members = 0;
  bool system = false;  // some of its concepts are Anima's own: "$self"
};

// What the values of an attribute are.
struct ValueCounts {
  std::uint32_t numbers = 0, years = 0, days = 0, flags = 0, texts = 0;  // a year is a number too
  std::uint32_t all() const { return numbers + days + flags + texts; }
};

struct AttributeInfo {
  std::string key;
  bool link = false;  // a predicate whose objects are named as numbers or dates
  std::map<TypeId, ValueCounts> types;
  std::uint32_t distinct_texts = 0;
  std::vector<std::string> words;
  std::string unit;  // the last word, where the pack knows it as a unit

  TypeSet type_set() const;
  bool measures(TypeId type) const;  // numbers
  bool dates(TypeId type) const;     // dates or years
  bool flags() const;
};

struct Signature {
  TypeId subject = 0, object = 0;
  std::uint32_t count = 0;
};

struct PredicateInfo {
  std::string name;
  std::optional<store::Predicate> link = {};  // none of a derived one
  bool derived = false;                       // by rules
  int closure_of = -1;      // the predicate whose closure the rules say that this is
  bool functional = false;  // no subject has two objects
  // Of a derived one that is no closure: what the rules say, sorted.
  std::vector<std::pair<store::EntityId, store::EntityId>> pairs;
  std::vector<Signature> signatures;
  std::vector<std::string> words;
  std::string preposition;  // the last word, where the pack knows it as one
  bool contains = false;    // X is a part of Y, or lies in it

  TypeSet subjects() const;
  TypeSet objects() const;
  // The types at the other end of what may start at these.
  TypeSet follow(const TypeSet& from, bool inverse) const;
};

// What rules say of single things: "stale(X) :- ..".
struct RuleSet {
  std::string name;
  std::vector<store::EntityId> members;  // sorted
  TypeSet types;
};

// A concept of the type `Word`, or an entry of [synonyms].
struct Synonym {
  std::string word;
  std::string means;  // "Host", "Type.attribute", "Book.genre=poetry", a predicate, a name
  bool inverse = false;
  std::string most;      // an attribute
  Json where;            // {type: "condition"}
  std::string language;  // empty: any
  bool trusted = true;
};

struct ValueEntry {
  int attribute = 0;
  std::string value;  // as stored
};

struct Schema {
  std::vector<TypeInfo> types;
  std::vector<AttributeInfo> attributes;
  std::vector<PredicateInfo> predicates;
  std::vector<Synonym> synonyms;
  std::vector<RuleSet> rule_sets;
  // Folded words of a value -> where it is one.
  std::unordered_map<std::string, std::vector<ValueEntry>> values;
  // Each entity's types, by its number; system things have none.
  std::vector<std::vector<TypeId>> types_of;

  static std::shared_ptr<const Schema> build(const store::Snapshot& snapshot,
                                             const std::vector<memory::RuleSource>& rules,
                                             const std::vector<Synonym>& synonyms, const Pack& pack,
                                             const memory::Reasoner* reasoner = nullptr);
  // Do the rules have heads that only running them tells?
  static bool needs_reasoner(const std::vector<memory::RuleSource>& rules);

  TypeSet all_types() const;
  int find_attribute(std::string_view key) const;
  int find_predicate(std::string_view name) const;
  std::optional<TypeId> find_type(std::string_view name) const;
  const std::vector<TypeId>& types_of_entity(store::EntityId entity) const;
};

}  // namespace anima::ask
