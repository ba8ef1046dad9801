// A virtual predicate: rows that a call-back knows, asked for by need.
//
// The program declares it external() with one or more modes. When a rule needs it, the engine
// collects the distinct inputs of a batch and asks once; answers are kept, also that an input has
// none, so no input is asked twice until it is invalidated. Thread-safety: called by the thread
// that evaluates; forks may call at the same time, so an implementation that is shared with forks
// must be safe for that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "datalog/value.h"

namespace anima::datalog {

class VirtualPredicate {
 public:
  virtual ~VirtualPredicate() = default;

  // `columns` are the argument places that are given; `inputs` holds `count` tuples of
  // columns.size() codes. Appends whole rows of the predicate to `rows`; rows that agree with no
  // input are ignored.
  virtual Status answer(std::span<const std::uint32_t> columns, std::span<const Code> inputs,
                        std::size_t count, ValueTable& values, std::vector<Code>& rows) = 0;
};

}  // namespace anima::datalog
