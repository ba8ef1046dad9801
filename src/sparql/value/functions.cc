#include "sparql/value/functions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "query/fading.h"
#include "sparql/value/compare.h"
#include "sparql/value/scalar.h"
#include "sparql/value/string_tests.h"

namespace anima::sparql {
namespace value {
namespace {

using query::ColumnView;
using query::Condition;
using query::Expr;
using query::Function;
using query::Truth;
using query::Values;
using store::Tag;
using store::Term;
using AstKind = ast::Expression::Kind;

// --- functions -----------------------------------------------------------------------------------

// A scalar function over columns. Neighbouring rows with the same arguments are computed once.
class ScalarFunction final : public Function {
 public:
  ScalarFunction(const ScalarEntry& entry, ExpressionContext context)
      : entry_(entry), context_(std::move(context)) {}
  std::string name() const override { return std::string(entry_.name); }
  bool varies() const override { return entry_.varies; }

  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    std::vector<std::uint32_t> cells(arguments.size()), before(arguments.size());
    for (std::size_t row = 0; row < rows; ++row) {
      bool error = false;
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        cells[k] = arguments[k][row];
        error = error || cells[k] == 0;
      }
      if (row > 0 && !entry_.varies && cells == before) {
        out[row] = out[row - 1];
        continue;
      }
      out[row] =
          error && !entry_.sees_errors ? 0 : entry_.apply({values, context_, std::span(cells)});
      before = cells;
    }
  }

 private:
  ScalarEntry entry_;
  ExpressionContext context_;
};

class ArithmeticFunction final : public Function {
 public:
  explicit ArithmeticFunction(Arithmetic operation) : operation_(operation) {}
  std::string name() const override {
    static constexpr const char* kNames[] = {"add", "subtract", "multiply", "divide"};
    return kNames[static_cast<std::size_t>(operation_)];
  }
  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t a = arguments[0][row], b = arguments[1][row];
      const bool same = row > 0 && a == arguments[0][row - 1] && b == arguments[1][row - 1];
      out[row] = same ? out[row - 1] : compute(values, operation_, a, b);
    }
  }

 private:
  Arithmetic operation_;
};

class SignFunction final : public Function {
 public:
  explicit SignFunction(bool negative) : negative_(negative) {}
  std::string name() const override { return negative_ ? "minus" : "plus"; }
  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t code = arguments[0][row];
      out[row] = negative_                                 ? negate(values, code)
                 : read_briefly(values, code).is_numeric() ? code
                                                           : 0;
    }
  }

 private:
  bool negative_;
};

class CastFunction final : public Function {
 public:
  explicit CastFunction(const Datatype& type) : type_(type) {}
  std::string name() const override { return "xsd:" + std::string(type_.name); }
  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t code = arguments[0][row];
      const bool same = row > 0 && code == arguments[0][row - 1];
      out[row] = same ? out[row - 1] : cast(values, type_, code);
    }
  }

 private:
  const Datatype& type_;
};

// Of a proposition: what is left now of a link's confidence (query/fading.h).
constexpr std::string_view kFadedConfidence = "urn:anima:function:faded-confidence";

// --- conditions ----------------------------------------------------------------------------------

