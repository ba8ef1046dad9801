#include "datalog/engine/plan_slots.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "datalog/engine/network.h"

namespace anima::datalog {
namespace {

class SlotSettler {
 public:
  SlotSettler(Plan& plan, const Rule& rule, const std::vector<std::vector<Variable>>& needed)
      : plan_(plan), rule_(rule), needed_(needed) {}

  void run(const std::vector<bool>& bound, bool keep_all) {
    const std::set<Slot> sink = read_by_sink();
    for (const Slot s : sink) {
      if (bound[s]) plan_.wanted.push_back(s);
    }
    // From the end: which slots does each operator still have to hand on?
    std::set<Slot> wanted = sink;
    std::vector<bool> later(plan_.slots, false);  // read by a later operator or wanted
    for (const Slot s : plan_.wanted) later[s] = true;
    for (std::size_t i = plan_.ops.size(); i > 0; --i) {
      Op& op = plan_.ops[i - 1];
      for (const Slot s : outputs(op)) wanted.erase(s);
      op.carry.assign(wanted.begin(), wanted.end());
      const std::vector<Slot> own = inputs(op);
      // Columns whose variable nobody reads need not be copied.
      if (!keep_all && op.kind == OpKind::kProbe) drop_unused(op.access[0], later);
      for (const Slot s : own) later[s] = true;
      wanted.insert(own.begin(), own.end());
    }
    if (!keep_all && plan_.source == SourceKind::kRows) drop_unused(plan_.access, later);
  }

 private:
  std::set<Slot> read_by_sink() const {
    std::set<Slot> wanted;
    if (plan_.goal != PlanGoal::kCheck) {
      if (rule_.grouping.has_value()) {
        for (const Variable v : rule_.grouping->keys) wanted.insert(v);
        for (const Variable v : rule_.grouping->row_variables) wanted.insert(v);
        for (const Reduction& r : rule_.grouping->reductions) {
          for (const Variable v : r.arguments) wanted.insert(v);
        }
      } else {
        for (const Argument& argument : rule_.head_arguments) {
          if (!argument.constant) wanted.insert(argument.value);
        }
      }
    }
    if (plan_.track) wanted.insert(plan_.height_slot());
    if (plan_.source == SourceKind::kHead) {
      wanted.insert(plan_.origin_slot());
      if (plan_.guard) wanted.insert(plan_.guard_slot());
    }
    return wanted;
  }

  static void drop_unused(Access& access, const std::vector<bool>& later) {
    std::erase_if(access.binds, [&](const auto& bind) { return !later[bind.second]; });
  }

  std::vector<Slot> outputs(const Op& op) const {
    std::vector<Slot> out;
    if (op.kind == OpKind::kProbe) {
      for (const auto& [column, slot] : op.access[0].binds) out.push_back(slot);
    } else if (op.kind == OpKind::kMeet) {
      out.push_back(op.access[0].binds[0].second);
    } else if (op.kind == OpKind::kAssign && !op.known) {
      out.push_back(rule_.body[op.literal].variable);
    } else if (op.kind == OpKind::kBuiltin) {
      const Literal& literal = rule_.body[op.literal];
      for (std::size_t i = 0; i < literal.outputs.size(); ++i) {
        if (!op.bound[i]) out.push_back(literal.outputs[i]);
      }
    }
    return out;
  }

  std::vector<Slot> inputs(const Op& op) const {
    std::vector<Slot> out;
    for (const Access& a : op.access) {
      for (const Argument& k : a.key) {
        if (!k.constant) out.push_back(k.value);
      }
      for (const auto& [column, argument] : a.tests) {
        if (!argument.constant) out.push_back(argument.value);
      }
      if (plan_.guard && a.recursive) out.push_back(plan_.guard_slot());
      if (plan_.track && a.recursive) out.push_back(plan_.height_slot());
    }
    const Literal& literal = rule_.body[op.literal];
    if (op.kind == OpKind::kAssign || op.kind == OpKind::kCompare || op.kind == OpKind::kBuiltin) {
      for (const Variable v : needed_[op.literal]) {
        out.push_back(v);
      }
      if (op.kind == OpKind::kAssign && op.known) out.push_back(literal.variable);
      for (std::size_t i = 0; i < op.bound.size(); ++i) {
        if (op.bound[i]) out.push_back(literal.outputs[i]);
      }
    } else if (op.kind == OpKind::kAsk) {
      for (const Argument& argument : literal.arguments) {
        if (!argument.constant && bound_at_ask(op, argument.value)) out.push_back(argument.value);
      }
    }
    return out;
  }

  bool bound_at_ask(const Op& op, Variable v) const {
    const Literal& literal = rule_.body[op.literal];
    if (is_negative(literal)) {
      const auto& named = needed_[op.literal];
      return std::ranges::find(named, v) != named.end();
    }
    return std::ranges::any_of(literal.inputs, [&](std::uint32_t input) {
      return literal.arguments[input] == Argument::variable(v);
    });
  }

  Plan& plan_;
  const Rule& rule_;
  const std::vector<std::vector<Variable>>& needed_;
};

}  // namespace

void settle_slots(Plan& plan, const Rule& rule, const std::vector<std::vector<Variable>>& needed,
                  const std::vector<bool>& bound, bool keep_all) {
  SlotSettler(plan, rule, needed).run(bound, keep_all);
}

}  // namespace anima::datalog
