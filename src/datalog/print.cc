// Literals of rules in Mangle syntax, with values in the place of bound variables.
#include <span>

#include "datalog/analyze.h"
#include "datalog/values/signatures.h"

namespace anima::datalog {
namespace {

struct Printer {
  const Rule& rule;
  std::span<const Code> bindings;
  const ValueTable& values;
  std::string out;

  void variable(Variable v) {
    if (v < bindings.size() && bindings[v] != kUnbound) {
      values.append_text(bindings[v], out);
    } else {
      out += v < rule.variables.size() ? rule.variables[v].name : "_";
    }
  }
  void argument(const Argument& argument) {
    if (argument.constant) {
      values.append_text(argument.value, out);
    } else {
      variable(argument.value);
    }
  }
  void arguments(std::string_view name, const std::vector<Argument>& list) {
    out += name;
    out += '(';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ',';
      argument(list[i]);
    }
    out += ')';
  }
  void term(const Term& from) {
    if (from.kind == Term::Kind::kVariable) return variable(from.value);
    if (from.kind == Term::Kind::kConstant) {
      values.append_text(from.value, out);
      return;
    }
    out += detail::signature(from.function).name;
    out += '(';
    for (std::size_t i = 0; i < from.arguments.size(); ++i) {
      if (i > 0) out += ", ";
      term(from.arguments[i]);
    }
    out += ')';
  }
};

std::string_view symbol(ast::Comparison comparison) {
  switch (comparison) {
    case ast::Comparison::kEqual:
      return " = ";
    case ast::Comparison::kNotEqual:
      return " != ";
    case ast::Comparison::kLess:
      return " < ";
    case ast::Comparison::kLessEqual:
      return " <= ";
    case ast::Comparison::kGreater:
      return " > ";
    case ast::Comparison::kGreaterEqual:
      return " >= ";
  }
  return " ? ";
}

}  // namespace

std::string print_literal(const Program& program, const Rule& rule, const Literal& literal,
                          std::span<const Code> bindings, const ValueTable& values) {
  Printer printer{rule, bindings, values, {}};
  switch (literal.kind) {
    case LiteralKind::kAtom:
    case LiteralKind::kNegated:
    case LiteralKind::kCall:
      if (literal.kind == LiteralKind::kNegated || literal.negated) printer.out += '!';
      printer.arguments(program.predicates[literal.predicate].name, literal.arguments);
      break;
    case LiteralKind::kBuiltin:
      if (literal.negated) printer.out += '!';
      printer.arguments(detail::signature(literal.builtin).name, literal.arguments);
      break;
    case LiteralKind::kAssign:
      printer.variable(literal.variable);
      printer.out += " = ";
      printer.term(literal.left);
      break;
    case LiteralKind::kCompare:
      printer.term(literal.left);
      printer.out += symbol(literal.comparison);
      printer.term(literal.right);
      break;
  }
  return std::move(printer.out);
}

}  // namespace anima::datalog
