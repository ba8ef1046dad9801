// The typed identifiers of the store, and the two 32-bit codes that everything above computes with.
//
// Term: any value in object position. The top two bits are the tag (on disk, never renumber):
//   00 entity: a concept or a proposition (EntityId), 1 .. 2^30-1
//   01 small integer: 30-bit two's complement, the value itself
//   10 literal: a place in the dictionary; distinct terms have distinct places
//   11 overlay: never stored; structures that a reader (Datalog) makes for itself
// Predicate: a link predicate (the EntityId of its $PropositionType concept, tag 00), a structural
// predicate (tag 01), an attribute key (tag 10: the dictionary place of the key) or a metadata key
// (tag 11: the dictionary place of the key). So links, attributes and metadata of one subject are
// three contiguous ranges of the SPO order, and an open link pattern never meets an attribute.
// Thread-safety: plain values.
#pragma once

#include <compare>
#include <cstdint>

namespace anima::store {

enum class EntityId : std::uint32_t { kNone = 0 };    // never reused
enum class GraphId : std::uint32_t { kDefault = 0 };  // one per named graph, never reused
enum class Sequence : std::uint64_t { kNone = 0 };  // place of an entry in the log; the first is 1

inline constexpr std::uint32_t kTagShift = 30;
inline constexpr std::uint32_t kPayloadMask = (1u << kTagShift) - 1;
enum class Tag : std::uint8_t { kEntity = 0, kInteger = 1, kLiteral = 2, kOverlay = 3 };

struct Term {
  std::uint32_t code = 0;  // 0 is no term

  static constexpr Term entity(EntityId id) { return {static_cast<std::uint32_t>(id)}; }
  static constexpr Term literal(std::uint32_t place) { return {(2u << kTagShift) | place}; }
  static constexpr bool fits_integer(std::int64_t value) {
    return value >= -(std::int64_t{1} << 29) && value < (std::int64_t{1} << 29);
  }
  static constexpr Term integer(std::int64_t value) {  // requires fits_integer(value)
    return {(1u << kTagShift) | (static_cast<std::uint32_t>(value) & kPayloadMask)};
  }

  constexpr Tag tag() const { return static_cast<Tag>(code >> kTagShift); }
  constexpr bool is_entity() const { return tag() == Tag::kEntity && code != 0; }
  constexpr EntityId as_entity() const { return static_cast<EntityId>(code); }
  constexpr std::int64_t as_integer() const { return static_cast<std::int32_t>(code << 2) >> 2; }
  constexpr std::uint32_t place() const { return code & kPayloadMask; }
  auto operator<=>(const Term&) const = default;
};

enum class PredicateClass : std::uint8_t {
  kLink = 0,
  kStructural = 1,
  kAttribute = 2,
  kMetadata = 3
};

struct Predicate {
  std::uint32_t code = 0;  // 0 is no predicate

  static constexpr Predicate link(EntityId proposition_type) {
    return {static_cast<std::uint32_t>(proposition_type)};
  }
  static constexpr Predicate attribute(Term key) { return {(2u << kTagShift) | key.place()}; }
  static constexpr Predicate metadata(Term key) { return {(3u << kTagShift) | key.place()}; }
  constexpr PredicateClass predicate_class() const {
    return static_cast<PredicateClass>(code >> kTagShift);
  }
  constexpr EntityId as_link() const { return static_cast<EntityId>(code); }
  constexpr Term key() const { return Term::literal(code & kPayloadMask); }
  auto operator<=>(const Predicate&) const = default;
};

// Structural predicates: (concept, kType, type concept) is the existence of a concept in a graph;
// (concept, kName, string) is its name. They are written only through the concept operations of
// Transaction.
inline constexpr Predicate kTypePredicate{(1u << kTagShift) | 1};
inline constexpr Predicate kNamePredicate{(1u << kTagShift) | 2};

// The concepts that every space holds from its first entry on.
inline constexpr EntityId kConceptType{1};      // {type: "$ConceptType", name: "$ConceptType"}
inline constexpr EntityId kPropositionType{2};  // {type: "$ConceptType", name: "$PropositionType"}
inline constexpr EntityId kEntityType{
    3};  // {type: "$ConceptType", name: "Entity"}: an untyped thing

struct Triple {
  EntityId subject = EntityId::kNone;
  Predicate predicate;
  Term object;
  auto operator<=>(const Triple&) const = default;
};

// What one write replaces: the unit of undo and of the change feed. `object` is set for links and
// for a concept's existence (kTypePredicate); attribute and metadata keys are written with all
// their values, so it is empty.
struct WrittenKey {
  GraphId graph = GraphId::kDefault;
  EntityId subject = EntityId::kNone;
  Predicate predicate;
  Term object;
  auto operator<=>(const WrittenKey&) const = default;
};

// How far the origin of an entry is trusted; ordered. On disk, never renumber.
// (governance_and_runtime.md 1.1)
enum class Trust : std::uint8_t {
  kHostile = 0,
  kUntrusted = 1,
  kStandard = 2,
  kVerified = 3,
  kOperator = 4,
  kSystem = 5,
};

}  // namespace anima::store
