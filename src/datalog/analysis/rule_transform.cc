// The transforms of a clause (let, do fn:group_by) and its head.
#include <algorithm>

#include "datalog/analysis/constants.h"
#include "datalog/analysis/rule_builder.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {

using ast::TermKind;

bool RuleBuilder::new_let_variable(const ast::Let& let, Variable& v) {
  at_ = let.at;
  const auto known = names_.find(let.variable);
  if (known != names_.end()) {
    return report(Problem::kSafety, let.at, "let defines " + let.variable + " again",
                  "give the result a name that the body does not use");
  }
  v = variable(let.variable);
  let_variables_[v] = true;
  return true;
}

// A let without a do: one more equation at the end of the body. A reducer's name stands for its
// list form.
bool RuleBuilder::plain_let(const ast::Let& let) {
  Function function{};
  Reducer reducer{};
  Function list_function{};
  Term value;
  if (find_function(let.value.text, true, function) == nullptr &&
      find_list_function(let.value.text, list_function) != nullptr &&
      find_reducer(let.value.text, reducer) != nullptr) {
    if (!arity_fits(let.value, let.value.text, 1, 1)) return false;
    value.kind = Term::Kind::kApply;
    value.function = list_function;
    value.arguments.resize(1);
    if (!term(let.value.arguments[0], true, value.arguments[0])) return false;
  } else if (!term(let.value, true, value)) {
    return false;
  }
  Variable v = 0;
  if (!new_let_variable(let, v)) return false;
  assign(v, std::move(value));
  return true;
}

// Which bindings are different rows (spec 1.9).
void RuleBuilder::row_variables(Grouping& grouping) {
  grouping.rows_are_facts = work_.facts_are_rows;
  for (Variable v = 0; v < variables_.size(); ++v) {
    const Variable real = find(v);
    if (!bound(real) || let_variables_[real]) continue;
    const bool in_atom =
        work_.facts_are_rows && !body_.empty() &&
        std::any_of(body_.begin(), body_.end(), [&](const Literal& literal) {
          return literal.kind == LiteralKind::kAtom &&
                 std::any_of(literal.arguments.begin(), literal.arguments.end(),
                             [&](const Argument& argument) {
                               return !argument.constant && find(argument.value) == real;
                             });
        });
    if (work_.facts_are_rows ? in_atom : variables_[real].named) {
      grouping.row_variables.push_back(real);
    }
  }
}

bool RuleBuilder::group(const ast::Transform& transform, Rule& rule) {
  const ast::Term& by = *transform.group;
  if (by.text != "fn:group_by") {
    return report(Problem::kUndefined, by.at, by.text + " does not group",
                  "write do fn:group_by(..)");
  }
  Grouping grouping;
  row_variables(grouping);
  let_variables_.assign(variables_.size(), false);  // lets before the grouping belong to the body
  for (const ast::Term& key : by.arguments) {
    if (key.kind != TermKind::kVariable || key.text == "_") {
      return report(Problem::kSafety, key.at, "the keys of fn:group_by are variables of the body");
    }
    if (!all_bound(key))
      return unsafe(key.at, key.text, "a key of fn:group_by must occur in the body");
    const Variable v = variable(key.text);
    if (std::find(grouping.keys.begin(), grouping.keys.end(), v) != grouping.keys.end()) {
      return report(Problem::kSafety, key.at, "the key " + key.text + " is given twice",
                    "name each key once");
    }
    grouping.keys.push_back(v);
  }
  grouping_ = std::move(grouping);
  // Behind the grouping only keys and lets have a value.
  const std::vector<bool> in_body = bound_;
  for (const ast::Let& let : transform.lets) {
    bound_ = in_body;
    bound_.resize(variables_.size(), false);
    if (!group_let(let, *grouping_)) return false;
  }
  bound_.assign(variables_.size(), false);
  for (const Variable key : grouping_->keys) bind(key);
  for (Variable v = 0; v < variables_.size(); ++v) {
    if (let_variables_[v]) bound_[v] = true;
  }
  rule.grouping.reset();
  return true;
}

bool RuleBuilder::group_let(const ast::Let& let, Grouping& grouping) {
  at_ = let.at;
  Reducer reducer{};
  const Signature* known = find_reducer(let.value.text, reducer);
  const auto is_let = [this](const ast::Term& argument) {
    const auto name = names_.find(argument.text);
    return argument.kind == TermKind::kVariable && name != names_.end() &&
           let_variables_[find(name->second)];
  };
  const bool over_list = let.value.arguments.size() == 1 && is_let(let.value.arguments[0]);
  if (known == nullptr || over_list) return after_let(let, known != nullptr, grouping);
  if (!arity_fits(let.value, known->name, known->least, known->most)) return false;
  return reducing_let(let, reducer, grouping);
}

