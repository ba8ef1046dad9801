// Expressions.
#include <utility>

#include "sparql/syntax/built_ins.h"
#include "sparql/syntax/grammar.h"

namespace anima::sparql::syntax {

namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

}  // namespace

ast::Expression Grammar::made(ExprKind kind) const {
  ast::Expression expression;
  expression.kind = kind;
  expression.place = token_.place;
  return expression;
}

bool Grammar::within_chain(std::size_t length) {
  if (length >= kMaxChain)
    exceed("more than " + std::to_string(kMaxChain) + " parts stand in one row");
  return !failed();
}

ast::Expression Grammar::expression() {
  const Deeper deeper(*this);
  ast::Expression first = conjunction();
  if (!is_mark("||")) return first;
  ast::Expression any = made(ExprKind::kOr);
  any.place = first.place;
  any.arguments.push_back(std::move(first));
  while (take_mark("||") && within_chain(any.arguments.size()))
    any.arguments.push_back(conjunction());
  return any;
}

ast::Expression Grammar::conjunction() {
  ast::Expression first = relation();
  if (!is_mark("&&")) return first;
  ast::Expression all = made(ExprKind::kAnd);
  all.place = first.place;
  all.arguments.push_back(std::move(first));
  while (take_mark("&&") && within_chain(all.arguments.size())) all.arguments.push_back(relation());
  return all;
}

ast::Expression Grammar::relation() {
  constexpr std::pair<std::string_view, ExprKind> kRelations[] = {
      {"=", ExprKind::kEqual},   {"!=", ExprKind::kNotEqual},    {"<", ExprKind::kLess},
      {">", ExprKind::kGreater}, {"<=", ExprKind::kLessOrEqual}, {">=", ExprKind::kGreaterOrEqual}};
  ast::Expression left = sum();
  for (const auto& [mark, kind] : kRelations) {
    if (!is_mark(mark)) continue;
    ast::Expression compared = made(kind);
    advance();
    compared.arguments.push_back(std::move(left));
    compared.arguments.push_back(sum());
    return compared;
  }
  if (!is_word("IN") && !is_word("NOT")) return left;
  ast::Expression among = made(is_word("NOT") ? ExprKind::kNotIn : ExprKind::kIn);
  take_word("NOT");
  expect_word("IN");
  among.arguments.push_back(std::move(left));
  arguments(among);
  return among;
}

// A sign that stands right before a number belongs to it, which makes no difference here: 1 -1 is
// 1 - 1.
ast::Expression Grammar::sum() {
  ast::Expression left = product();
  for (std::size_t length = 0; is_mark("+") || is_mark("-"); ++length) {
    if (!within_chain(length)) break;
    ast::Expression both = made(is_mark("+") ? ExprKind::kAdd : ExprKind::kSubtract);
    advance();
    both.arguments.push_back(std::move(left));
    both.arguments.push_back(product());
    left = std::move(both);
  }
  return left;
}

ast::Expression Grammar::product() {
  ast::Expression left = unary();
  for (std::size_t length = 0; is_mark("*") || is_mark("/"); ++length) {
    if (!within_chain(length)) break;
    ast::Expression both = made(is_mark("*") ? ExprKind::kMultiply : ExprKind::kDivide);
    advance();
    both.arguments.push_back(std::move(left));
    both.arguments.push_back(unary());
    left = std::move(both);
  }
  return left;
}

ast::Expression Grammar::unary() {
  const bool negative = is_mark("-");
  if (is_mark("!")) {
    ast::Expression negated = made(ExprKind::kNot);
    advance();
    const Deeper deeper(*this);
    negated.arguments.push_back(unary());
    return negated;
  }
  if (!negative && !is_mark("+")) return primary();
  ast::Expression sign = made(negative ? ExprKind::kMinus : ExprKind::kPlus);
  const std::size_t end = token_.end;
  advance();
  const bool adjacent = token_.begin == end;
  const bool number = token_.kind == Kind::kInteger || token_.kind == Kind::kDecimal ||
                      token_.kind == Kind::kDouble;
  ast::Expression operand = primary();
  if (adjacent && number) {
    operand.term.text.insert(0, 1, negative ? '-' : '+');
    operand.place = sign.place;
    return operand;
  }
  sign.arguments.push_back(std::move(operand));
  return sign;
}

ast::Expression Grammar::primary() {
  ast::Expression expression = made(ExprKind::kTerm);
  if (is_mark("(")) return bracketed();
  if (token_.kind == Kind::kVariable) {
    expression.term = {ast::Term::Kind::kVariable, variable(), {}};
    return expression;
  }
  if (at_iri()) return call_or_iri();
  if (token_.kind == Kind::kWord && !is_word("TRUE") && !is_word("FALSE")) return word_call();
  if (is_mark("+") || is_mark("-")) {  // 1 + -1 is a literal, 1 + - 1 is none
    expected("an expression");
    return expression;
  }
  if (auto term = literal()) {
    expression.term = std::move(*term);
    return expression;
  }
  expected("an expression");
  return expression;
}

