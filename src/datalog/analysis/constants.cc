#include "datalog/analysis/constants.h"

#include "base/enum_order.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {
namespace {

static_assert(follow_each_other({ast::TermKind::kName, ast::TermKind::kString,
                                 ast::TermKind::kBytes, ast::TermKind::kNumber,
                                 ast::TermKind::kFloat}));

bool simple(const ast::Term& term, ValueTable& values, Code& code) {
  switch (term.kind) {
    case ast::TermKind::kName:
      code = values.name(term.text);
      return true;
    case ast::TermKind::kString:
      code = values.string(term.text);
      return true;
    case ast::TermKind::kBytes:
      code = values.bytes(term.text);
      return true;
    case ast::TermKind::kNumber:
      code = values.integer(term.number);
      return true;
    case ast::TermKind::kFloat:
      code = values.real(term.real);
      return true;
    default:
      return false;
  }
}

bool compute(const ast::Term& term, Evaluation& evaluation, bool with_now, Code& code) {
  if (simple(term, evaluation.values, code)) return true;
  if (term.kind == ast::TermKind::kVariable) {
    evaluation.error = "the variable " + term.text + " has no value here";
    return false;
  }
  Function function{};
  const Signature* known =
      term.kind == ast::TermKind::kApply ? find_function(term.text, false, function) : nullptr;
  if (known == nullptr) {
    evaluation.error = "'" + term.text + "' is not a function";
    return false;
  }
  if (function == Function::kNow && !with_now) return false;
  std::vector<Code> arguments;
  for (const ast::Term& argument : term.arguments) {
    Code value = 0;
    if (!compute(argument, evaluation, with_now, value)) return false;
    arguments.push_back(value);
  }
  return evaluate(function, arguments, evaluation, code);
}

}  // namespace

bool is_constant_kind(ast::TermKind kind) {
  return kind >= ast::TermKind::kName && kind <= ast::TermKind::kFloat;
}

bool constant_code(const ast::Term& term, ValueTable& values, Code& code) {
  Evaluation evaluation{values};
  return compute(term, evaluation, false, code);
}

bool ground_code(const ast::Term& term, Evaluation& evaluation, Code& code) {
  return compute(term, evaluation, true, code);
}

}  // namespace anima::datalog::detail