class Comparison final : public Condition {
 public:
  explicit Comparison(AstKind operation) : operation_(operation) {}
  std::string name() const override {
    switch (operation_) {
      case AstKind::kEqual:
        return "equal";
      case AstKind::kNotEqual:
        return "different";
      case AstKind::kLess:
        return "less";
      case AstKind::kGreater:
        return "greater";
      case AstKind::kLessOrEqual:
        return "at most";
      default:
        return "at least";
    }
  }

  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    const bool equality = operation_ == AstKind::kEqual || operation_ == AstKind::kNotEqual;
    Side left(values, arguments[0]), right(values, arguments[1]);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t a = arguments[0][row], b = arguments[1][row];
      if (a == 0 || b == 0) {
        out[row] = Truth::kError;
      } else if (equality) {
        out[row] = test_equal(values, a, b, left, right, row);
      } else if (Term{a}.tag() == Tag::kInteger && Term{b}.tag() == Tag::kInteger) {
        out[row] = by_sign(sign_of(Term{a}.as_integer(), Term{b}.as_integer()));
      } else {
        out[row] = test_order(left.at(row), right.at(row));
      }
    }
  }

 private:
  // The value of a row, read once for neighbours that are the same.
  class Side {
   public:
    Side(const Values& values, const ColumnView& column) : values_(values), column_(column) {}
    const Value& at(std::size_t row) {
      const std::uint32_t code = column_[row];
      if (code != code_) value_ = read_briefly(values_, code);
      code_ = code;
      return value_;
    }

   private:
    const Values& values_;
    const ColumnView& column_;
    std::uint32_t code_ = 0;
    Value value_;
  };

  static int sign_of(std::int64_t a, std::int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

  Truth test_equal(const Values& values, std::uint32_t a, std::uint32_t b, Side& left, Side& right,
                   std::size_t row) const {
    const Tag x = Term{a}.tag(), y = Term{b}.tag();
    const bool by_code = a == b || x == Tag::kEntity || y == Tag::kEntity ||
                         (x == Tag::kInteger && y == Tag::kInteger);
    const Truth same = by_code ? equal(values, a, b) : equal(left.at(row), right.at(row));
    if (operation_ == AstKind::kEqual || same == Truth::kError) return same;
    return same == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
  }

  Truth test_order(const Value& a, const Value& b) const {
    bool unordered = false;
    const auto sign = compare(a, b, &unordered);
    if (unordered) return Truth::kFalse;
    return sign ? by_sign(*sign) : Truth::kError;
  }

  Truth by_sign(int sign) const {
    bool holds = false;
    switch (operation_) {
      case AstKind::kLess:
        holds = sign < 0;
        break;
      case AstKind::kGreater:
        holds = sign > 0;
        break;
      case AstKind::kLessOrEqual:
        holds = sign <= 0;
        break;
      default:
        holds = sign >= 0;
        break;
    }
    return holds ? Truth::kTrue : Truth::kFalse;
  }

  AstKind operation_;
};

// The first argument is equal to one of the others.
class Membership final : public Condition {
 public:
  std::string name() const override { return "in"; }
  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t code = arguments[0][row];
      const bool same = row > 0 && code == arguments[0][row - 1] && constant(arguments);
      out[row] = same ? out[row - 1] : among(values, code, arguments.subspan(1), row);
    }
  }

 private:
  static bool constant(std::span<const ColumnView> arguments) {
    return std::all_of(arguments.begin() + 1, arguments.end(),
                       [](const ColumnView& it) { return it.constant; });
  }

  static Truth among(const Values& values, std::uint32_t code, std::span<const ColumnView> list,
                     std::size_t row) {
    if (code == 0) return list.empty() ? Truth::kFalse : Truth::kError;
    Truth result = Truth::kFalse;
    for (const ColumnView& it : list) {
      const Truth same = equal(values, code, it[row]);
      if (same == Truth::kTrue) return same;
      if (same == Truth::kError) result = same;
    }
    return result;
  }
};

class Bound final : public Condition {
 public:
  std::string name() const override { return "bound"; }
  void test(Values&, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row)
      out[row] = arguments[0][row] != 0 ? Truth::kTrue : Truth::kFalse;
  }
};

class SameTerm final : public Condition {
 public:
  std::string name() const override { return "same term"; }
  void test(Values&, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t a = arguments[0][row], b = arguments[1][row];
      out[row] = a == 0 || b == 0 ? Truth::kError : a == b ? Truth::kTrue : Truth::kFalse;
    }
  }
};

class EffectiveBoolean final : public Condition {
 public:
  std::string name() const override { return "true"; }
  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t code = arguments[0][row];
      if (row > 0 && code == arguments[0][row - 1]) {
        out[row] = out[row - 1];
        continue;
      }
      const auto truth = effective_boolean(values, code);
      out[row] = !truth ? Truth::kError : *truth ? Truth::kTrue : Truth::kFalse;
    }
  }
};

// --- from the tree -------------------------------------------------------------------------------

const ScalarEntry* find_scalar(std::string_view name) {
  for (const auto entries : {term_functions(), string_functions(), number_functions(),
                             calendar_functions(), hash_functions()}) {
    for (const ScalarEntry& entry : entries) {
      if (entry.name == name) return &entry;
    }
  }
  return nullptr;
}

Expr arithmetic(Arithmetic operation, std::vector<Expr> arguments) {
  return Expr::call(std::make_shared<ArithmeticFunction>(operation), std::move(arguments));
}

std::vector<Expr> as_conditions(std::vector<Expr> parts) {
  for (Expr& part : parts) part = as_condition(std::move(part));
  return parts;
}