bool RuleBuilder::reducing_let(const ast::Let& let, Reducer reducer, Grouping& grouping) {
  Reduction reduction;
  reduction.reducer = reducer;
  for (const ast::Term& argument : let.value.arguments) {
    Argument converted;
    if (!this->argument(argument, false, converted)) return false;
    if (argument.kind == TermKind::kVariable && argument.text == "_") {
      return report(Problem::kSafety, argument.at, "_ has no value to compute with",
                    "give the variable a name");
    }
    if (converted.constant) converted = Argument::variable(fresh());
    if (is_constant_kind(argument.kind)) {
      Term constant;
      constant_code(argument, context_.values, constant.value);
      assign(converted.value, std::move(constant));
    }
    reduction.arguments.push_back(converted.value);
  }
  if (reducer == Reducer::kCountDistinct && reduction.arguments.empty()) {
    for (const Variable v : grouping.row_variables) {
      if (variables_[v].named) reduction.arguments.push_back(v);
    }
    if (reduction.arguments.size() == grouping.row_variables.size()) {
      reduction.reducer = Reducer::kCount;
      reduction.arguments.clear();
    }
  }
  Variable v = 0;
  if (!new_let_variable(let, v)) return false;
  reduction.result = v;
  grouping.reductions.push_back(std::move(reduction));
  return true;
}

bool RuleBuilder::after_let(const ast::Let& let, bool is_reducer, Grouping& grouping) {
  bound_.assign(variables_.size(), false);
  for (const Variable key : grouping.keys) bind(key);
  for (Variable v = 0; v < variables_.size(); ++v) {
    if (let_variables_[v]) bound_[v] = true;
  }
  Assignment assignment;
  if (is_reducer) {
    Function list_function{};
    if (find_list_function(let.value.text, list_function) == nullptr) {
      return report(Problem::kSafety, let.value.at, let.value.text + " does not take a list");
    }
    assignment.value.kind = Term::Kind::kApply;
    assignment.value.function = list_function;
    assignment.value.arguments.resize(1);
    if (!term(let.value.arguments[0], true, assignment.value.arguments[0])) return false;
  } else if (!term(let.value, true, assignment.value)) {
    return false;
  }
  Variable v = 0;
  if (!new_let_variable(let, v)) return false;
  assignment.variable = v;
  assignment.where = context_.lines[work_.unit].where(let.at);
  grouping.after.push_back(std::move(assignment));
  return true;
}

bool RuleBuilder::transforms(Rule& rule) {
  for (const ast::Transform& transform : clause_.transforms) {
    if (transform.group) {
      if (grouping_) {
        return report(Problem::kSafety, transform.at, "a rule groups once",
                      "put the first grouping into a rule of its own and group its result here");
      }
      if (!group(transform, rule)) return false;
      continue;
    }
    for (const ast::Let& let : transform.lets) {
      if (grouping_ ? !group_let(let, *grouping_) : !plain_let(let)) return false;
      if (grouping_) {
        for (Variable v = 0; v < variables_.size(); ++v) {
          if (let_variables_[v]) bound_[v] = true;
        }
      }
    }
  }
  return true;
}

// A value of the head; behind a grouping it is computed once a group.
bool RuleBuilder::head_value(const ast::Term& from, Argument& to) {
  if (from.kind == TermKind::kVariable) {
    if (from.text == "_") {
      return report(Problem::kSafety, from.at, "_ cannot stand in a head",
                    "name a variable that the body binds");
    }
    if (!all_bound(from)) {
      return unsafe(from.at, from.text,
                    grouping_ ? "behind a grouping the head may use keys and lets only"
                              : (clause_.is_fact() ? "a fact has no variables" : ""));
    }
    to = Argument::variable(variable(from.text));
    return true;
  }
  Term converted;
  if (!term(from, false, converted)) return false;
  if (grouping_ && converted.kind == Term::Kind::kApply) {
    const Variable v = fresh();
    grouping_->after.push_back(
        {v, std::move(converted), context_.lines[work_.unit].where(from.at)});
    bound_[v] = true;
    to = Argument::variable(v);
  } else {
    to = as_argument(std::move(converted));
  }
  return true;
}

bool RuleBuilder::head(Rule& rule) {
  at_ = clause_.head.at;
  for (const ast::Term& from : clause_.head.arguments) {
    Argument value;
    if (!head_value(from, value)) return false;
    rule.head_arguments.push_back(value);
  }
  return !context_.predicate(rule.head).temporal || head_interval(rule.head_arguments);
}

}  // namespace anima::datalog::detail
