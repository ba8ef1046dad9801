// Writer: turns changes into rows of a delta and into operations for the log.
//
// The functions above the line are what Transaction calls: they check, find or make ids, and then
// use the functions below it, each of which does one operation and records it. Replay calls only
// the latter. A Writer reads through its own state, which follows its writes. Thread-safety: one
// thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/base/bulk_rows.h"
#include "store/base/limits.h"
#include "store/log/operations.h"
#include "store/state/cursor.h"
#include "store/state/state.h"
#include "store/transaction.h"

namespace anima::store::detail {

struct WriterLimits {
  std::size_t max_value_bytes = std::size_t{16} << 20;
  std::size_t max_nesting = 64;
  std::size_t big_bulk_rows = 20'000;  // from here on a new base is cheaper than the delta
  NumberLimits numbers = {};
};

class Writer {
 public:
  Writer(const WriterLimits& limits) : limits_(limits) {}

  // Takes big bulks off the delta's hands: builds them into a base and attaches the writer to it.
  // False: it did not, and nothing has changed.
  using Absorb = std::function<bool(const BulkRows&, std::uint32_t context)>;
  void set_absorb(Absorb absorb) { absorb_ = std::move(absorb); }

  // Where writes go: the top layer of `state`, which must be `delta`. The state's bounds are the
  // writer's to move.
  void attach(SnapshotState state, std::shared_ptr<Delta> delta);
  // The entry that writes belong to from now on. With `record`, operations are kept for
  // take_operations().
  void start(std::uint64_t sequence, bool record);
  std::string take_operations() { return operations_.take(); }
  std::string_view pending_operations() const { return operations_.bytes(); }
  bool changed() const { return !operations_.empty(); }
  // Records for the entry's attachment, encoded.
  std::string take_attached() { return attached_.take(); }
  std::string_view pending_attached() const { return attached_.bytes(); }
  // Rows written since the Writer was made, those that were rolled back too: a measure of work.
  std::uint64_t rows_written() const { return rows_written_; }
  Status lower_trust(Trust most);
  Trust most_trust() const { return most_trust_; }  // kSystem: nothing lowered it
  void refresh();  // after the delta was changed from outside (an entry was added, a rollback)

  Snapshot view() const;
  const Snapshot& live() const { return live_; }  // of state(), and moves with it
  const SnapshotState& state() const { return *state_; }
  Delta& delta() { return *delta_; }

  // --- changes
  // ---------------------------------------------------------------------------------------------------
  Status genesis();
  Result<Term> term(const ValueView& value);
  GraphId graph(std::string_view name);  // kNoGraph when there is no room for one
  Result<EntityId> upsert_concept(EntityId type, std::string_view name,
                                  const AssertOptions& options);
  Result<EntityId> assert_link(const Triple& link, const AssertOptions& options);
  Result<EntityId> quote_link(const Triple& link);
  Status retract_link(const Triple& link, GraphId graph);
  Status set_values(EntityId entity, PredicateClass kind, std::string_view key,
                    std::span<const Term> values, const AssertOptions& options);
  Status add_value(EntityId entity, PredicateClass kind, std::string_view key, Term value,
                   const AssertOptions& options);
  Status retract_concept(EntityId entity, GraphId graph, bool detach);
  Status drop_graph(GraphId graph);
  Status record(RecordKind kind, std::string_view payload);
  Status attach(RecordKind kind, std::string_view payload);
  // Sorts the rows, asserts those that nobody asserts yet as one operation and the others one by
  // one.
  Status bulk(BulkRows rows);
  Status check_type(EntityId type) const;
  // Finds or defines a concept without asserting it.
  Result<EntityId> concept_id(EntityId type, std::string_view name);
  // Any triple of known ids; false when nothing changed.
  Result<bool> assert_triple(const Triple& triple, const AssertOptions& options);
  Result<bool> retract_triple(const Triple& triple, GraphId graph);
  // Asserts it as the word of an earlier entry (store/restate.h).
  Result<EntityId> restate(const Triple& triple, const AssertOptions& options, Sequence said);

