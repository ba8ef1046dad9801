// Snapshot: the whole knowledge of a space at one sequence number, immutable.
//
// A snapshot is a shared base (memory-mapped sorted columns) plus the delta of later transactions
// up to its sequence. Copying one is copying a pointer, and reading one waits for no writer.
// Everything is read at statement level: a statement is a distinct triple that at least one graph
// of the snapshot's scope asserts; assertions() lists who asserts it. The default scope is the
// knowledge: every graph but Anima's own books (own_graphs.h). with_books() widens it to these too,
// in_graphs() narrows it to the graphs that are named. Thread-safety: a Snapshot may be read from
// any number of threads; a Cursor or Scratch belongs to one. Lifetime: views and spans returned
// live as long as the Snapshot (spans also until the Scratch is used again). Source: DATA.md
// (decisions of the data model), kept in docs/architecture.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/value.h"

namespace anima::store {

namespace detail {
struct SnapshotState;
struct CursorState;
}  // namespace detail

// One graph's statement of a triple.
struct Assertion {
  GraphId graph = GraphId::kDefault;
  double confidence = 1.0;       // 0 .. 1
  std::uint64_t provenance = 0;  // a provenance record of the room `memory`; 0 = none
  Sequence born =
      Sequence::kNone;  // the log entry that asserted it: author, source, trust and time are its
  Sequence died = Sequence::kNone;  // kNone while asserted
};

// Author, source, trust and time of a log entry, kept beside the facts so that _author, _source,
// _trust need no log read.
struct EntryInfo {
  Sequence sequence = Sequence::kNone;
  Timestamp time;
  Trust trust = Trust::kUntrusted;
  std::string_view author;
  std::string_view source;
};

enum class EntityKind : std::uint8_t { kNone, kConcept, kProposition };

// Unset members match anything. `predicate_class` restricts an unset predicate (links unless said
// otherwise).
struct Pattern {
  std::optional<EntityId> subject;
  std::optional<Predicate> predicate;
  std::optional<Term> object;
  PredicateClass predicate_class = PredicateClass::kLink;
};

// Sort order of a scan; kAny lets the store take the cheapest for the pattern.
// kObjectSubjectPredicate is sorted on the spot, O(rows log rows); the others are read from an
// index.
enum class Order : std::uint8_t {
  kAny,
  kSubjectPredicateObject,
  kPredicateObjectSubject,
  kObjectSubjectPredicate,
  kObjectPredicateSubject,
};

// Room for rows that cannot be handed out as a view of the base. Reusable.
class Scratch {
 public:
  std::vector<std::uint32_t> words;
};

// The statements of one subject (others = objects) or one object (others = subjects): two columns
// of one length, sorted by (predicate, other).
struct Edges {
  std::span<const std::uint32_t> predicates;
  std::span<const std::uint32_t> others;
  std::size_t size() const { return others.size(); }
};

// Reads the statements that match a pattern, batch by batch.
class Cursor {
 public:
  explicit Cursor(std::unique_ptr<detail::CursorState> state);
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;
  ~Cursor();
  // Fills at most out.size() rows; 0 means the end.
  std::size_t next(std::span<Triple> out);

