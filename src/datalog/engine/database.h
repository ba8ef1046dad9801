// The relations of a program, and the code that evaluates, maintains, asks and explains over them.
// The engine has one main database; every fork is a database of its own over what the main one
// published.
//
// Evaluation is semi-naive by row ranges (evaluate.cc), maintenance is deletion guarded by heights
// followed by insertion (update.cc), do-transforms are kept group by group (group.cc). Lattices
// keep one row a key while they are evaluated (lattice.cc); after a change their component is
// evaluated again. A transaction (transact.cc) either completes or is undone. Virtual predicates
// are asked as rules need them (virtual.cc). Thread-safety: a Database belongs to one thread at a
// time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "datalog/engine/execute.h"
#include "datalog/engine/foreign.h"
#include "datalog/engine/network.h"
#include "datalog/engine/plan.h"
#include "datalog/functions.h"
#include "datalog/limits.h"
#include "datalog/tables/relation.h"
#include "datalog/thresholds.h"
#include "datalog/transaction.h"
#include "datalog/virtual_predicate.h"

namespace anima::datalog {

// Which inputs a virtual predicate has answered: of one relation, through these argument places.
struct AskedKey {
  RelationId relation = kNone;
  std::vector<std::uint32_t> places;
  auto operator<=>(const AskedKey&) const = default;
};

// The state after a transaction of the main database. Immutable.
struct Published {
  Epoch epoch = 0;
  std::vector<std::shared_ptr<const PublishedRelation>> relations;
  std::map<AskedKey, std::shared_ptr<const PublishedRelation>> asked;
  std::shared_ptr<const ForeignMap> foreign;
};

// Plans are made once for all lines.
class PlanCache {
 public:
  // Adds to `work` what it costs to make one, in literals looked at.
  std::shared_ptr<const Plan> get(const Network& network, std::uint32_t rule,
                                  const PlanRequest& request, const Statistics& statistics,
                                  std::uint64_t& work);
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // The next ones are made anew: what they were made from has changed.
  void forget();

 private:
  using Key = std::tuple<std::uint32_t, PlanGoal, std::uint32_t, bool, bool, bool, bool>;
  Mutex mutex_;
  std::map<Key, std::shared_ptr<const Plan>> plans_ ANIMA_GUARDED_BY(mutex_);
  std::atomic<std::size_t> bytes_{0};
};

// Look-ups that questions would have liked: the second time one is missed it is to be built.
class WantedIndexes {
 public:
  using Key = std::pair<RelationId, std::vector<std::uint32_t>>;

  void miss(RelationId relation, std::vector<std::uint32_t> columns);
  bool any() const { return any_.load(std::memory_order_relaxed); }
  // Those to be built now.
  std::vector<Key> take();

 private:
  Mutex mutex_;
  std::map<Key, std::uint32_t> misses_ ANIMA_GUARDED_BY(mutex_);
  std::vector<Key> ready_ ANIMA_GUARDED_BY(mutex_);
  std::atomic<bool> any_{false};
};

// What lines have in common.
struct Shared {
  std::shared_ptr<const Network> network;
  std::shared_ptr<ValueTable> values;
  std::shared_ptr<Clock> clock;
  std::unordered_map<PredicateId, std::shared_ptr<VirtualPredicate>> virtuals;
  std::size_t max_value_bytes = std::size_t{1} << 26;
  Thresholds thresholds;
  PlanCache plans;
  WantedIndexes wanted;
};

// Net change of one relation in the current transaction.
struct RelationChange {
  bool touched = false;
  RowId size_before = 0;
  std::vector<RowId> killed;
  std::vector<Code> inserted;  // rows that are there now and were not before
  std::vector<Code> deleted;
  std::size_t inserted_rows = 0;
  std::size_t deleted_rows = 0;

  bool changed() const { return inserted_rows > 0 || deleted_rows > 0; }
};

struct Pattern {
  std::vector<Argument> arguments;  // variables that occur twice must agree
};

class Database : private Statistics {
 public:
  Database(std::shared_ptr<Shared> shared, std::shared_ptr<const ForeignMap> foreign);   // main
  Database(std::shared_ptr<Shared> shared, std::shared_ptr<const Published> published);  // fork
  ~Database() override;

  // First evaluation: program facts and `first`, everything derived from scratch.
  Status evaluate(Transaction first, const Limits& limits);
  Status update(const Transaction& transaction, const Limits& limits,
                std::span<const Rebase> rebases = {});
  // Forgets what a virtual predicate answered for these inputs, asks again and maintains.
  Status invalidate(PredicateId predicate, std::span<const std::uint32_t> places,
                    std::span<const Code> inputs, std::size_t count, const Limits& limits);

  // Builds what updates and explanations look up, so that the first of them is not slow.
  Status prepare();
  std::shared_ptr<const Published> publish();
  // Builds an index that questions want; visible with the next publication.
  void build_index(RelationId id, std::span<const std::uint32_t> columns);

  Relation& relation(RelationId id);
  const RelationChange& change(RelationId id) const { return changes_[id]; }
  const std::vector<RelationId>& touched() const { return touched_; }
  const TransactionStats& stats() const { return stats_; }
  const Network& network() const { return *shared_->network; }
  Shared& shared() const { return *shared_; }
  ValueTable& values() const { return *shared_->values; }
  const Thresholds& thresholds() const { return shared_->thresholds; }
  Evaluation& evaluation() { return evaluation_; }
  std::size_t bytes() const;
  // What an evaluation keeps outside relations: so much instead of `before`.
  void hold(std::size_t before, std::size_t now) { held_ += now - before; }