  // --- operations
  Status apply(const Operation& operation);  // from a log: checks that the ids fit the state
  void pad(std::uint32_t entities, std::uint32_t literals,
           std::uint32_t graphs);  // erased: ids stay taken

 private:
  bool is_erased(const Triple& statement) const;
  bool fits(const Triple& statement) const;
  Status apply_assert(const Operation& operation);
  Status apply_bulk(const Operation& operation);
  void do_term(std::uint32_t place, std::string_view stored);
  void do_graph(std::uint32_t id, std::string_view name);
  void do_concept(std::uint32_t id, EntityId type, Term name);
  void do_quote(std::uint32_t id, const Triple& link);
  void do_assert(const Triple& triple, std::uint32_t proposition, const AssertOptions& options,
                 std::uint32_t said = 0);
  void do_retract(const Triple& triple, GraphId graph);
  std::vector<Triple> rows_of(GraphId graph) const;
  void do_drop(GraphId graph);
  bool is_known(const BulkRow& row) const;
  void do_bulk(const BulkRows& rows);
  Status check_bulk(const BulkRows& rows) const;
  Status check_bulk_room(const BulkRows& rows) const;
  void assert_row(const Triple& triple, std::uint32_t proposition, std::uint32_t context);
  bool retract_row(const Triple& triple, std::uint32_t graph);
  void add_row(const Triple& triple, std::uint32_t proposition,
               const std::vector<std::uint32_t>& contexts);
  // A row of the entry at hand takes another graph as it is; false when it is no such row.
  bool extend_row(RowRef row, std::uint32_t proposition, std::uint32_t context);
  // Appends who asserts the row in other graphs; true when the given graph asserts it too.
  bool contexts_beside(RowRef row, std::uint32_t graph, std::vector<std::uint32_t>* others) const;
  void kill(RowRef row);
  // `below` gives the total of the base.
  template <typename Below>
  void count(std::uint64_t key, std::int64_t change, const Below& below);
  void count_row(PredicateCode predicate, std::int64_t change);
  void count_graph(std::uint32_t graph, std::int64_t change);
  void moved();  // the delta grew

  // Whether so many versions of statements fit, each with as many graphs as there are; O(1).
  Status check_room(std::uint64_t rows) const;
  Status check_room_to_drop(GraphId graph) const;
  Status check_options(const AssertOptions& options) const;
  Status check_entity(EntityId entity, std::string_view role) const;
  Status check_object(Term object) const;
  Status check_link(const Triple& link) const;
  // The asserted or quoted concept of this type and name, or kNone.
  EntityId known_concept(EntityId type, std::string_view name) const;
  std::uint32_t proposition_of(const Triple& link) const;
  // Nothing would change: the graph says so by now, or on the word of somebody trusted more.
  bool says(const Triple& triple, const AssertOptions& options) const;
  // The graph says it on the word of somebody who is trusted more than whoever writes now.
  bool stands_firmer(const Triple& triple, std::uint32_t graph) const;
  bool asserts(const Triple& triple, std::uint32_t graph) const;
  // Whether the graph is one of those that assert the row. O(the fewer of its graphs and what the
  // graph says here).
  bool asserts(RowRef row, std::uint32_t graph) const;
  Result<Predicate> key_predicate(PredicateClass kind, std::string_view key);
  // The graph's triples that a range of the subject's predicates holds.
  std::vector<Triple> triples_of(EntityId subject, std::uint32_t first, std::uint32_t last,
                                 GraphId graph) const;
  std::vector<Triple> links_about(EntityId entity, GraphId graph) const;
  Status withdraw(const Triple& triple, GraphId graph);
  Status withdraw_link(const Triple& link, GraphId graph);

  WriterLimits limits_;
  std::shared_ptr<SnapshotState> state_;
  Snapshot live_{nullptr};
  std::shared_ptr<Delta> delta_;
  std::uint64_t sequence_ = 0;
  bool record_ = true;
  Trust most_trust_ = Trust::kSystem;
  std::uint64_t rows_written_ = 0;
  OperationWriter operations_, attached_;
  Absorb absorb_;
};

}  // namespace anima::store::detail