 private:
  std::unique_ptr<detail::CursorState> state_;  // null: nothing to read
};

// What a text search may ask (DATA.md 12; BM25, Unicode words and CJK bigrams).
struct TextQuery {
  std::string text;
  std::optional<EntityId> type;  // only concepts of this type
  bool propositions = false;     // search links instead of concepts
  bool prefix = true;            // the last word may be the start of a word
  bool fuzzy = true;             // one typo in words of four letters or more
  bool parts = true;             // of a whole ("bob@x.org"), also what has but parts of it
  std::size_t limit = 10;
};
struct TextHit {
  EntityId entity = EntityId::kNone;
  double score = 0;  // BM25, exact name first
};

// A concept by what is written for it.
struct ConceptName {
  EntityId type = EntityId::kNone;  // kNone matches nothing
  std::string_view name;
};

class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<const detail::SnapshotState> state);

  Sequence sequence() const;

  // --- values
  // ---------------------------------------------------------------------------------------------------
  // The code of a value, if the dictionary holds it (small integers always have one). O(1).
  std::optional<Term> find(const ValueView& value) const;
  std::optional<Term> find_string(std::string_view text) const;
  ValueView value(Term term) const;  // requires a term of this space
  // Equality by value, ranges and instants: three-way comparison of two terms in value order
  // (null < boolean < number < date-time < string < other); nullopt when they cannot be compared.
  std::optional<int> compare(Term a, Term b) const;
  std::uint32_t literal_bound() const;        // every literal's place is below it
  bool number(Term term, double* out) const;  // false when it is no number
  std::string display(Term term) const;       // for people: "C:12", strings quoted

  // --- entities
  // -------------------------------------------------------------------------------------------------
  EntityKind kind(EntityId entity) const;   // also of quoted ones
  bool exists(EntityId entity) const;       // asserted in the scope
  EntityId type_of(EntityId entity) const;  // of a concept
  Term name_term(EntityId entity) const;
  std::string_view name(EntityId entity) const;
  Triple triple_of(EntityId proposition) const;  // requires kProposition
  std::optional<EntityId> find_concept(EntityId type,
                                       std::string_view name) const;  // asserted in the scope
  // The same for many at once, kNone where there is none; requires as many results as names. Some
  // times faster than one by one where the space is larger than the processor's caches.
  void find_concepts(std::span<const ConceptName> names, std::span<EntityId> found) const;
  std::optional<EntityId> find_type(std::string_view name) const;  // a $ConceptType concept
  std::optional<EntityId> find_predicate(
      std::string_view name) const;                                    // a $PropositionType concept
  std::optional<EntityId> find_proposition(const Triple& link) const;  // asserted in the scope
  // The same of what is quoted, too: it has an id, and perhaps nobody in the scope asserts it.
  std::optional<EntityId> known_concept(EntityId type, std::string_view name) const;
  std::optional<EntityId> known_proposition(const Triple& link) const;
  // Starts fetching what finding or asserting this link will look at; changes nothing.
  void prefetch_link(const Triple& link) const;
  std::vector<EntityId> concepts_named(std::string_view name) const;  // any type, exact, sorted
  std::vector<EntityId> concepts_labelled(
      std::string_view label) const;   // folded: case-insensitive, sorted
  std::uint32_t entity_bound() const;  // every EntityId is below it: for dense arrays

  // --- statements
  // -----------------------------------------------------------------------------------------------
  bool contains(const Triple& triple) const;
  std::uint64_t count(const Pattern& pattern) const;  // exact
  Cursor scan(const Pattern& pattern, Order order = Order::kAny) const;
  // Sorted ascending, visibility applied; a view of the base where nothing newer touches the key.
  std::span<const std::uint32_t> objects(EntityId subject, Predicate predicate,
                                         Scratch& scratch) const;
  std::span<const std::uint32_t> subjects(Predicate predicate, Term object, Scratch& scratch) const;
  // All statements with this subject or this object, or those of one class of predicates.
  Edges outgoing(EntityId subject, Scratch& scratch) const;
  Edges outgoing(EntityId subject, PredicateClass predicate_class, Scratch& scratch) const;
  Edges incoming(Term object, Scratch& scratch) const;
  Edges incoming(Term object, PredicateClass predicate_class, Scratch& scratch) const;
  // Attribute values in value order: low <= value <= high (unset = open), as (value, subject) rows
  // of one key.
  Cursor scan_values(Predicate attribute, std::optional<Term> low, std::optional<Term> high) const;
  // At most so many rows scan_values() gives; nullopt where it would look at all of the key's rows.
  // O(log n + rows newer than the base).
  std::optional<std::uint64_t> most_values(Predicate attribute, std::optional<Term> low,
                                           std::optional<Term> high) const;
  // The first value of an attribute or metadata key, or nullopt. O(1).
  std::optional<Term> attribute(EntityId entity, std::string_view key) const;
  std::optional<Term> metadata(EntityId entity, std::string_view key) const;

  // Who asserts a statement, best first: highest trust, then confidence, then by graph id.
  std::vector<Assertion> assertions(const Triple& triple) const;
  EntryInfo entry(Sequence sequence) const;
  std::vector<Predicate> predicates(PredicateClass predicate_class) const;  // in use, sorted

  // --- graphs
  // ---------------------------------------------------------------------------------------------------
  std::optional<GraphId> find_graph(std::string_view name) const;  // the default graph is ""
  std::string_view graph_name(GraphId graph) const;
  std::vector<GraphId> graphs() const;            // sorted
  std::uint64_t graph_size(GraphId graph) const;  // assertions
  // What these graphs assert, of those in scope; a graph of the books may be named from the default
  // scope. O(graphs).
  Snapshot in_graphs(std::span<const GraphId> graphs) const;
  // Every graph, the books too; a snapshot of named graphs is returned as it is. O(1).
  Snapshot with_books() const;
  // Without the books, where the scope is every graph; a narrower one stays. O(graphs).
  Snapshot knowledge() const;

  // --- time
  // -----------------------------------------------------------------------------------------------------
  // O(changes since). Fails with kNotFound for a sequence that was compacted away or has not come
  // yet.
  Result<Snapshot> as_of(Sequence sequence) const;
  Result<Snapshot> as_of(Timestamp time) const;
  // The sequences of the entries that changed a statement of the entity (its existence, attributes,
  // metadata, links from it) or, for a proposition, whether and how it is asserted; ascending.
  std::vector<Sequence> history(EntityId entity) const;

  // --- text
  // -----------------------------------------------------------------------------------------------------
  std::vector<TextHit> search(const TextQuery& query) const;

  const detail::SnapshotState& state() const { return *state_; }

 private:
  std::shared_ptr<const detail::SnapshotState> state_;
};

}  // namespace anima::store
