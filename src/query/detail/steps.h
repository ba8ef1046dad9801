// The operators behind the steps of a match.
#pragma once

#include "query/detail/match.h"
#include "query/detail/shelf.h"

namespace anima::query::detail {

// What an extension is for: rows, or only whether or how often there are some.
enum class Need : std::uint8_t { kRows, kExistence, kCount };

struct StepContext {
  Run& run;
  Operator* next;
  std::vector<Slot> carried;  // slots bound before that somebody behind reads
  const Marks* marks = nullptr;
  Shelves* shelves = nullptr;  // null: the store answers every look-up
};

std::unique_ptr<Operator> make_step(const Step& step, StepContext context, Need need,
                                    const SlotSet& bound_before);

}  // namespace anima::query::detail
