#include "query/detail/compile.h"

#include <cstdio>

#include "query/detail/analyse.h"
#include "query/detail/steps.h"

namespace anima::query::detail {

namespace {

std::vector<Slot> list_of(const SlotSet& set) {
  std::vector<Slot> slots;
  for (std::size_t slot = set._Find_first(); slot < kMaxSlots; slot = set._Find_next(slot)) {
    slots.push_back(static_cast<Slot>(slot));
  }
  return slots;
}

bool is_seeded_join(const Node& node) {
  return !node.isolated &&
         (node.kind == Node::Kind::kLeftJoin || node.kind == Node::Kind::kAntiJoin ||
          node.kind == Node::Kind::kSemiJoin);
}

// Whether the rows come ascending by the codes of `slot`: the first step binds it from one list,
// and whatever follows keeps the order.
bool comes_sorted(const std::vector<Step>& steps, Slot slot) {
  return !steps.empty() && steps.front().kind == Step::Kind::kExtend && steps.front().slot == slot;
}

std::size_t count_seeded_joins(const Node& node) {
  std::size_t count = is_seeded_join(node) ? 1 : 0;
  for (const NodePtr& input : node.inputs) count += count_seeded_joins(*input);
  return count;
}

// What a compiled part looks like from upstream.
struct Part {
  Operator* entry = nullptr;
  SlotSet needs;  // slots that must reach it
};

// What is asked of a part.
struct Request {
  Operator* next = nullptr;
  SlotSet live;                         // slots that `next` reads
  Bound in;                             // what the seed rows bind
  bool duplicates = true;               // false: nobody counts equal rows
  bool alone = true;                    // the seed is the one empty row
  std::vector<const Expr*> conditions;  // to be applied as early as their slots are bound
  const Marks* marks = nullptr;
  TopRows* top = nullptr;  // behind this part, with nothing between that changes the rows' order
};

class Compiler {
 public:
  Compiler(Run& run, Statistics& statistics)
      : run_(run), statistics_(statistics), next_hidden_(run.plan.slot_count) {}

  Result<Part> compile(const Node& node, Request request) {
    switch (node.kind) {
      case Node::Kind::kUnit:
        return conditions_before(std::move(request));
      case Node::Kind::kMatch:
        return match(node, std::move(request));
      case Node::Kind::kPath:
        return path(node, std::move(request));
      case Node::Kind::kValues:
        return values(node, std::move(request));
      case Node::Kind::kJoin:
        return node.isolated ? hash_join(node, HashJoin::Kind::kInner, std::move(request))
                             : join(node, std::move(request));
      case Node::Kind::kLeftJoin:
        return node.isolated ? hash_join(node, HashJoin::Kind::kLeft, std::move(request))
                             : seeded(node, SeededJoin::Kind::kLeft, std::move(request));
      case Node::Kind::kSemiJoin:
        return node.isolated ? hash_join(node, HashJoin::Kind::kSemi, std::move(request))
                             : seeded(node, SeededJoin::Kind::kSemi, std::move(request));
      case Node::Kind::kAntiJoin:
        return node.isolated ? hash_join(node, HashJoin::Kind::kAnti, std::move(request))
                             : seeded(node, SeededJoin::Kind::kAnti, std::move(request));
      case Node::Kind::kUnion:
        return unite(node, std::move(request));
      case Node::Kind::kFilter:
        for (const Expr& condition : node.conditions) {
          if (condition.kind == Expr::Kind::kAnd) {
            for (const Expr& part : condition.parts) request.conditions.push_back(&part);
          } else {
            request.conditions.push_back(&condition);
          }
        }
        return compile(*node.inputs[0], std::move(request));
      case Node::Kind::kExtend:
        return extend(node, std::move(request));
      default:
        break;
    }
    if (!request.alone) {
      return fail(ErrorCode::kInternal,
                  "a group, order, slice or distinct under a join must be isolated");
    }
    return whole(node, std::move(request));
  }

