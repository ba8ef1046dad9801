// What the operators behind steps share: cells, rows that need no more partners.
#pragma once

#include <memory>

#include "query/detail/steps.h"

namespace anima::query::detail {

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
