// One clause to one rule: safety, the order of the body, and the removal of sugar. Thread-safety:
// one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datalog/analysis/context.h"

namespace anima::datalog::detail {

class RuleBuilder {
 public:
  RuleBuilder(Context& context, const WorkClause& work);

  // Absent when something was reported.
  std::optional<Rule> build();
  const RuleOrigin& origin() const { return origin_; }

 private:
  struct Pending {  // a negated literal that waits for its variables
    const ast::Literal* literal;
    std::vector<Variable> needs;
    bool done = false;
  };

  // Variables.
  Variable fresh(std::string_view name = {});
  Variable variable(std::string_view name);
  Variable find(Variable v) const;
  bool bound(Variable v) const { return bound_[find(v)]; }
  void bind(Variable v) { bound_[find(v)] = true; }
  void alias(Variable a, Variable b);
  void renumber(Rule& rule);

  // Terms (rule_terms.cc). `in_let`: the integer forms of arithmetic.
  bool term(const ast::Term& from, bool in_let, Term& to);
  bool apply(const ast::Term& from, bool in_let, Term& to);
  bool arity_fits(const ast::Term& from, std::string_view name, std::size_t least,
                  std::size_t most);
  bool all_bound(const ast::Term& from) const;
  void needed_variables(const ast::Term& from, std::vector<Variable>& out);
  bool argument(const ast::Term& from, bool may_bind, Argument& to);
  bool arguments(const ast::Atom& atom, bool may_bind, std::vector<Argument>& to);

  // Literals (rule_literals.cc).
  Literal literal_here() const;
  void emit(Literal literal);
  bool release(bool all);
  bool body_literal(const ast::Literal& literal);
  bool positive(const ast::Literal& literal);
  bool negated(const ast::Literal& literal);
  bool reflected(const ast::Literal& literal, const Predicate& predicate, bool negated);
  bool comparison(const ast::Literal& literal);
  bool equation(const ast::Literal& literal);
  bool compare(ast::Comparison comparison, const ast::Term& left, const ast::Term& right);
  bool builtin(const ast::Literal& literal, bool negated);
  bool call(const ast::Literal& literal, bool negated);
  bool mode_fits(const ast::Literal& literal, const Predicate& predicate);
  void assign(Variable to, Term value);
  void compare_bound(ast::Comparison comparison, Term left, Term right);

  // Temporal atoms (temporal.cc).
  bool temporal(const ast::Literal& literal, bool negated);
  bool temporal_atom(const ast::Literal& literal, bool negated, const ast::Term& start,
                     const ast::Term& end);
  bool outside(const ast::Literal& literal, const ast::Term& start, const ast::Term& end,
               const std::vector<ast::Literal>& checks);
  bool everywhere(const ast::Literal& literal, const ast::Term& low, const ast::Term& high);
  bool range(const ast::TemporalOperator& op, ast::Term& low, ast::Term& high);
  ast::Term hidden_variable();
  bool head_interval(std::vector<Argument>& arguments);

  // Transforms and head (rule_transform.cc).
  bool transforms(Rule& rule);
  bool group(const ast::Transform& transform, Rule& rule);
  bool group_let(const ast::Let& let, Grouping& grouping);
  bool reducing_let(const ast::Let& let, Reducer reducer, Grouping& grouping);
  // A function of keys and earlier lets; a reducer's name stands for its list form.
  bool after_let(const ast::Let& let, bool is_reducer, Grouping& grouping);
  bool plain_let(const ast::Let& let);
  bool new_let_variable(const ast::Let& let, Variable& v);
  void row_variables(Grouping& grouping);
  bool head_value(const ast::Term& from, Argument& to);
  bool head(Rule& rule);
  bool inputs(Rule& rule);

  Context::Place place(Offset at, Offset end = 0) const;
  bool unsafe(Offset at, std::string_view name, std::string_view hint = {});
  bool report(Problem problem, Offset at, std::string message, std::string hint = {});
  Argument as_argument(Term term);
  Term as_term(Argument argument) const;

  Context& context_;
  const WorkClause& work_;
  const ast::Clause& clause_;
  RuleOrigin origin_;
  std::vector<Literal> body_;
  std::vector<VariableInfo> variables_;
  std::vector<Variable> parents_;
  std::vector<bool> bound_;
  std::unordered_map<std::string, Variable> names_;
  std::vector<Pending> pending_;
  std::vector<bool> let_variables_;  // by Variable: defined in the transform
  std::optional<Grouping> grouping_;
  const ast::Literal* now_building_ = nullptr;
  std::uint32_t hidden_ = 0;  // variables made so far
  Offset at_ = 0;             // of what is being built
};

}  // namespace anima::datalog::detail
