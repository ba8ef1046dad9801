// What a space can be asked: its types, attributes, predicates and values, counted from its
// statements.
//
// Plain values; who fills them and keeps them current is a SchemaKeeper (schema_keeper.h).
// Thread-safety: any thread may read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ask/lexicon/words.h"
#include "base/json/json.h"
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
  bool system = false;    // some of its concepts are Anima's own: "$self"
};

// What the values of an attribute are.
struct ValueCounts {
  std::uint32_t numbers = 0, years = 0, days = 0, flags = 0, texts = 0;  // a year is a number too
  std::uint32_t clocks = 0;                // days with a time of day, in UTC
  std::uint32_t zeros = 0, negatives = 0;  // among the numbers
  std::uint32_t all() const { return numbers + days + flags + texts; }
};

struct AttributeInfo {
  std::string key;
  bool link = false;  // a predicate whose objects are named as numbers or dates
  std::map<TypeId, ValueCounts> types;
  std::vector<std::string> words;
  std::string unit;         // the last word, where the pack knows it as a unit
  bool measure = false;     // its name says that no number of it is a year: a unit, "price"
  std::uint64_t lists = 0;  // things with several values
  // Texts with a sign that may part several values, and how many things have each.
  std::map<std::string, std::uint32_t, std::less<>> separated;

  TypeSet type_set() const;
  bool measures(TypeId type) const;  // numbers
  bool dates(TypeId type) const;     // dates or years
  bool dates() const;                // of all types
  bool clocks(TypeId type) const;    // dates that have a time of day
  bool flags() const;
  bool counts_from_zero() const;  // 0 is among its numbers, and nothing below it
  bool falls_below_zero() const;  // numbers, some of which are below 0
  bool numeric() const;           // it measures or dates things of some type
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
  bool operator==(const Synonym&) const = default;
};

struct ValueEntry {
  int attribute = 0;
  std::uint32_t uses = 0;  // statements that say it
  std::string value;       // as stored
};

// The types of every entity. Sets are kept once, so an entity costs four bytes.
class EntityTypes {
 public:
  const std::vector<TypeId>& of(store::EntityId entity) const;  // sorted
  void set(store::EntityId entity, const std::vector<TypeId>& types);
  // Calls `visit` with each entity that has a type.
  void each(const std::function<void(store::EntityId)>& visit) const;

 private:
  std::vector<std::uint32_t> set_of_;
  std::vector<std::vector<TypeId>> sets_{{}};
  std::map<std::vector<TypeId>, std::uint32_t> known_{{{}, 0}};
};

struct Schema {
  std::vector<TypeInfo> types;
  std::vector<AttributeInfo> attributes;
  std::vector<PredicateInfo> predicates;
  std::vector<Synonym> synonyms;
  std::vector<RuleSet> rule_sets;
  // Folded words of a value -> where it is one, sorted by attribute and value.
  std::unordered_map<std::string, std::vector<ValueEntry>> values;
  EntityTypes types_of;  // system things have none

  TypeSet all_types() const;
  int find_attribute(std::string_view key) const;
  int find_predicate(std::string_view name) const;
  std::optional<TypeId> find_type(std::string_view name) const;
  const std::vector<TypeId>& types_of_entity(store::EntityId entity) const {
    return types_of.of(entity);
  }
};

}  // namespace anima::ask
