// What a rule base looks at: whether each of its decisions rests on the call to be judged alone,
// and then which rows of the trace it reads the free text of (an agent, a value, a source).
//
// Rules speak of one call when every atom over the trace, and over what is derived from it, has the
// same variable in its first place, and that variable stands nowhere else but in the first place of
// the head. Aggregates over the trace, facts given for it, merges, constraints and the clock rule
// it out. Thread-safety: a plain value. Complexity: the size of the program; keeps_text() the
// readers.
#pragma once

#include <span>
#include <vector>

#include "datalog/program.h"

namespace anima::govern::detail {

inline constexpr std::size_t kTextColumn = 2;  // of call, argument and made_from

struct PolicyScope {
  bool one_call = false;
  // The atoms that read the text column of a trace predicate.
  struct Reader {
    datalog::PredicateId predicate = datalog::kNone;
    std::vector<datalog::Argument> arguments;
  };
  std::vector<Reader> readers;

  // May a rule read the text of this row? Its other columns are known, the text itself is not.
  bool keeps_text(datalog::PredicateId predicate, std::span<const datalog::Code> row) const;
};

// `trace`: the predicates that hold calls; `decisions`: those that are asked for a call.
PolicyScope scope_of(const datalog::Program& program,
                     const std::vector<datalog::PredicateId>& trace,
                     const std::vector<datalog::PredicateId>& decisions);

}  // namespace anima::govern::detail
