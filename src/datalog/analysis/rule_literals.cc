// The literals of a body, in the order in which they are bound.
#include <algorithm>
#include <array>

#include "base/enum_order.h"
#include "datalog/analysis/rule_builder.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {

using ast::Comparison;
using ast::TermKind;

static_assert(follow_each_other({Comparison::kEqual, Comparison::kNotEqual, Comparison::kLess,
                                 Comparison::kLessEqual, Comparison::kGreater,
                                 Comparison::kGreaterEqual}));

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

}  // namespace anima::datalog::detail
