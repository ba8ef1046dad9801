#include "datalog/detail/rule_builder.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "datalog/detail/constants.h"
#include "datalog/detail/signatures.h"

namespace anima::datalog::detail {

using ast::Comparison;
using ast::TermKind;

RuleBuilder::RuleBuilder(Context& context, const WorkClause& work)
    : context_(context), work_(work), clause_(work.clause) {
  origin_ = {work.unit, clause_.at, clause_.end, {}};
  at_ = clause_.at;
}

// ---- Reports

Context::Place RuleBuilder::place(Offset at, Offset end) const {
  return {work_.unit, at, std::max(end, at + 1), clause_.at, clause_.end};
}

bool RuleBuilder::report(Problem problem, Offset at, std::string message, std::string hint) {
  context_.report(problem, place(at), std::move(message), std::move(hint));
  return false;
}

bool RuleBuilder::unsafe(Offset at, std::string_view name, std::string_view hint) {
  std::string text = hint.empty() ? "bind " + std::string(name) +
                                        " by a positive atom or an equation to the left of its use"
                                  : std::string(hint);
  return report(Problem::kSafety, at, "the variable " + std::string(name) + " is not bound",
                std::move(text));
}

// ---- Variables

Variable RuleBuilder::fresh(std::string_view name) {
  const auto v = static_cast<Variable>(variables_.size());
  const bool named = !name.empty() && name.find('#') == std::string_view::npos;
  variables_.push_back({std::string(name.empty() ? "_" : name), named});
  parents_.push_back(v);
  bound_.push_back(false);
  let_variables_.push_back(false);
  return v;
}

Variable RuleBuilder::variable(std::string_view name) {
  const auto [entry, added] = names_.try_emplace(std::string(name), 0);
  if (added) entry->second = fresh(name);
  return find(entry->second);
}

Variable RuleBuilder::find(Variable v) const {
  while (parents_[v] != v) v = parents_[v];
  return v;
}

void RuleBuilder::alias(Variable a, Variable b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  if (!variables_[b].named) std::swap(a, b);  // a named one stays
  parents_[a] = b;
  bound_[b] = bound_[a] || bound_[b];
}

namespace {

void renumber_term(Term& term, const std::vector<Variable>& numbers) {
  if (term.kind == Term::Kind::kVariable) term.value = numbers[term.value];
  for (Term& argument : term.arguments) renumber_term(argument, numbers);
}

void renumber_arguments(std::vector<Argument>& arguments, const std::vector<Variable>& numbers) {
  for (Argument& argument : arguments) {
    if (!argument.constant) argument.value = numbers[argument.value];
  }
}

}  // namespace

// Aliases become one variable, and numbers are dense again.
void RuleBuilder::renumber(Rule& rule) {
  std::vector<Variable> numbers(variables_.size(), kNone);
  for (Variable v = 0; v < variables_.size(); ++v) {
    if (find(v) != v) continue;
    numbers[v] = static_cast<Variable>(rule.variables.size());
    rule.variables.push_back(variables_[v]);
  }
  for (Variable v = 0; v < variables_.size(); ++v) numbers[v] = numbers[find(v)];

  renumber_arguments(rule.head_arguments, numbers);
  for (Variable& input : rule.inputs) input = numbers[input];
  for (Literal& literal : rule.body) {
    renumber_arguments(literal.arguments, numbers);
    for (Variable& output : literal.outputs) output = numbers[output];
    if (literal.variable != kNone) literal.variable = numbers[literal.variable];
    renumber_term(literal.left, numbers);
    renumber_term(literal.right, numbers);
  }
  if (!rule.grouping) return;
  for (Variable& key : rule.grouping->keys) key = numbers[key];
  std::vector<Variable>& rows = rule.grouping->row_variables;
  for (Variable& row : rows) row = numbers[row];
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (Reduction& reduction : rule.grouping->reductions) {
    reduction.result = numbers[reduction.result];
    for (Variable& argument : reduction.arguments) argument = numbers[argument];
  }
  for (Assignment& assignment : rule.grouping->after) {
    assignment.variable = numbers[assignment.variable];
    renumber_term(assignment.value, numbers);
  }
}

// ---- Terms

bool RuleBuilder::all_bound(const ast::Term& from) const {
  if (from.kind == TermKind::kVariable) {
    const auto known = names_.find(from.text);
    return known != names_.end() && bound(known->second);
  }
  return std::all_of(from.arguments.begin(), from.arguments.end(),
                     [this](const ast::Term& argument) { return all_bound(argument); });
}

void RuleBuilder::needed_variables(const ast::Term& from, std::vector<Variable>& out) {
  if (from.kind == TermKind::kVariable) {
    if (from.text != "_") out.push_back(variable(from.text));
    return;
  }
  for (const ast::Term& argument : from.arguments) needed_variables(argument, out);
}

bool RuleBuilder::arity_fits(const ast::Term& from, std::string_view name, std::size_t least,
                             std::size_t most) {
  const std::size_t given = from.arguments.size();
  if (given >= least && (most == 255 || given <= most)) return true;
  std::string wanted = std::to_string(least);
  if (most == 255) {
    wanted = "at least " + wanted;
  } else if (most != least) {
    wanted += " to " + std::to_string(most);
  }
  return report(
      Problem::kArity, from.at,
      std::string(name) + " takes " + wanted + " arguments, here are " + std::to_string(given));
}

bool RuleBuilder::apply(const ast::Term& from, bool in_let, Term& to) {
  Function function{};
  const Signature* known = find_function(from.text, in_let, function);
  if (known == nullptr) {
    Reducer reducer{};
    if (find_reducer(from.text, reducer) != nullptr) {
      return report(Problem::kSafety, from.at, from.text + " is a reducer",
                    "use it in a let behind |> do fn:group_by(..)");
    }
    std::vector<std::string> names;
    for (const Signature& one : functions()) names.emplace_back(one.name);
    for (const Signature& one : reducers()) names.emplace_back(one.name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return report(Problem::kUndefined, from.at, "there is no function " + from.text,
                  did_you_mean(nearest_names(from.text, std::span<const std::string>(names))));
  }
  if (!arity_fits(from, from.text, known->least, known->most)) return false;
  if ((function == Function::kMap || function == Function::kStruct) &&
      from.arguments.size() % 2 != 0) {
    return report(Problem::kArity, from.at,
                  from.text + " takes pairs of a key and a value, here are " +
                      std::to_string(from.arguments.size()) + " arguments");
  }
  to.kind = Term::Kind::kApply;
  to.function = function;
  bool constant = function != Function::kNow;
  for (const ast::Term& argument : from.arguments) {
    Term converted;
    if (!term(argument, in_let, converted)) return false;
    constant = constant && converted.kind == Term::Kind::kConstant;
    to.arguments.push_back(std::move(converted));
  }
  if (!constant) return true;
  std::vector<Code> codes;
  for (const Term& argument : to.arguments) codes.push_back(argument.value);
  Evaluation evaluation{context_.values};
  Code code = 0;
  // A call that fails stays as it is: it is an error only when it is reached.
  if (evaluate(function, codes, evaluation, code)) {
    to = {};
    to.value = code;
  }
  return true;
}

bool RuleBuilder::term(const ast::Term& from, bool in_let, Term& to) {
  to = {};
  switch (from.kind) {
    case TermKind::kVariable: {
      if (from.text == "_") {
        return report(Problem::kSafety, from.at, "_ has no value to compute with",
                      "give the variable a name and bind it");
      }
      to.kind = Term::Kind::kVariable;
      to.value = variable(from.text);
      return bound(to.value) || unsafe(from.at, from.text);
    }
    case TermKind::kApply:
      return apply(from, in_let, to);
    default:
      if (!is_constant_kind(from.kind) || !constant_code(from, context_.values, to.value)) {
        return report(Problem::kSyntax, from.at, "a type is not a value");
      }
      return true;
  }
}

Term RuleBuilder::as_term(Argument argument) const {
  Term term;
  term.kind = argument.constant ? Term::Kind::kConstant : Term::Kind::kVariable;
  term.value = argument.value;
  return term;
}

Argument RuleBuilder::as_argument(Term term) {
  if (term.kind == Term::Kind::kConstant) return Argument::code(term.value);
  if (term.kind == Term::Kind::kVariable) return Argument::variable(term.value);
  const Variable v = fresh();
  assign(v, std::move(term));
  return Argument::variable(v);
}

// An argument of an atom. `may_bind`: an unbound variable is bound by the atom.
bool RuleBuilder::argument(const ast::Term& from, bool may_bind, Argument& to) {
  if (from.kind == TermKind::kVariable) {
    const Variable v = from.text == "_" ? fresh() : variable(from.text);
    to = Argument::variable(v);
    return may_bind || from.text == "_" || bound(v) || unsafe(from.at, from.text);
  }
  Term converted;
  if (!term(from, false, converted)) return false;
  to = as_argument(std::move(converted));
  return true;
}

bool RuleBuilder::arguments(const ast::Atom& atom, bool may_bind, std::vector<Argument>& to) {
  for (const ast::Term& from : atom.arguments) {
    Argument converted;
    if (!argument(from, may_bind, converted)) return false;
    to.push_back(converted);
  }
  return true;
}

// ---- Literals

Literal RuleBuilder::literal_here() const {
  Literal literal;
  if (now_building_ != nullptr) {
    const LineIndex& lines = context_.lines[work_.unit];
    literal.where = lines.where(now_building_->at);
    literal.text = lines.source().snippet(now_building_->at, now_building_->end);
  } else {
    literal.where = context_.lines[work_.unit].where(at_);
  }
  return literal;
}

void RuleBuilder::emit(Literal literal) {
  for (const Argument& argument : literal.arguments) {
    if (literal.kind == LiteralKind::kNegated || literal.negated) break;
    if (!argument.constant) bind(argument.value);
  }
  if (literal.kind == LiteralKind::kAssign) bind(literal.variable);
  origin_.literals.push_back(now_building_ != nullptr ? now_building_->at : at_);
  body_.push_back(std::move(literal));
}

void RuleBuilder::assign(Variable to, Term value) {
  Literal literal = literal_here();
  literal.kind = LiteralKind::kAssign;
  literal.variable = to;
  literal.may_fail = value.kind == Term::Kind::kApply;
  literal.left = std::move(value);
  emit(std::move(literal));
}

void RuleBuilder::compare_bound(Comparison comparison, Term left, Term right) {
  Literal literal = literal_here();
  literal.kind = LiteralKind::kCompare;
  literal.comparison = comparison;
  literal.may_fail = comparison > Comparison::kNotEqual || left.kind == Term::Kind::kApply ||
                     right.kind == Term::Kind::kApply;
  literal.left = std::move(left);
  literal.right = std::move(right);
  emit(std::move(literal));
}

// Emits the negated literals whose variables are all bound by now; with `all` the others are
// unsafe.
bool RuleBuilder::release(bool all) {
  for (Pending& pending : pending_) {
    if (pending.done) continue;
    const auto open = std::find_if(pending.needs.begin(), pending.needs.end(),
                                   [this](Variable v) { return !bound(v); });
    if (open == pending.needs.end()) {
      pending.done = true;
      const ast::Literal* const before = now_building_;
      now_building_ = pending.literal;
      const bool good = negated(*pending.literal);
      now_building_ = before;
      if (!good) return false;
    } else if (all) {
      return unsafe(pending.literal->at, variables_[*open].name,
                    "a negated atom binds nothing; bind the variable by a positive atom, or write "
                    "_ if any value counts");
    }
  }
  return true;
}

bool RuleBuilder::body_literal(const ast::Literal& literal) {
  now_building_ = &literal;
  at_ = literal.at;
  bool good = true;
  switch (literal.kind) {
    case ast::LiteralKind::kComparison:
      good = comparison(literal);
      break;
    case ast::LiteralKind::kNegated: {
      if (literal.atom.predicate.empty()) return false;  // reported when names were resolved
      Pending pending{&literal, {}, false};
      for (const ast::Term& argument : literal.atom.arguments) {
        needed_variables(argument, pending.needs);
      }
      if (literal.when) {
        for (const ast::Bound* bound :
             {&literal.when->start, literal.when->end ? &*literal.when->end : nullptr}) {
          if (bound != nullptr && bound->kind == ast::BoundKind::kVariable) {
            pending.needs.push_back(variable(bound->variable));
          }
        }
      }
      pending_.push_back(std::move(pending));
      break;
    }
    default:
      if (literal.atom.predicate.empty()) return false;
      good = positive(literal);
      break;
  }
  good = good && release(false);
  now_building_ = nullptr;
  return good;
}

bool RuleBuilder::mode_fits(const ast::Literal& literal, const Predicate& predicate) {
  if (predicate.modes.empty()) return true;
  std::string_view open;
  for (const std::vector<Mode>& mode : predicate.modes) {
    bool fits = true;
    for (std::size_t i = 0; i < mode.size() && fits; ++i) {
      const ast::Term& argument = literal.atom.arguments[i];
      fits = mode[i] != Mode::kInput || all_bound(argument);
      if (fits) continue;
      const bool named = argument.kind == TermKind::kVariable;
      open = named ? std::string_view(argument.text) : std::string_view("an argument");
    }
    if (fits) return true;
  }
  return unsafe(
      literal.at, open,
      predicate.name + " is declared with a mode: its '+' places must be bound to the left");
}

// What a predicate of this kind holds are the names with its prefix.
bool RuleBuilder::reflected(const ast::Literal& literal, const Predicate& predicate, bool negated) {
  Argument name;
  if (!argument(literal.atom.arguments[0], false, name)) return false;
  Literal made = literal_here();
  made.kind = LiteralKind::kBuiltin;
  made.builtin = Builtin::kMatchPrefix;
  made.negated = negated;
  made.arguments = {name, Argument::code(context_.values.name(predicate.reflects))};
  emit(std::move(made));
  return true;
}

bool RuleBuilder::positive(const ast::Literal& literal) {
  if (literal.atom.predicate.front() == ':') return builtin(literal, false);
  const PredicateId id = context_.program.find(literal.atom.predicate);
  const Predicate& predicate = context_.predicate(id);
  if (!predicate.reflects.empty()) return reflected(literal, predicate, false);
  if (predicate.temporal) return temporal(literal, false);
  if (literal.when || literal.temporal.kind != ast::TemporalKind::kNone) {
    return report(Problem::kTemporal, literal.at, predicate.name + " is not temporal",
                  "declare it: Decl " + predicate.name + "(..) temporal");
  }
  if (predicate.external) return call(literal, false);
  if (!mode_fits(literal, predicate)) return false;
  Literal made = literal_here();
  made.predicate = id;
  if (!arguments(literal.atom, true, made.arguments)) return false;
  emit(std::move(made));
  return true;
}

bool RuleBuilder::negated(const ast::Literal& literal) {
  if (literal.atom.predicate.front() == ':') return builtin(literal, true);
  const PredicateId id = context_.program.find(literal.atom.predicate);
  const Predicate& predicate = context_.predicate(id);
  if (!predicate.reflects.empty()) return reflected(literal, predicate, true);
  if (predicate.temporal) return temporal(literal, true);
  if (literal.when) {
    return report(Problem::kTemporal, literal.at, predicate.name + " is not temporal",
                  "declare it: Decl " + predicate.name + "(..) temporal");
  }
  if (predicate.external) return call(literal, true);
  Literal made = literal_here();
  made.kind = LiteralKind::kNegated;
  made.predicate = id;
  if (!arguments(literal.atom, false, made.arguments)) return false;
  emit(std::move(made));
  return true;
}

// An external predicate.
bool RuleBuilder::call(const ast::Literal& literal, bool negated) {
  const PredicateId id = context_.program.find(literal.atom.predicate);
  const Predicate& predicate = context_.predicate(id);
  if (!mode_fits(literal, predicate)) return false;
  Literal made = literal_here();
  made.kind = LiteralKind::kCall;
  made.predicate = id;
  made.negated = negated;
  made.may_fail = true;
  if (!arguments(literal.atom, true, made.arguments)) return false;
  const std::vector<Mode>* mode = predicate.modes.empty() ? nullptr : &predicate.modes.front();
  for (std::uint32_t i = 0; i < made.arguments.size(); ++i) {
    const Argument& given = made.arguments[i];
    const bool has_value = given.constant || bound(given.value);
    if (has_value && (mode == nullptr || (*mode)[i] != Mode::kOutput)) made.inputs.push_back(i);
  }
  emit(std::move(made));
  return true;
}

bool RuleBuilder::comparison(const ast::Literal& literal) {
  if (literal.comparison == Comparison::kEqual) return equation(literal);
  return compare(literal.comparison, literal.left, literal.right);
}

bool RuleBuilder::compare(Comparison comparison, const ast::Term& left, const ast::Term& right) {
  Term a;
  Term b;
  if (!term(left, false, a) || !term(right, false, b)) return false;
  compare_bound(comparison, std::move(a), std::move(b));
  return true;
}

bool RuleBuilder::equation(const ast::Literal& literal) {
  const ast::Term* left = &literal.left;
  const ast::Term* right = &literal.right;
  const auto open_variable = [this](const ast::Term& t) {
    return t.kind == TermKind::kVariable && !all_bound(t);
  };
  if (!open_variable(*left)) std::swap(left, right);
  if (!open_variable(*left)) return compare(Comparison::kEqual, literal.left, literal.right);
  if (left->text == "_" || right->text == "_") {
    if (right->kind == TermKind::kVariable) return true;
  }
  const Variable v = left->text == "_" ? fresh() : variable(left->text);
  if (open_variable(*right)) {
    alias(v, variable(right->text));
    return true;
  }
  Term value;
  if (!term(*right, false, value)) return false;
  assign(v, std::move(value));
  return true;
}

bool RuleBuilder::builtin(const ast::Literal& literal, bool negated) {
  Builtin builtin{};
  const Signature* known = find_builtin(literal.atom.predicate, builtin);
  const std::vector<ast::Term>& given = literal.atom.arguments;
  if (given.size() != known->least) {
    return report(Problem::kArity, literal.atom.at,
                  std::string(known->name) + " takes " + std::to_string(known->least) +
                      " arguments, here are " + std::to_string(given.size()));
  }
  if (builtin >= Builtin::kLess && !negated) {
    constexpr std::array kComparisons = {Comparison::kLess, Comparison::kLessEqual,
                                         Comparison::kGreater, Comparison::kGreaterEqual};
    const auto which = static_cast<std::size_t>(builtin) - static_cast<std::size_t>(Builtin::kLess);
    return compare(kComparisons[which], given[0], given[1]);
  }
  Literal made = literal_here();
  std::vector<std::pair<Variable, Variable>> equal;
  for (std::size_t i = 0; i < given.size(); ++i) {
    Argument converted;
    const bool output = is_output(*known, i);
    if (!output && given[i].kind == TermKind::kVariable && given[i].text == "_") {
      return report(Problem::kSafety, given[i].at, "_ has no value to test",
                    "give the variable a name and bind it");
    }
    if (!argument(given[i], output && !negated, converted)) return false;
    if (output && !converted.constant && !bound(converted.value)) {
      if (negated && given[i].text != "_") return unsafe(given[i].at, given[i].text);
      const Variable v = find(converted.value);
      const bool twice =
          std::find(made.outputs.begin(), made.outputs.end(), v) != made.outputs.end();
      if (twice) {  // :match_pair(P, X, X)
        converted.value = fresh();
        equal.emplace_back(v, converted.value);
      }
      if (!negated) made.outputs.push_back(find(converted.value));
    }
    made.arguments.push_back(converted);
  }
  made.kind = LiteralKind::kBuiltin;
  made.builtin = builtin;
  made.negated = negated;
  made.may_fail = may_fail(builtin);
  emit(std::move(made));
  for (const auto& [a, b] : equal) {
    compare_bound(Comparison::kEqual, as_term(Argument::variable(a)),
                  as_term(Argument::variable(b)));
  }
  return true;
}

// The '+' places of a deferred rule's head.
bool RuleBuilder::inputs(Rule& rule) {
  for (const std::uint32_t place : work_.inputs) {
    const ast::Term& from = clause_.head.arguments[place];
    const bool plain = from.kind == TermKind::kVariable && from.text != "_" && !all_bound(from);
    const Variable v = plain ? variable(from.text) : fresh();
    bind(v);
    rule.inputs.push_back(v);
    if (plain || (from.kind == TermKind::kVariable && from.text == "_")) continue;
    Term value;
    if (!term(from, false, value)) return false;
    compare_bound(Comparison::kEqual, as_term(Argument::variable(v)), std::move(value));
  }
  return true;
}

std::optional<Rule> RuleBuilder::build() {
  Rule rule;
  rule.head = context_.program.find(clause_.head.predicate);
  if (rule.head == kNone) return std::nullopt;
  if (clause_.head.arguments.size() != context_.predicate(rule.head).arity) return std::nullopt;
  const LineIndex& lines = context_.lines[work_.unit];
  rule.where = lines.where(clause_.at);
  rule.text = lines.source().snippet(clause_.at, clause_.end);
  rule.internal = work_.internal;
  if (!inputs(rule)) return std::nullopt;
  bool good = true;
  for (const ast::Literal& literal : clause_.body) {
    if (!body_literal(literal)) {
      good = false;
      break;
    }
  }
  if (!good || !release(true) || !transforms(rule) || !head(rule)) return std::nullopt;
  rule.body = std::move(body_);
  rule.grouping = std::move(grouping_);
  renumber(rule);
  return rule;
}

}  // namespace anima::datalog::detail
