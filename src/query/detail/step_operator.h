// What the operators behind steps share: names for EXPLAIN, cells, rows that need no more partners.
#pragma once

#include <string>

#include "query/detail/steps.h"

namespace anima::query::detail {

std::string name_of(const Run& run, const Ref& ref);
std::string predicate_name(const Run& run, const Ref& ref);
std::string text_of(const Run& run, const StatementPattern& it);

inline bool is_entity(std::uint32_t code) { return store::Term{code}.is_entity(); }

// One value per row: the constant, or the slot's cell.
inline std::uint32_t cell(const Ref& ref, const Batch& batch, std::size_t row) {
  return ref.is_slot ? batch.at(ref.value, row) : ref.value;
}

class StepOperator : public Operator {
 public:
  explicit StepOperator(const StepContext& context)
      : Operator(context.run, context.next), marks_(context.marks) {}

 protected:
  bool settled(const Batch& batch, std::size_t row) const {
    return marks_ != nullptr && marks_->done(batch, row);
  }
  const Marks* marks_;
};

std::unique_ptr<Operator> make_extend_step(const Step& step, StepContext context, Need need);

}  // namespace anima::query::detail
