#include "datalog/engine/network.h"

#include <algorithm>
#include <string>

#include "datalog/functions.h"
#include "datalog/limits.h"

namespace anima::datalog {

namespace {

Literal atom(RelationId relation, std::vector<Argument> arguments, const Rule& rule) {
  Literal out;
  out.kind = LiteralKind::kAtom;
  out.predicate = relation;
  out.arguments = std::move(arguments);
  out.where = rule.where;
  out.text = rule.text;
  return out;
}

bool is_integer_fold(const Reduction& reduction) {
  if (is_count(reduction.reducer)) return true;
  if (reduction.arguments.size() != 1) return false;
  return is_int_sum(reduction.reducer) || is_int_min(reduction.reducer) ||
         is_int_max(reduction.reducer);
}

// Whether a group's results follow from its last ones and the body's solutions that came and went.
// That takes solutions that are rows of the group each: atoms whose every variable tells rows
// apart, and nothing that can answer twice.
bool can_adjust(const Rule& rule) {
  const Grouping& grouping = *rule.grouping;
  if (!std::ranges::all_of(grouping.reductions, is_integer_fold)) return false;
  bool any = false;
  for (const Literal& literal : rule.body) {
    if (literal.kind == LiteralKind::kCall) return false;
    if (literal.kind == LiteralKind::kBuiltin && !literal.outputs.empty()) return false;
    if (literal.kind != LiteralKind::kAtom) continue;
    any = true;
    for (const Argument& argument : literal.arguments) {
      if (argument.constant) continue;
      const auto& told = grouping.row_variables;
      if (std::ranges::find(told, argument.value) == told.end()) return false;
    }
  }
  return any;
}

class Builder {
 public:
  explicit Builder(std::shared_ptr<const Program> program) {
    network_ = std::make_shared<Network>();
    network_->program = std::move(program);
  }

  std::shared_ptr<const Network> build(const std::vector<PredicateId>& foreign) {
    const Program& program = *network_->program;
    for (PredicateId id = 0; id < program.predicates.size(); ++id) {
      const Predicate& predicate = program.predicates[id];
      RelationInfo info;
      info.columns = predicate.columns;
      info.predicate = id;
      info.kind = predicate.external  ? RelationKind::kExternal
                  : predicate.derived ? RelationKind::kDerived
                                      : RelationKind::kBase;
      network_->relations.push_back(info);
    }
    for (StratumId s = 0; s < program.strata.size(); ++s) add_stratum(s);
    for (Component& component : network_->components) finish(component);
    for (const PredicateId predicate : foreign) {
      const RelationId given = network_->given(predicate);
      const RelationId hidden =
          add_relation(RelationKind::kHidden, network_->relations[given].columns, predicate);
      network_->relations[given].hidden = hidden;
    }
    return network_;
  }

 private:
  RelationId add_relation(RelationKind kind, std::uint32_t columns, PredicateId predicate) {
    RelationInfo info;
    info.kind = kind;
    info.columns = columns;
    info.predicate = predicate;
    network_->relations.push_back(info);
    return static_cast<RelationId>(network_->relations.size() - 1);
  }

  std::uint32_t add_rule(NetworkRule rule) {
    network_->rules.push_back(std::move(rule));
    return static_cast<std::uint32_t>(network_->rules.size() - 1);
  }

  void add_stratum(StratumId id) {
    const Program& program = *network_->program;
    const Stratum& stratum = program.strata[id];
    Component component;
    component.stratum = id;
    component.recursive = stratum.recursive;
    component.writes.assign(stratum.predicates.begin(), stratum.predicates.end());
    for (const PredicateId predicate : stratum.predicates) {
      if (program.predicates[predicate].lattice.has_value()) component.lattice = true;
      component.rules.push_back(copy_given(predicate));
    }
    for (const RuleId rule_id : stratum.rules) {
      const Rule& rule = program.rules[rule_id];
      if (rule.grouping.has_value()) {
        component.rules.push_back(add_grouping(rule, id));
      } else {
        component.rules.push_back(add_rule({RuleKind::kWritten, rule, rule_id, kNone}));
      }
    }
    network_->components.push_back(std::move(component));
  }

