// Patterns and paths as steps of a pipeline.
#include <memory>

#include "query/detail/compiler.h"
#include "query/detail/steps.h"

namespace anima::query::detail {
namespace {

constexpr std::size_t kStepsOfARow = 64;  // to look at so many costs about what a row costs

// Whether the rows come ascending by the codes of `slot`: the first step binds it from one list,
// and whatever follows keeps the order.
bool comes_sorted(const std::vector<Step>& steps, Slot slot) {
  return !steps.empty() && steps.front().kind == Step::Kind::kExtend && steps.front().slot == slot;
}

SlotSet made_by(const Step& step) {
  SlotSet made;
  if (step.kind == Step::Kind::kExtend || step.kind == Step::Kind::kProposition ||
      step.kind == Step::Kind::kGraph)
    made.set(step.slot);
  if (step.kind == Step::Kind::kScan || step.kind == Step::Kind::kOpen) {
    for (const Ref& ref :
         {step.patterns[0]->subject, step.patterns[0]->predicate, step.patterns[0]->object}) {
      if (ref.is_slot) made.set(ref.value);
    }
  }
  return made;
}

SlotSet read_by(const Step& step) {
  SlotSet read;
  for (const Accessor& accessor : step.accessors) {
    if (accessor.kind == Accessor::Kind::kList) continue;
    if (accessor.predicate.is_slot) read.set(accessor.predicate.value);
    if (accessor.key.is_slot) read.set(accessor.key.value);
  }
  for (const StatementPattern* pattern : step.patterns) {
    for (const Ref& ref : {pattern->subject, pattern->predicate, pattern->object}) {
      if (ref.is_slot) read.set(ref.value);
    }
    if (step.kind == Step::Kind::kOpen) read.set(*pattern->proposition);
    if (step.kind == Step::Kind::kGraph) read.set(step.slot);
  }
  for (const Candidates* list : step.lists) read.set(list->slot);
  return read;
}

}  // namespace

void Compiler::drop_unbound(const SlotSet& slots, const Bound& in, Part* part) {
  const SlotSet doubtful = slots & in.possible & ~in.certain;
  if (run_.plan.unbound_matches_all || doubtful.none()) return;
  part->entry = keep(make_bound_filter(run_, part->entry, list_of(doubtful)));
  part->needs |= doubtful;
}

Result<Part> Compiler::match(const Node& node, const Request& request) {
  const SlotSet slots = slots_of_match(node);
  Bound in = request.in;
  if (!run_.plan.unbound_matches_all) in.certain |= slots & in.possible;
  SlotSet used = request.live;
  for (const Expr* condition : request.conditions) used |= slots_of(*condition);
  pipeline_.steps.push_back(
      std::make_unique<std::vector<Step>>(plan_match(node, run_, statistics_, in, used)));
  if (run_.failed()) return fail(*run_.error());
  const std::vector<Step>& steps = *pipeline_.steps.back();
  if (request.top != nullptr && request.alone && comes_sorted(steps, request.top->first_slot()))
    request.top->expect_sorted();
  // bound[k]: before step k.
  std::vector<SlotSet> bound{in.certain};
  for (const Step& step : steps) bound.push_back(bound.back() | made_by(step));
  std::vector<std::vector<const Expr*>> after(steps.size() + 1);
  for (const Expr* condition : request.conditions) {
    if (run_.spend(1 + steps.size() / kStepsOfARow) == Flow::kEnough) return fail(*run_.error());
    const SlotSet wanted = slots_of(*condition) & (bound.back() | in.possible);
    std::size_t k = 0;
    while (k < steps.size() && (wanted & ~(bound[k] | (in.possible & ~slots))).any()) ++k;
    after[k].push_back(condition);
  }
  const auto filtered = [&](std::size_t k, const Part& next) {
    return filters(after[k], next, {bound[k], bound[k] | in.possible});
  };
  ANIMA_ASSIGN(Part part, filtered(steps.size(), {request.next, request.live}));
  for (std::size_t k = steps.size(); k-- > 0;) {
    part = step(steps[k], bound[k] | in.possible, bound[k], part, request);
    ANIMA_ASSIGN(part, filtered(k, part));
  }
  drop_unbound(slots, request.in, &part);
  return part;
}

Part Compiler::step(const Step& it, const SlotSet& reaching, const SlotSet& bound, const Part& next,
                    const Request& request) {
  const SlotSet made = made_by(it);
  Need need = Need::kRows;
  if (it.kind == Step::Kind::kExtend && !next.needs.test(it.slot))
    need = request.duplicates ? Need::kCount : Need::kExistence;
  if (it.kind == Step::Kind::kScan && request.duplicates) {
    // Statements of which nobody reads an end need only be counted.
    const StatementPattern& pattern = *it.patterns[0];
    const auto unread = [&](const Ref& ref) {
      return ref.is_slot && !next.needs.test(ref.value) && !reaching.test(ref.value);
    };
    if (unread(pattern.subject) && unread(pattern.object)) need = Need::kCount;
  }
  StepContext context{run_, next.entry, list_of(next.needs & reaching), request.marks};
  context.shelves = shelves();
  Part part;
  part.entry = keep(make_step(it, std::move(context), need, bound));
  part.entry->estimate = it.estimate;
  SlotSet read = read_by(it);
  // A slot that the step may find bound or binds itself is needed only when it can arrive bound.
  part.needs = (next.needs & ~(made & ~reaching)) | (read & reaching);
  if (request.marks != nullptr) part.needs.set(request.marks->slot);
  return part;
}

Result<Part> Compiler::path(const Node& node, const Request& request) {
  ANIMA_ASSIGN(const Request inner, below(node, request));
  const SlotSet slots = slots_of_path(node.path);
  Part part;
  part.entry = keep(make_path(run_, inner.next, node.path,
                              list_of(inner.live & (inner.in.possible | inner.in.certain)),
                              inner.marks, shelves()));
  part.needs = (inner.live & ~(slots & ~inner.in.possible)) | (slots & inner.in.possible);
  if (inner.marks != nullptr) part.needs.set(inner.marks->slot);
  drop_unbound(slots, request.in, &part);
  return part;
}

Result<Part> Compiler::table(const Node& node, const Request& request) {
  ANIMA_ASSIGN(const Request inner, below(node, request));
  const Bound bound = analyse(node, {});
  const SlotSet slots = set_of(node.slots);
  Part part;
  part.entry = keep(make_table(run_, inner.next, node,
                               list_of(inner.live & (inner.in.possible | inner.in.certain)),
                               inner.in.certain & bound.certain));
  part.needs = (inner.live & ~(slots & ~inner.in.possible)) | (slots & inner.in.possible);
  drop_unbound(slots, request.in, &part);
  return part;
}

}  // namespace anima::query::detail
