// What the rules of a policy look at: which of them rest on the call to be judged alone, which need
// the trace of earlier calls, and of which rows of a call they read the free text (an agent, a
// value, a source).
//
// A rule speaks of one call when every atom over the trace, and over what is derived from it, has
// the same variable in its first place, and that variable stands nowhere else but in the first
// place of the head. Aggregates over the trace, recursion through it, facts given for it, merges,
// constraints and the clock rule it out, and so does reading a predicate whose rules do not all
// speak of one call. Thread-safety: a plain value. Complexity: the size of the program;
// keeps_text() the readers.
#pragma once

#include <span>
#include <vector>

#include "datalog/program.h"

namespace anima::govern::detail {

inline constexpr std::size_t kTextColumn = 2;  // of call, argument and made_from

struct PolicyScope {
  // The predicates that rest on calls, by PredicateId: the trace, the decisions, what lies between.
  std::vector<bool> keyed;
  // Rules of one call, each behind those that derive what it reads.
  std::vector<datalog::RuleId> direct;
  // The others over calls, and the rules that derive what those read, by RuleId.
  std::vector<bool> traced;
  bool needs_trace = false;  // there are such rules, or facts given for calls

  // The atoms that read the text column of a trace predicate.
  struct Reader {
    datalog::PredicateId predicate = datalog::kNone;
    std::vector<datalog::Argument> arguments;
  };
  std::vector<Reader> readers;
  bool keeps_every_text = false;

  // May a rule read the text of this row? Its other columns are known, the text itself is not.
  bool keeps_text(datalog::PredicateId predicate, std::span<const datalog::Code> row) const;
};

// `trace`: the predicates that hold calls; `decisions`: those that are asked for a call.
PolicyScope scope_of(const datalog::Program& program,
                     const std::vector<datalog::PredicateId>& trace,
                     const std::vector<datalog::PredicateId>& decisions);

// The program with the traced rules and those that rest on no call. Ids stay.
datalog::Program traced_program(datalog::Program program, const PolicyScope& scope);

}  // namespace anima::govern::detail