  Pipeline take() { return std::move(pipeline_); }
  void fix_depth(std::size_t from, int depth) {
    for (std::size_t i = from; i < pipeline_.operators.size(); ++i)
      pipeline_.operators[i]->depth += depth;
  }

 private:
  template <typename T>
  T* keep(std::unique_ptr<T> op) {
    T* raw = op.get();
    pipeline_.operators.push_back(std::move(op));
    return raw;
  }

  static SlotSet slots_of(const Expr& expr) {
    SlotSet slots;
    expr.collect(&slots);
    return slots;
  }

  // A filter in front of `part`; the condition given first is tested first.
  Part filters(const std::vector<const Expr*>& conditions, Part part) {
    if (conditions.empty()) return part;
    part.entry = keep(make_filter(run_, part.entry, conditions));
    for (const Expr* condition : conditions) part.needs |= slots_of(*condition);
    return part;
  }

  Result<Part> conditions_before(Request request) {
    return filters(request.conditions, {request.next, request.live});
  }

  // Everything the node's parts below cannot take is applied to its output.
  Request below(Request& request) {
    Part part = filters(request.conditions, {request.next, request.live});
    Request inner = request;
    inner.conditions.clear();
    inner.next = part.entry;
    inner.live = part.needs;
    return inner;
  }

  // KIP: a slot that is unbound in a row matches nothing.
  void drop_unbound(const SlotSet& slots, Request& request, Part* part, Bound* in) {
    const SlotSet doubtful = slots & in->possible & ~in->certain;
    if (run_.plan.unbound_matches_all || doubtful.none()) return;
    part->entry = keep(make_bound_filter(run_, part->entry, list_of(doubtful)));
    part->needs |= doubtful;
    (void)request;
  }

  Result<Part> match(const Node& node, Request request) {
    const SlotSet slots = slots_of_match(node);
    Bound in = request.in;
    if (!run_.plan.unbound_matches_all) in.certain |= slots & in.possible;
    SlotSet used = request.live;
    for (const Expr* condition : request.conditions) used |= slots_of(*condition);
    const std::vector<Step>& steps = keep_steps(plan_match(node, run_, statistics_, in, used));
    if (request.top != nullptr && request.alone && comes_sorted(steps, request.top->first_slot()))
      request.top->expect_sorted();
    // bound[k]: before step k.
    std::vector<SlotSet> bound{in.certain};
    for (const Step& step : steps) bound.push_back(bound.back() | made_by(step));
    std::vector<std::vector<const Expr*>> after(steps.size() + 1);
    for (const Expr* condition : request.conditions) {
      const SlotSet wanted = slots_of(*condition) & (bound.back() | in.possible);
      std::size_t k = 0;
      while (k < steps.size() && (wanted & ~(bound[k] | (in.possible & ~slots))).any()) ++k;
      after[k].push_back(condition);
    }
    Part part = filters(after[steps.size()], {request.next, request.live});
    for (std::size_t k = steps.size(); k-- > 0;) {
      part = step(steps[k], bound[k] | in.possible, bound[k], part, request);
      part = filters(after[k], part);
    }
    Bound before = request.in;
    drop_unbound(slots, request, &part, &before);
    return part;
  }

  const std::vector<Step>& keep_steps(std::vector<Step> steps) {
    steps_.push_back(std::make_unique<std::vector<Step>>(std::move(steps)));
    return *steps_.back();
  }

  static SlotSet made_by(const Step& step) {
    SlotSet made;
    if (step.kind == Step::Kind::kExtend || step.kind == Step::Kind::kProposition)
      made.set(step.slot);
    if (step.kind == Step::Kind::kScan || step.kind == Step::Kind::kOpen) {
      for (const Ref& ref :
           {step.patterns[0]->subject, step.patterns[0]->predicate, step.patterns[0]->object}) {
        if (ref.is_slot) made.set(ref.value);
      }
    }
    return made;
  }

  static SlotSet read_by(const Step& step) {
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
    }
    for (const Candidates* list : step.lists) read.set(list->slot);
    return read;
  }