  std::uint32_t copy_given(PredicateId predicate) {
    const Predicate& p = network_->program->predicates[predicate];
    const RelationId given = add_relation(RelationKind::kGiven, p.columns, predicate);
    network_->relations[predicate].given = given;
    NetworkRule out;
    out.kind = RuleKind::kCopyGiven;
    out.rule.head = predicate;
    out.rule.internal = true;
    out.rule.where = p.where;
    out.rule.text = p.name;
    for (Variable v = 0; v < p.columns; ++v) {
      out.rule.head_arguments.push_back(Argument::variable(v));
      out.rule.variables.push_back({});
    }
    out.rule.body.push_back(atom(given, out.rule.head_arguments, out.rule));
    return add_rule(std::move(out));
  }

  // The component that keeps the groups comes first; the answer is the rule that copies them to the
  // head.
  std::uint32_t add_grouping(const Rule& rule, StratumId stratum) {
    NetworkRule groups;
    groups.kind = RuleKind::kGrouping;
    groups.rule = rule;
    groups.source = rule.id;
    groups.adjusts = can_adjust(rule);
    std::vector<Argument> columns;
    const auto add = [&](const Argument& argument) {
      if (argument.constant || std::ranges::find(columns, argument) != columns.end()) return;
      columns.push_back(argument);
    };
    for (const Variable key : rule.grouping->keys) add(Argument::variable(key));
    for (const Argument& argument : rule.head_arguments) add(argument);
    if (groups.adjusts) {
      auto& reductions = groups.rule.grouping->reductions;
      const bool counts = std::ranges::any_of(
          reductions, [](const Reduction& reduction) { return is_count(reduction.reducer); });
      if (!counts) {
        reductions.push_back(
            {static_cast<Variable>(groups.rule.variables.size()), Reducer::kCount, {}});
        groups.rule.variables.push_back({});
      }
      for (const Reduction& reduction : reductions) add(Argument::variable(reduction.result));
    }
    const RelationId relation =
        add_relation(RelationKind::kGroups, static_cast<std::uint32_t>(columns.size()), rule.head);
    groups.rule.head = relation;
    groups.rule.head_arguments = columns;
    groups.rule.check_bounds = false;
    NetworkRule copy;
    copy.rule.variables = groups.rule.variables;
    const std::uint32_t group_rule = add_rule(std::move(groups));
    Component component;
    component.grouping = true;
    component.stratum = stratum;
    component.writes = {relation};
    component.rules = {group_rule};
    network_->components.push_back(std::move(component));

    copy.kind = RuleKind::kCopyGroups;
    copy.rule.id = rule.id;
    copy.rule.head = rule.head;
    copy.rule.head_arguments = rule.head_arguments;
    copy.rule.check_bounds = rule.check_bounds;
    copy.rule.where = rule.where;
    copy.rule.text = rule.text;
    copy.rule.body.push_back(atom(relation, columns, rule));
    copy.source = rule.id;
    copy.grouping = group_rule;
    return add_rule(std::move(copy));
  }

  void finish(Component& component) {
    const auto index = static_cast<std::uint32_t>(&component - network_->components.data());
    for (const RelationId relation : component.writes)
      network_->relations[relation].component = index;
    for (const std::uint32_t rule : component.rules) {
      for (const Literal& literal : network_->rules[rule].rule.body) {
        if (literal.predicate == kNone) continue;
        if (std::ranges::find(component.writes, literal.predicate) == component.writes.end()) {
          component.reads.push_back(literal.predicate);
        }
      }
    }
    std::ranges::sort(component.reads);
    component.reads.erase(std::unique(component.reads.begin(), component.reads.end()),
                          component.reads.end());
  }

  std::shared_ptr<Network> network_;
};

}  // namespace

Status check_widths(const Program& program) {
  const auto refuse = [](const std::string& what, const std::string& where) {
    return fail(ErrorCode::kLimitExceeded,
                what + ", more than the " + std::to_string(kMaxColumns) + " that there may be",
                where, "put what belongs together into a list or a struct");
  };
  for (const Predicate& predicate : program.predicates) {
    if (predicate.columns <= kMaxColumns) continue;
    return refuse(predicate.name + " has " + std::to_string(predicate.columns) + " columns",
                  predicate.where);
  }
  for (const Rule& rule : program.rules) {
    if (!rule.grouping.has_value() || rule.grouping->keys.size() <= kMaxColumns) continue;
    return refuse("the group has " + std::to_string(rule.grouping->keys.size()) + " keys",
                  rule.where);
  }
  return {};
}

std::shared_ptr<const Network> build_network(std::shared_ptr<const Program> program,
                                             const std::vector<PredicateId>& foreign) {
  return Builder(std::move(program)).build(foreign);
}

}  // namespace anima::datalog