ast::Expression Grammar::bracketed() {
  expect_mark("(");
  ast::Expression inner = expression();
  expect_mark(")");
  return inner;
}

bool Grammar::at_constraint() const {
  if (is_mark("(") || at_iri()) return true;
  if (token_.kind != Kind::kWord) return false;
  const std::string name = upper(token_.text);
  return name == "EXISTS" || name == "NOT" || is_aggregate(name) || find_built_in(name) != nullptr;
}

ast::Expression Grammar::constraint() {
  if (is_mark("(")) return bracketed();
  if (!at_constraint()) {
    expected("an expression in brackets or a call of a function");
    return {};
  }
  ast::Expression call = at_iri() ? call_or_iri() : word_call();
  if (call.kind == ExprKind::kTerm) expected("\"(\"");
  return call;
}

ast::Expression Grammar::call_or_iri() {
  ast::Expression expression = made(ExprKind::kTerm);
  expression.term = {ast::Term::Kind::kIri, iri(), {}};
  if (!is_mark("(")) return expression;
  expression.kind = ExprKind::kFunction;
  expression.name = std::exchange(expression.term.text, {});
  argument_list(expression);
  return expression;
}

ast::Expression Grammar::word_call() {
  const std::string name = upper(token_.text);
  if (name == "EXISTS" || name == "NOT") return exists(name == "NOT");
  if (is_aggregate(name)) return aggregate(name);
  const BuiltIn* const known = find_built_in(name);
  if (known == nullptr) {
    expected("an expression");
    return {};
  }
  ast::Expression call = made(ExprKind::kBuiltIn);
  call.name = name;
  advance();
  const bool bound = name == "BOUND";
  if (bound) {
    expect_mark("(");
    if (token_.kind != Kind::kVariable) expected("a variable");
    call.arguments.push_back(primary());
    expect_mark(")");
    return call;
  }
  arguments(call);
  const std::size_t count = call.arguments.size();
  if (!failed() && (count < known->least || count > known->most)) {
    const std::string wanted = known->least == known->most ? std::to_string(known->least)
                                                           : std::to_string(known->least) + " to " +
                                                                 std::to_string(known->most);
    fail_at(call.place, name + " takes " + wanted + " arguments, not " + std::to_string(count));
  }
  return call;
}

ast::Expression Grammar::exists(bool negated) {
  ast::Expression expression = made(negated ? ExprKind::kNotExists : ExprKind::kExists);
  if (negated) advance();
  expect_word("EXISTS");
  const std::uint32_t outer = pattern_number_;
  expression.pattern = std::make_shared<const ast::GroupPattern>(group());
  pattern_number_ = outer;
  return expression;
}

ast::Expression Grammar::aggregate(const std::string& name) {
  ast::Expression call = made(ExprKind::kAggregate);
  call.name = name;
  if (!aggregates_allowed_) {
    fail_at(call.place, name + " cannot stand here",
            "aggregates stand in SELECT, HAVING and ORDER BY, and not in one another");
  }
  advance();
  expect_mark("(");
  call.distinct = take_word("DISTINCT");
  const bool outer = std::exchange(aggregates_allowed_, false);
  if (name != "COUNT" || !take_mark("*")) call.arguments.push_back(expression());
  if (name == "GROUP_CONCAT" && take_mark(";")) separator(call);
  aggregates_allowed_ = outer;
  expect_mark(")");
  aggregate_seen_ = true;
  return call;
}

void Grammar::separator(ast::Expression& call) {
  expect_word("SEPARATOR");
  expect_mark("=");
  if (token_.kind != Kind::kString) return expected("a string");
  call.separator = token_.text;
  advance();
}

// '(' (expression (',' expression)*)? ')'
void Grammar::arguments(ast::Expression& call) {
  expect_mark("(");
  if (take_mark(")")) return;
  do {
    call.arguments.push_back(expression());
  } while (take_mark(",") && within_chain(call.arguments.size()));
  expect_mark(")");
}

void Grammar::argument_list(ast::Expression& call) {
  expect_mark("(");
  if (take_mark(")")) return;
  call.distinct = take_word("DISTINCT");
  do {
    call.arguments.push_back(expression());
  } while (take_mark(",") && within_chain(call.arguments.size()));
  expect_mark(")");
}

}  // namespace anima::sparql::syntax
