// Rules of a policy that speak of one call alone (policy_scope.h), evaluated straight over the few
// facts of that call: no relation, no index and no trace is kept for them.
//
// What such rules read beside the call rests on no call, and is taken from the engine once. Bodies
// are evaluated from left to right, as the analysis ordered them, so the first error is the one
// that the language says. Thread-safety: one thread at a time. Complexity: of a decision, the joins
// of its rules by nested loops over the call's facts; facts of no call are found by binary search.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "datalog/engine.h"
#include "datalog/functions.h"
#include "govern/rules/detail/policy_scope.h"

namespace anima::govern::detail {

// The rows of one call, by predicate; emptied at the cost of what was put in.
class CallFacts {
 public:
  explicit CallFacts(std::size_t predicates = 0) : rows_(predicates), slots_(predicates) {}
  void clear();
  void put(datalog::PredicateId predicate, std::span<const datalog::Code> row);
  // False: it is there already. Of one predicate either all rows are put this way or none.
  bool put_new(datalog::PredicateId predicate, std::span<const datalog::Code> row);
  // One row after the other.
  const std::vector<datalog::Code>& rows(datalog::PredicateId predicate) const {
    return rows_[predicate];
  }
  const std::vector<datalog::PredicateId>& filled() const { return filled_; }

 private:
  // Where a row may be found: numbers of rows from 1, by hash; none while there are few rows.
  using Slots = std::vector<std::uint32_t>;
  void hash_rows(const std::vector<datalog::Code>& rows, std::size_t width, Slots& slots) const;

  std::vector<std::vector<datalog::Code>> rows_;
  std::vector<Slots> slots_;
  std::vector<datalog::PredicateId> filled_;
};

// A row (Call, Reason) of a decision, and the rule that derived it.
struct RuleDecision {
  bool found = false;
  datalog::Code reason = 0;
  std::string where;  // "file:line:column"
};

class CallRules {
 public:
  // `fixed`: the state of the whole program without any call. What of it cannot be read is an
  // error of every decide().
  CallRules(const datalog::Program& program, const PolicyScope& scope,
            const datalog::Snapshot& fixed, datalog::ValueTable& values, Clock& clock);

  // Evaluates all rules over the facts, adding what they derive. `decisions[i]` receives the first
  // reason (by text) that they give for the predicate `asked[i]`. Errors: those of functions and of
  // declared bounds, kTimeout.
  Status decide(CallFacts& facts, std::int64_t deadline_milliseconds,
                std::span<const datalog::PredicateId> asked, std::span<RuleDecision> decisions);

 private:
  // A column of an atom.
  struct Place {
    enum class Kind : std::uint8_t { kCode, kBound, kBinds, kAny };
    Kind kind = Kind::kAny;
    std::uint32_t value = 0;  // code or variable
  };
  struct Step {
    const datalog::Literal* literal = nullptr;
    std::vector<Place> places;
    bool rests_on_no_call = false;
    bool holds_without_columns = false;  // such an atom of no columns
    std::vector<std::uint32_t> known;    // columns of such an atom that are bound when it comes
    std::vector<datalog::Code> rows;     // of such an atom, sorted by these columns
    std::vector<std::uint32_t> open;     // of a builtin: argument places to be found
  };
  struct Compiled {
    const datalog::Rule* rule = nullptr;
    std::vector<Step> body;
  };

  Result<Compiled> compiled(const datalog::Rule& rule, const PolicyScope& scope,
                            const datalog::Snapshot& fixed) const;
  Status solve(const Compiled& rule, std::size_t step);
  Status solve_atom(const Compiled& rule, std::size_t step);
  Status solve_builtin(const Compiled& rule, std::size_t step);
  Status compute(const Compiled& rule, std::size_t step);
  Status derive(const Compiled& rule);
  std::span<const datalog::Code> candidates(const Step& step) const;
  bool matches(const Step& step, const datalog::Code* row);
  bool evaluate_term(const datalog::Term& term, datalog::Code& out);
  datalog::Code known_value(const Place& place) const {
    return place.kind == Place::Kind::kCode ? place.value : bindings_[place.value];
  }
  Status tick();
  Error error_of(const Compiled& rule, const datalog::Literal& literal) const;

  const datalog::Program& program_;
  Clock& clock_;
  datalog::Evaluation evaluation_;
  std::vector<Compiled> rules_;
  std::optional<Error> unread_;  // why some of them are not there
  // Of the decision that is being made.
  std::vector<datalog::Code> bindings_;
  CallFacts* facts_ = nullptr;
  std::span<const datalog::PredicateId> asked_;
  std::span<RuleDecision> decisions_;
  std::int64_t deadline_ = 0;  // by the clock's monotonic nanoseconds; 0: none
  std::uint64_t work_ = 0;
};

}  // namespace anima::govern::detail