  Part step(const Step& it, const SlotSet& reaching, const SlotSet& bound, const Part& next,
            const Request& request) {
    const SlotSet made = made_by(it);
    Need need = Need::kRows;
    if (it.kind == Step::Kind::kExtend && !next.needs.test(it.slot))
      need = request.duplicates ? Need::kCount : Need::kExistence;
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

  // Null where what was learnt of one snapshot says nothing of the next.
  Shelves* shelves() const { return run_.options.current ? statistics_.shelves().get() : nullptr; }

  Result<Part> path(const Node& node, Request request) {
    Request inner = below(request);
    const SlotSet slots = slots_of_path(node.path);
    Part part;
    part.entry = keep(make_path(run_, inner.next, node.path,
                                list_of(inner.live & (inner.in.possible | inner.in.certain)),
                                inner.marks, shelves()));
    part.needs = (inner.live & ~(slots & ~inner.in.possible)) | (slots & inner.in.possible);
    if (inner.marks != nullptr) part.needs.set(inner.marks->slot);
    Bound before = request.in;
    drop_unbound(slots, request, &part, &before);
    return part;
  }

  Result<Part> values(const Node& node, Request request) {
    Request inner = below(request);
    Part part;
    part.entry = keep(make_values(run_, inner.next, node, list_of(inner.live & inner.in.possible)));
    part.needs = (inner.live & ~set_of(node.slots)) | (set_of(node.slots) & inner.in.possible);
    return part;
  }

  Result<Part> join(const Node& node, Request request) {
    const Bound middle = analyse(*node.inputs[0], request.in);
    Request right = request, left = request;
    right.in = middle;
    right.alone = request.alone && node.inputs[0]->kind == Node::Kind::kUnit;
    if (!right.alone) right.top = nullptr;
    right.conditions.clear();
    left.conditions.clear();
    for (const Expr* condition : request.conditions) {
      const bool early = (slots_of(*condition) & ~middle.certain).none();
      (early ? left : right).conditions.push_back(condition);
    }
    ANIMA_ASSIGN(const Part part, compile(*node.inputs[1], std::move(right)));
    left.next = part.entry;
    left.live = part.needs;
    return compile(*node.inputs[0], std::move(left));
  }

  Result<Part> seeded(const Node& node, SeededJoin::Kind kind, Request request) {
    const Bound middle = analyse(*node.inputs[0], request.in);
    Request left = request;
    left.conditions.clear();
    // Partners come before the rows that found none.
    if (kind == SeededJoin::Kind::kLeft) left.top = nullptr;
    std::vector<const Expr*> late;
    for (const Expr* condition : request.conditions) {
      // What only the left side binds cannot change behind the join.
      const bool early =
          kind != SeededJoin::Kind::kLeft || (slots_of(*condition) & ~middle.certain).none();
      (early ? left.conditions : late).push_back(condition);
    }
    const Part after = filters(late, {request.next, request.live});
    const auto number = static_cast<Slot>(next_hidden_++);
    SlotSet seeds_wanted = after.needs;
    auto seeded_join =
        std::make_unique<SeededJoin>(run_, after.entry, kind, number, std::vector<Slot>{});
    SeededJoin* join = seeded_join.get();
    const std::size_t from = pipeline_.operators.size();
    Request right;
    right.next = keep(join->make_end());
    right.live = kind == SeededJoin::Kind::kLeft ? after.needs : SlotSet{};
    right.live.set(number);
    right.in = middle;
    right.in.certain.set(number);
    right.in.possible.set(number);
    right.alone = false;
    right.duplicates = kind == SeededJoin::Kind::kLeft && request.duplicates;
    right.marks = join->marks();
    for (const Expr& condition : node.conditions) right.conditions.push_back(&condition);
    ANIMA_ASSIGN(const Part part, compile(*node.inputs[1], std::move(right)));
    fix_depth(from, 1);
    join->set_entry(part.entry);
    keep(std::move(seeded_join));
    seeds_wanted |= part.needs;
    seeds_wanted.reset(number);
    join->set_seeded(list_of(seeds_wanted & (middle.possible | middle.certain)));
    left.next = join;
    left.live = seeds_wanted & (middle.possible | middle.certain);
    return compile(*node.inputs[0], std::move(left));
  }

  Result<Part> hash_join(const Node& node, HashJoin::Kind kind, Request request) {
    const Bound left_bound = analyse(*node.inputs[0], request.in),
                right_bound = analyse(*node.inputs[1], {});
    Request left = request;
    left.conditions.clear();
    left.top = nullptr;
    std::vector<const Expr*> late;
    for (const Expr* condition : request.conditions) {
      const bool early = (slots_of(*condition) & ~left_bound.certain).none();
      (early ? left.conditions : late).push_back(condition);
    }
    const Part after = filters(late, {request.next, request.live});
    SlotSet wanted = after.needs;
    for (const Expr& condition : node.conditions) wanted |= slots_of(condition);
    const bool rows = kind == HashJoin::Kind::kInner || kind == HashJoin::Kind::kLeft;
    HashJoin::Sides sides;
    const SlotSet keys = left_bound.certain & right_bound.certain;
    const SlotSet maybe = left_bound.possible & right_bound.possible & ~keys;
    sides.keys = list_of(keys);
    sides.maybe = list_of(maybe);
    sides.carried = list_of(wanted & left_bound.possible);
    if (rows) sides.made = list_of(wanted & right_bound.possible & ~keys);
    sides.needs_shared = node.needs_shared;
    auto joined = std::make_unique<HashJoin>(run_, after.entry, kind, sides, node.conditions);
    HashJoin* join = joined.get();
    const std::size_t from = pipeline_.operators.size();
    const SlotSet right_slots = keys | maybe | (rows ? wanted & right_bound.possible : SlotSet{});
    Sink* sink = keep(std::make_unique<Sink>(run_, list_of(right_slots), false));
    Request right;
    right.next = sink;
    right.live = right_slots;
    right.duplicates = rows && request.duplicates;
    ANIMA_ASSIGN(const Part part, compile(*node.inputs[1], std::move(right)));
    fix_depth(from, 1);
    join->set_right(part.entry, sink);
    left.next = keep(std::move(joined));
    left.live = (wanted | keys | maybe) & left_bound.possible;
    return compile(*node.inputs[0], std::move(left));
  }

  Result<Part> unite(const Node& node, Request request) {
    Request inner = below(request);
    Merge* merge = keep(std::make_unique<Merge>(run_, inner.next, node.inputs.size()));
    auto fork = std::make_unique<Fork>(run_);
    Part part;
    std::vector<Operator*> branches;
    for (std::size_t i = node.inputs.size(); i-- > 0;) {
      Request branch = inner;
      branch.next = merge;
      branch.top = nullptr;
      const std::size_t from = pipeline_.operators.size();
      ANIMA_ASSIGN(const Part compiled, compile(*node.inputs[i], std::move(branch)));
      fix_depth(from, 1);
      branches.push_back(compiled.entry);
      part.needs |= compiled.needs;
    }
    for (std::size_t i = branches.size(); i-- > 0;) fork->add(branches[i]);
    part.entry = keep(std::move(fork));
    return part;
  }

  Result<Part> extend(const Node& node, Request request) {
    const Slot slot = node.slots[0];
    Request inner = request;
    std::vector<const Expr*> late;
    inner.conditions.clear();
    for (const Expr* condition : request.conditions)
      (slots_of(*condition).test(slot) ? late : inner.conditions).push_back(condition);
    Part part = filters(late, {request.next, request.live});
    if (part.needs.test(slot)) {
      part.entry = keep(make_extend(run_, part.entry, slot, node.expression));
      part.needs.reset(slot);
      part.needs |= slots_of(node.expression);
    }
    inner.next = part.entry;
    inner.live = part.needs;
    return compile(*node.inputs[0], std::move(inner));
  }

  // Nodes that look at all rows before they say anything.
  Result<Part> whole(const Node& node, Request request) {
    Request inner = below(request);
    const Bound bound = analyse(*node.inputs[0], request.in);
    switch (node.kind) {
      case Node::Kind::kDistinct:
        if (run_.plan.unbound_matches_all || !is_set(*node.inputs[0], set_of(node.slots)))
          inner.next = keep(make_distinct(run_, inner.next, node.slots));
        inner.live |= set_of(node.slots);
        inner.duplicates = false;
        break;
      case Node::Kind::kGroup: {
        if (auto counter = make_count_predicates(run_, inner.next, node))
          return Part{keep(std::move(counter)), {}};
        inner.next = keep(make_group(run_, inner.next, node));
        inner.top = nullptr;
        inner.live = set_of(node.slots);
        inner.duplicates = false;
        for (const Aggregate& aggregate : node.aggregates) {
          if (aggregate.kind != AggregateKind::kCountRows) inner.live.set(aggregate.argument);
          const bool indifferent =
              aggregate.distinct || aggregate.kind == AggregateKind::kMinimum ||
              aggregate.kind == AggregateKind::kMaximum || aggregate.kind == AggregateKind::kSample;
          inner.duplicates =
              inner.duplicates || !indifferent || aggregate.kind == AggregateKind::kCountRows;
        }
        break;
      }
      case Node::Kind::kOrder: {
        auto order = make_order(run_, inner.next, node, list_of(inner.live & bound.possible));
        inner.top = order->early() ? order.get() : nullptr;
        inner.next = keep(std::move(order));
        for (const OrderKey& key : node.order) inner.live.set(key.slot);
        inner.duplicates = inner.duplicates || node.limit != ~std::uint64_t{0};
        break;
      }
      default:
        inner.next = keep(make_slice(run_, inner.next, node.offset, node.limit));
        inner.top = nullptr;
        inner.duplicates = true;
        break;
    }
    return compile(*node.inputs[0], std::move(inner));
  }

  Run& run_;
  Statistics& statistics_;
  std::size_t next_hidden_;
  Pipeline pipeline_;
  std::vector<std::unique_ptr<std::vector<Step>>> steps_;

 public:
  std::vector<std::unique_ptr<std::vector<Step>>> take_steps() { return std::move(steps_); }
};

}  // namespace

Result<Pipeline> compile(Run& run, Statistics& statistics, Sink& sink) {
  run.slot_count = run.plan.slot_count + count_seeded_joins(*run.plan.root);
  if (run.slot_count > kMaxSlots) {
    return fail(ErrorCode::kLimitExceeded,
                "the query has more than " + std::to_string(kMaxSlots) + " variables");
  }
  Compiler compiler(run, statistics);
  Request request;
  request.next = &sink;
  request.live = set_of(run.plan.results);
  ANIMA_ASSIGN(const Part part, compiler.compile(*run.plan.root, std::move(request)));
  Pipeline pipeline = compiler.take();
  pipeline.entry = part.entry;
  pipeline.steps = compiler.take_steps();
  return pipeline;
}

std::string describe(const Pipeline& pipeline, bool analyzed) {
  std::string text;
  for (std::size_t i = pipeline.operators.size(); i-- > 0;) {
    const Operator& op = *pipeline.operators[i];
    text.append(static_cast<std::size_t>(op.depth) * 2, ' ');
    text += op.describe();
    char note[128];
    if (op.estimate >= 0) {
      std::snprintf(note, sizeof note, "  [about %.0f rows]", op.estimate);
      text += note;
    }
    if (analyzed) {
      const Operator* next = op.next();
      const std::uint64_t out = next != nullptr ? next->rows_in : 0;
      const std::int64_t own =
          op.nanoseconds - (next != nullptr ? std::min(next->nanoseconds, op.nanoseconds) : 0);
      std::snprintf(note, sizeof note, "  (in %llu, out %llu, %.3f ms)",
                    static_cast<unsigned long long>(op.rows_in),
                    static_cast<unsigned long long>(out), static_cast<double>(own) / 1e6);
      text += note;
    }
    text += '\n';
  }
  return text;
}

}  // namespace anima::query::detail