  // For executors.
  Epoch epoch() const { return epoch_; }
  Epoch seen() const { return epoch_ == 0 ? 0 : epoch_ - 1; }
  View now(RelationId id) { return relation(id).now(); }
  View before(RelationId id);
  // What comes counts against these limits, from now on.
  void begin_budget(const Limits& limits);
  Status tick(std::size_t work);
  bool is_external(RelationId id) const {
    return network().relations[id].kind == RelationKind::kExternal;
  }
  std::vector<std::uint32_t> ask_places(const Literal& literal) const;
  Status ask(PredicateId predicate, std::span<const std::uint32_t> places,
             std::span<const Code> inputs, std::size_t count);
  Error evaluation_error(const Rule& rule, const Literal& literal) const;
  Error evaluation_error(const Rule& rule, const std::string& where) const;
  bool evaluate_term(const Term& term, std::span<const Code> bindings, Code& out);
  std::shared_ptr<const Plan> plan(std::uint32_t rule, const PlanRequest& request);
  Status note_derived(std::size_t rows);
  // A rule's row goes in; lattices merge, bounds are checked.
  Status insert_derived(const NetworkRule& rule, Batch& batch, std::uint32_t height,
                        const std::uint32_t* heights);
  void kill(RelationId id, RowId row);

  // Base relations (foreign.cc). Empty when the relation stands on none.
  ForeignView foreign(RelationId id, const View& view);
  // Is the row there, in the relation itself or in its base?
  Result<bool> holds(RelationId id, const Code* row, const View& view);
  bool has_foreign() const { return !foreign_->empty(); }

 private:
  friend class Explainer;

  // statistics.cc
  std::uint64_t rows(RelationId relation) const override;
  double fan_out(RelationId relation, std::span<const std::uint32_t> columns) const override;
  double companions(RelationId relation, std::span<const std::uint32_t> columns) const override;
  double matches(RelationId relation, std::span<const std::uint32_t> columns,
                 std::span<const Code> key) const override;
  // Estimated from a sample, when there were so many rows.
  struct FanOut {
    std::uint64_t rows = 0;
    double of_a_key = 0;
    double of_a_row = 0;
  };
  const FanOut* known_fan_out(RelationId relation, std::span<const std::uint32_t> columns) const;
  // The table that tells most about a relation, and how many of its rows count.
  std::pair<const Table&, RowId> own_rows(RelationId relation) const;

  void touch(RelationId id);
  void finalize(RelationId id);

  // transact.cc
  void begin(const Limits& limits);
  void compact();
  Status guarded(Status status);
  void roll_back();
  Status check_width(PredicateId predicate, std::uint64_t rows, std::span<const Code> codes,
                     std::uint32_t width) const;
  Status load(PredicateId predicate, std::uint64_t count, std::span<const Code> codes);
  Status apply(const Transaction& transaction);
  Status run_components(bool fresh);
  Status check_constraints();

  // foreign.cc
  Status insert_beside(RelationId id, const Code* row);
  Status hide(RelationId id, const Code* row);
  Status rebase(std::span<const Rebase> changes);
  Status finalize_foreign(RelationId id, std::span<const Rebase> changes);

  // evaluate.cc
  Status check_derived(const Rule& rule, PredicateId predicate, RowId first);
  Status evaluate_component(const Component& component);
  Status run_rule(std::uint32_t rule, std::uint32_t height);
  Status run_rounds(const Component& component, std::unordered_map<RelationId, RowId> low,
                    std::uint32_t height, bool track);
  Status recompute_component(const Component& component);

  // update.cc
  Status update_component(const Component& component);
  Status delete_phase(const Component& component);
  Status insert_phase(const Component& component, std::unordered_map<RelationId, RowId> low);
  Status rederive(const Component& component);
  Status supported(RelationId relation, const std::vector<RowId>& rows,
                   std::vector<std::uint8_t>& answer);

  // group.cc
  Status evaluate_groups(const Component& component);
  Status update_groups(const Component& component);
  bool adjustable(const NetworkRule& rule) const;
  Result<bool> adjust_groups(const Component& component);
  Status touched_groups(std::uint32_t rule, Relation& keys);
  void kill_stale_groups(RelationId id, Relation& keys, Relation& fresh);

  // lattice.cc
  Status insert_lattice(const NetworkRule& rule, const Lattice& lattice, std::span<const Code> row,
                        std::uint32_t height);
  Status merge(const Lattice& lattice, std::span<const Code> old_row, std::span<const Code> new_row,
               std::vector<Code>& merged, const Rule& rule);

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<const Published> base_;
  std::vector<std::unique_ptr<Relation>> relations_;
  std::vector<RelationChange> changes_;
  std::vector<RelationId> touched_;
  std::map<AskedKey, std::unique_ptr<Relation>> asked_;
  std::shared_ptr<const ForeignMap> foreign_;
  std::shared_ptr<const ForeignMap> foreign_before_;
  Evaluation evaluation_;
  Epoch epoch_ = 0;
  bool prepared_ = false;

  Limits limits_;
  std::int64_t started_ = 0;
  std::uint64_t work_ = 0;
  std::uint64_t next_look_ = 0;
  std::size_t held_ = 0;
  TransactionStats stats_;
  std::shared_ptr<const Published> published_;
  std::vector<RelationId> renewed_;  // since the last publication

  mutable std::map<std::pair<RelationId, std::vector<std::uint32_t>>, FanOut> fan_outs_;
};

}  // namespace anima::datalog