Result<Expr> built_in(const ast::Expression& expression, std::vector<Expr> arguments,
                      const ExpressionContext& context) {
  if (expression.name == "BOUND")
    return Expr::test(std::make_shared<Bound>(), std::move(arguments));
  if (expression.name == "SAMETERM")
    return Expr::test(std::make_shared<SameTerm>(), std::move(arguments));
  if (auto test = string_test(expression.name, arguments)) return std::move(*test);
  const ScalarEntry* const entry = find_scalar(expression.name);
  if (entry == nullptr)
    return fail(ErrorCode::kUnsupported, "there is no function " + expression.name);
  return Expr::call(std::make_shared<ScalarFunction>(*entry, context), std::move(arguments));
}

Result<Expr> by_iri(const ast::Expression& expression, std::vector<Expr> arguments,
                    const ExpressionContext& context) {
  if (expression.name == kFadedConfidence) {
    if (arguments.size() == 1)
      return Expr::call(query::faded_confidence({context.now}), std::move(arguments));
    return fail(ErrorCode::kUnsupported, "<" + expression.name + "> takes one proposition");
  }
  const Datatype* const type = find_cast(expression.name);
  if (type != nullptr && arguments.size() == 1)
    return Expr::call(std::make_shared<CastFunction>(*type), std::move(arguments));
  return fail(ErrorCode::kUnsupported,
              type != nullptr ? "a cast takes one argument"
                              : "there is no function <" + expression.name + ">",
              {},
              "functions named by an IRI are the casts to datatypes of XML Schema, and <" +
                  std::string(kFadedConfidence) + ">");
}

}  // namespace
}  // namespace value

using value::Arithmetic;

query::Expr as_condition(query::Expr expression) {
  switch (expression.kind) {
    case query::Expr::Kind::kCondition:
    case query::Expr::Kind::kAnd:
    case query::Expr::Kind::kOr:
    case query::Expr::Kind::kNot:
    case query::Expr::Kind::kExists:
      return expression;
    default:
      break;
  }
  std::vector<query::Expr> arguments;
  arguments.push_back(std::move(expression));
  return query::Expr::test(std::make_shared<value::EffectiveBoolean>(), std::move(arguments));
}

query::Expr row_number() {
  return query::Expr::call(std::make_shared<value::ScalarFunction>(
                               *value::find_scalar("ROW NUMBER"), ExpressionContext{}),
                           {});
}

Result<query::Expr> make_expression(const ast::Expression& expression,
                                    std::vector<query::Expr> arguments,
                                    const ExpressionContext& context) {
  using Kind = ast::Expression::Kind;
  switch (expression.kind) {
    case Kind::kOr:
      return query::Expr::any(value::as_conditions(std::move(arguments)));
    case Kind::kAnd:
      return query::Expr::all(value::as_conditions(std::move(arguments)));
    case Kind::kNot:
      return query::Expr::negate(as_condition(std::move(arguments.at(0))));
    case Kind::kEqual:
    case Kind::kNotEqual:
    case Kind::kLess:
    case Kind::kGreater:
    case Kind::kLessOrEqual:
    case Kind::kGreaterOrEqual:
      return query::Expr::test(std::make_shared<value::Comparison>(expression.kind),
                               std::move(arguments));
    case Kind::kIn:
      return query::Expr::test(std::make_shared<value::Membership>(), std::move(arguments));
    case Kind::kNotIn:
      return query::Expr::negate(
          query::Expr::test(std::make_shared<value::Membership>(), std::move(arguments)));
    case Kind::kAdd:
      return value::arithmetic(Arithmetic::kAdd, std::move(arguments));
    case Kind::kSubtract:
      return value::arithmetic(Arithmetic::kSubtract, std::move(arguments));
    case Kind::kMultiply:
      return value::arithmetic(Arithmetic::kMultiply, std::move(arguments));
    case Kind::kDivide:
      return value::arithmetic(Arithmetic::kDivide, std::move(arguments));
    case Kind::kPlus:
    case Kind::kMinus:
      return query::Expr::call(
          std::make_shared<value::SignFunction>(expression.kind == Kind::kMinus),
          std::move(arguments));
    case Kind::kBuiltIn:
      return value::built_in(expression, std::move(arguments), context);
    case Kind::kFunction:
      return value::by_iri(expression, std::move(arguments), context);
    default:
      break;
  }
  return fail(ErrorCode::kInternal, "an expression that is not made of functions");
}

query::SortKey sparql_sort_key(query::Values& values, std::uint32_t code) {
  return value::sort_key(values, code);
}

}  // namespace anima::sparql
