// The Datalog engine: a program, its facts, everything that follows, always current.
//
//   auto values = std::make_shared<ValueTable>();
//   ANIMA_ASSIGN(auto program, compile("p(X) :- q(X), !r(X).", *values));
//   ANIMA_ASSIGN(auto engine, Engine::create(std::make_shared<const Program>(std::move(program)),
//   values)); Transaction more; more.insert(q, row); ANIMA_TRY(engine->transact(more));          //
//   everything derived is up to date auto fork = engine->fork();                 // microseconds;
//   what-if in its own overlay
//
// After a transaction everything derived is exactly what a fresh evaluation would give; strata that
// it cannot change are not visited (TransactionStats). What the others cost:
//  * rules, recursive and temporal ones and those with negation too, are maintained: the work grows
//    with the rows that come and go, not with those that are there;
//  * groups of fn:count, fn:sum, fn:min and fn:max whose body tells all its rows apart are adjusted
//    by what came and went; a minimum or maximum that loses rows, and every other reducer, is
//    computed again over the groups that the change touches;
//  * a stratum with a lattice (fundep and merge) is computed again as a whole; what reads it is
//    maintained by what that changed.
// A transaction that fails, for whatever reason, leaves the state that was published before.
//
// Thread-safety: an Engine may be used from any thread; writers take turns, readers never wait for
// them: they hold a Snapshot, which never changes. A Fork belongs to one thread. Follows spec
// part 2.9.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "datalog/base_relation.h"
#include "datalog/explain.h"
#include "datalog/limits.h"
#include "datalog/program.h"
#include "datalog/thresholds.h"
#include "datalog/transaction.h"
#include "datalog/virtual_predicate.h"

namespace anima::datalog {

class Database;
struct Published;
struct Shared;

// Rows of one predicate, one after the other.
struct Rows {
  std::uint32_t columns = 0;
  std::size_t count = 0;
  std::vector<Code> codes;

  std::span<const Code> row(std::size_t i) const {
    return std::span<const Code>(codes).subspan(i * columns, columns);
  }
};

struct QueryOptions {
  std::size_t max_rows = 0;  // 0: all
  bool sorted = true;        // by ValueTable::compare, column by column
};

// The state after one transaction. Immutable; any number of threads may read it, for as long as
// they like.
class Snapshot {
 public:
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // Rows that match the query's atom. O(matches) when an index knows the bound places, else
  // O(rows). Errors: those of a base relation that fails to answer.
  Result<Rows> query(const Query& query, const QueryOptions& options = {}) const;
  Result<Rows> all(PredicateId predicate, const QueryOptions& options = {}) const;
  std::uint64_t count(PredicateId predicate) const;

 private:
  friend class Engine;
  Snapshot(std::shared_ptr<Shared> shared, std::shared_ptr<const Published> published);
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<const Published> published_;
};

// Net change of one predicate.
struct Change {
  PredicateId predicate = kNone;
  Rows inserted;
  Rows deleted;
};

// A world of its own over a snapshot: copy-on-write, dropped at no cost.
class Fork {
 public:
  ~Fork();
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  Result<TransactionStats> transact(const Transaction& transaction, const Limits& limits = {});
  Result<Rows> query(const Query& query, const QueryOptions& options = {});
  Result<Proof> explain(PredicateId predicate, std::span<const Code> row,
                        const ExplainOptions& options = {});
  // What its last transaction changed, by predicate in their order; nothing of internal ones.
  std::vector<Change> changes() const;
  // Everything said to this fork, in order.
  const Transaction& said() const { return said_; }

 private:
  friend class Engine;
  Fork(std::shared_ptr<Shared> shared, std::shared_ptr<const Published> published);
  std::unique_ptr<Database> database_;
  Transaction said_;
};

struct EngineOptions {
  Limits limits;                 // of the first evaluation
  std::shared_ptr<Clock> clock;  // null: the system's
  std::unordered_map<PredicateId, std::shared_ptr<VirtualPredicate>> virtuals;
  // Predicates whose given facts are read where they lie (beside those of the program and of
  // transactions).
  std::unordered_map<PredicateId, std::shared_ptr<const BaseRelation>> bases;
  Transaction facts;     // beside those of the program
  bool prepare = false;  // build at once what the first update or fork would build
  Thresholds thresholds;
};

using SubscriptionId = std::uint64_t;
using OnChange = std::function<void(const Change&)>;

class Engine {
 public:
  // Evaluates the program. Errors: those of functions at run time, limits (kMaxColumns too),
  // violated inclusions.
  static Result<std::unique_ptr<Engine>> create(std::shared_ptr<const Program> program,
                                                std::shared_ptr<ValueTable> values,
                                                EngineOptions options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Program& program() const;
  ValueTable& values() const;

  // All or nothing. Subscribers are called before it returns, after publication, in the order of
  // predicates.
  Result<TransactionStats> transact(const Transaction& transaction, const Limits& limits = {});
  // Base relations in their next states, and facts, in one transaction. The deltas must be what
  // changed.
  Result<TransactionStats> rebase(std::span<const Rebase> changes, const Transaction& facts = {},
                                  const Limits& limits = {});
  // Of the last successful transaction.
  TransactionStats stats() const;

  std::shared_ptr<const Snapshot> snapshot() const;
  Result<Rows> query(const Query& query, const QueryOptions& options = {}) const {
    return snapshot()->query(query, options);
  }

  // Builds the look-ups that updates, forks and explanations need, so that the first of them is not
  // slow.
  Status prepare();
  // O(1) once prepared.
  std::unique_ptr<Fork> fork();
  // What was said to the fork, as a transaction of the main database.
  Result<TransactionStats> commit(const Fork& fork, const Limits& limits = {});

  // `predicate` kNone: all that are not internal. Call-backs run on the writer's thread and must
  // not write.
  SubscriptionId subscribe(PredicateId predicate, OnChange on_change);
  void unsubscribe(SubscriptionId id);

  // Asks a virtual predicate again for these inputs; what differs becomes a transaction.
  Result<TransactionStats> invalidate(PredicateId predicate, std::span<const std::uint32_t> columns,
                                      std::span<const Code> inputs, std::size_t count,
                                      const Limits& limits = {});

  // Why a row is there; kNotFound when it is not. An explanation has the budget of its options:
  // kTimeout, kCancelled or kLimitExceeded when that is used up.
  Result<Proof> explain(PredicateId predicate, std::span<const Code> row,
                        const ExplainOptions& options = {});
  // Why nothing matches the goal: for each rule, how far it gets.
  Result<WhyNot> why_not(const Query& goal, const ExplainOptions& options = {});

 private:
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  void improve() const;
  std::unique_ptr<State> state_;
};

}  // namespace anima::datalog
