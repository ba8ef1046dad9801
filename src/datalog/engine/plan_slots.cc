#include "datalog/engine/plan_slots.h"

#include <algorithm>
#include <cstddef>

#include "datalog/engine/body.h"

namespace anima::datalog {
namespace {

class SlotSettler {
 public:
  SlotSettler(Plan& plan, const Rule& rule) : plan_(plan), rule_(rule) {}

  void run(const std::vector<bool>& bound, bool keep_all) {
    std::vector<bool> wanted = read_by_sink();
    for (Slot s = 0; s < plan_.slots; ++s) {
      if (wanted[s] && bound[s]) plan_.wanted.push_back(s);
    }
    // From the end: which slots does each operator still have to hand on?
    for (std::size_t i = plan_.ops.size(); i > 0; --i) {
      Op& op = plan_.ops[i - 1];
      const std::vector<Slot> own = outputs(op);
      for (Slot s = 0; s < plan_.slots; ++s) {
        if (wanted[s] && std::ranges::find(own, s) == own.end()) op.carry.push_back(s);
      }
      for (const Slot s : own) wanted[s] = false;
      for (const Slot s : inputs(op)) wanted[s] = true;
    }
    if (!keep_all) drop_unused();
  }

 private:
  std::vector<bool> read_by_sink() const {
    std::vector<bool> wanted(plan_.slots, false);
    if (plan_.goal != PlanGoal::kCheck) {
      if (rule_.grouping.has_value()) {
        for (const Variable v : rule_.grouping->keys) wanted[v] = true;
        for (const Variable v : rule_.grouping->row_variables) wanted[v] = true;
        for (const Reduction& r : rule_.grouping->reductions) {
          for (const Variable v : r.arguments) wanted[v] = true;
        }
      } else {
        for (const Argument& argument : rule_.head_arguments) {
          if (!argument.constant) wanted[argument.value] = true;
        }
      }
    }
    wanted[plan_.height_slot()] = plan_.track;
    if (plan_.source == SourceKind::kHead) {
      wanted[plan_.origin_slot()] = true;
      wanted[plan_.guard_slot()] = plan_.guard;
    }
    return wanted;
  }

  // Columns whose variable nobody reads need not be copied.
  void drop_unused() {
    for (std::size_t i = 0; i <= plan_.ops.size(); ++i) {
      std::vector<bool> later(plan_.slots, false);
      for (const Slot s : plan_.wanted) later[s] = true;
      for (std::size_t j = i; j < plan_.ops.size(); ++j) {
        for (const Slot s : inputs(plan_.ops[j])) later[s] = true;
      }
      Access* a = nullptr;
      if (i == 0) {
        if (plan_.source == SourceKind::kRows) a = &plan_.access;
      } else if (plan_.ops[i - 1].kind == OpKind::kProbe) {
        a = &plan_.ops[i - 1].access[0];
      }
      if (a != nullptr) {
        std::erase_if(a->binds, [&](const auto& bind) { return !later[bind.second]; });
      }
    }
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
      for (const Variable v : needed_variables(rule_, op.literal)) {
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
      const auto named = needed_variables(rule_, op.literal);
      return std::ranges::find(named, v) != named.end();
    }
    return std::ranges::any_of(literal.inputs, [&](std::uint32_t input) {
      return literal.arguments[input] == Argument::variable(v);
    });
  }

  Plan& plan_;
  const Rule& rule_;
};

}  // namespace

void settle_slots(Plan& plan, const Rule& rule, const std::vector<bool>& bound, bool keep_all) {
  SlotSettler(plan, rule).run(bound, keep_all);
}

}  // namespace anima::datalog
