// What the literals of a body tell of the types of variables.
#include <utility>

#include "datalog/analysis/inference.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {

using ast::Comparison;

void Inference::narrow(Scope& scope, const Term& term, const TypePtr& type) {
  if (term.kind != Term::Kind::kVariable) return;
  TypePtr& known = scope.variables[term.value];
  known = meet(known, type);
}

void Inference::atom(Scope& scope, const Literal& literal) {
  const Columns& columns = columns_[literal.predicate];
  for (std::size_t i = 0; i < literal.arguments.size(); ++i) {
    if (literal.arguments[i].constant) continue;
    TypePtr& known = scope.variables[literal.arguments[i].value];
    if (report_ && impossible(*known, *columns[i])) {
      context_.warn(Problem::kType,
                    {scope.origin.unit, scope.at, scope.at + 1, scope.origin.at, scope.origin.end},
                    "this never matches: " + scope.rule.variables[literal.arguments[i].value].name +
                        " is " + type_text(*known, context_.values) + ", argument " +
                        std::to_string(i + 1) + " of " +
                        program_.predicates[literal.predicate].name + " is " +
                        type_text(*columns[i], context_.values));
    }
    known = meet(known, columns[i]);
  }
}

void Inference::compare(Scope& scope, Literal& literal) {
  const TypePtr left = term(scope, literal.left);
  const TypePtr right = term(scope, literal.right);
  if (literal.comparison <= Comparison::kNotEqual) {
    if (literal.comparison == Comparison::kEqual) {
      if (impossible(*left, *right)) {
        error(scope,
              "this never holds: " + type_text(*left, context_.values) + " on the left, " +
                  type_text(*right, context_.values) + " on the right",
              "values of different types are never equal; there are no conversions");
      }
      narrow(scope, literal.left, right);
      narrow(scope, literal.right, left);
    }
    literal.may_fail = !cannot_fail(scope, literal.left) || !cannot_fail(scope, literal.right);
    return;
  }
  for (const auto& [part, type] :
       {std::pair(&literal.left, left), std::pair(&literal.right, right)}) {
    if (impossible(*type, *numeric_type())) {
      error(scope,
            "only numbers can be compared with < <= > >=, this is " +
                type_text(*type, context_.values),
            type->kind == TypeKind::kTime       ? "use :time:lt and its like"
            : type->kind == TypeKind::kDuration ? "use :duration:lt and its like"
                                                : "");
    }
    narrow(scope, *part, numeric_type());
  }
  literal.may_fail = !subtype(*left, *numeric_type()) || !subtype(*right, *numeric_type()) ||
                     !cannot_fail(scope, literal.left) || !cannot_fail(scope, literal.right);
}

void Inference::outputs(Scope& scope, const Literal& literal) {
  const auto narrow_to = [&](std::size_t place, const TypePtr& type) {
    const Argument& to = literal.arguments[place];
    if (!to.constant) scope.variables[to.value] = meet(scope.variables[to.value], type);
  };
  const TypePtr source = argument(scope, literal.arguments[0]);
  switch (literal.builtin) {
    case Builtin::kMatchPair:
      narrow_to(1, part_of(*source, TypeKind::kPair, 0));
      narrow_to(2, part_of(*source, TypeKind::kPair, 1));
      break;
    case Builtin::kMatchCons:
      narrow_to(1, element_of(*source));
      narrow_to(2, make_type(TypeKind::kList, {element_of(*source)}));
      break;
    case Builtin::kMatchEntry:
      narrow_to(2, part_of(*source, TypeKind::kMap, 1));
      break;
    case Builtin::kMatchField:
      narrow_to(2, field_type(*source, context_.values, literal.arguments[1]));
      break;
    case Builtin::kListMember:
      narrow_to(0, element_of(*argument(scope, literal.arguments[1])));
      break;
    default:
      break;
  }
}

void Inference::builtin(Scope& scope, Literal& literal) {
  const Signature& known = signature(literal.builtin);
  bool proven = true;
  for (std::size_t i = 0; i < literal.arguments.size(); ++i) {
    if (is_output(known, i)) continue;
    const char letter = type_letter(known, i);
    const TypePtr type = argument(scope, literal.arguments[i]);
    const TypePtr wanted = letter_type(letter);
    if (impossible(*type, *wanted)) {
      error(scope, std::string(known.name) + ": argument " + std::to_string(i + 1) + " is " +
                       type_text(*type, context_.values) + ", not " +
                       std::string(letter_text(letter)));
    }
    proven = proven && subtype(*type, *wanted) && letter != 'p';
  }
  const bool patterns =
      literal.builtin >= Builtin::kMatchPrefix && literal.builtin <= Builtin::kContains;
  literal.may_fail = (may_fail(literal.builtin) || patterns) && !proven;
  if (!literal.negated) outputs(scope, literal);
}

void Inference::literal(Scope& scope, Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::kAtom:
      atom(scope, literal);
      break;
    case LiteralKind::kCall:
      if (!literal.negated) atom(scope, literal);
      break;
    case LiteralKind::kAssign:
      scope.variables[literal.variable] =
          meet(scope.variables[literal.variable], term(scope, literal.left));
      literal.may_fail = !cannot_fail(scope, literal.left);
      break;
    case LiteralKind::kCompare:
      compare(scope, literal);
      break;
    case LiteralKind::kBuiltin:
      builtin(scope, literal);
      break;
    case LiteralKind::kNegated:
      break;
  }
}

void Inference::grouping(Scope& scope) {
  for (const Reduction& one : scope.rule.grouping->reductions) {
    scope.variables[one.result] = reduction(scope, one);
  }
  for (const Assignment& one : scope.rule.grouping->after) {
    scope.variables[one.variable] = term(scope, one.value);
  }
}

}  // namespace anima::datalog::detail
