// The trace of a policy: what its rules see of the last calls, kept by the engine that evaluates
// those rules which look at more than one call, and maintained incrementally.
//
// Calls are ordered by their numbers; the least leaves a full trace. What the engine refuses is
// owed: it is tried again with whatever comes next, and no call is judged before it was taken, so
// that no rule misses what happened. Only what a call that was denied for it would have put in is
// dropped. Thread-safety: one thread at a time. Complexity: of a change, what the rules derive from
// it; O(log calls) beside that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "datalog/engine.h"
#include "govern/rules/detail/call_rules.h"
#include "govern/rules/detail/policy_scope.h"

namespace anima::govern::detail {

class PolicyTrace {
 public:
  // `finished`: the predicate of how a call went on, or kNone. Errors: those of the rules.
  static Result<std::unique_ptr<PolicyTrace>> create(const datalog::Program& program,
                                                     const PolicyScope& scope,
                                                     std::shared_ptr<datalog::ValueTable> values,
                                                     datalog::PredicateId finished,
                                                     std::size_t most);

  bool reads(datalog::PredicateId predicate) const {
    return predicate != datalog::kNone && reads_[predicate];
  }
  // What the rules of the trace read of a call's facts.
  datalog::Transaction facts_of(const CallFacts& facts) const;

  // A call that is about to be judged, with the facts that it has. Errors: the rules cannot be
  // evaluated; then it has none, and is to be denied.
  Status add(std::uint64_t call, datalog::Transaction facts, const datalog::Limits& limits);

  // Calls that were decided elsewhere, and ends of such. `denied`: nothing of it ran, and its facts
  // may be dropped when the rules cannot be evaluated over them. A call that is there is left.
  struct Foreign {
    std::uint64_t call = 0;
    bool is_call = true;  // else its end
    bool denied = false;
    datalog::Transaction facts;
  };
  void add_foreign(const std::vector<Foreign>& calls, const datalog::Limits& limits);

  // How a call went on. Makes room for the next one, where nobody waits for a decision.
  void finish(std::uint64_t call, std::string_view outcome, const datalog::Limits& limits);
  datalog::Transaction end_of(std::uint64_t call, std::string_view outcome) const;
  // The call is known by another number from now on.
  void renumber(std::uint64_t call, std::uint64_t number, const datalog::Limits& limits);
  // What is owed is taken, or the error is why nothing can be judged.
  Status settle(const datalog::Limits& limits);

  // Grows with each change that is not that of the call itself.
  std::uint64_t changes() const { return changes_; }
  bool has(std::uint64_t call) const { return calls_.contains(call); }
  datalog::Engine& engine() { return *engine_; }
  // With what is owed: a world for a call that is only tried.
  Result<std::unique_ptr<datalog::Fork>> fork_with(const datalog::Transaction& facts,
                                                   const datalog::Limits& limits);

 private:
  PolicyTrace() = default;
  void make_room(datalog::Transaction& change, std::size_t room);
  // With what is owed first. What is not taken is owed; of it, `drop_inserts` leaves out what
  // would have come in.
  Status take(const datalog::Transaction& change, bool drop_inserts, const datalog::Limits& limits);
  // Enters it among the calls and into the change; false: the trace has no place for it.
  bool put(const Foreign& call, datalog::Transaction& change);
  bool add_together(const std::vector<Foreign>& calls, const datalog::Limits& limits);
  void add_singly(const std::vector<Foreign>& calls, const datalog::Limits& limits);

  std::shared_ptr<datalog::ValueTable> values_;
  std::unique_ptr<datalog::Engine> engine_;
  std::vector<std::uint32_t> columns_;  // by predicate
  std::vector<bool> reads_;             // by predicate: a rule of the engine reads it
  datalog::PredicateId finished_ = datalog::kNone;
  std::size_t most_ = 0;
  std::map<std::uint64_t, datalog::Transaction> calls_;  // what each put in
  datalog::Transaction owed_;                            // what the engine did not take yet
  std::uint64_t changes_ = 0;
};

}  // namespace anima::govern::detail
