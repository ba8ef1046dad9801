// The operators + - * / and the functions of numbers.
#include <cmath>
#include <utility>

#include "sparql/value/scalar.h"

namespace anima::sparql::value {
namespace {

using store::Tag;
using store::Term;

std::optional<Decimal> compute_exact(Arithmetic operation, const Decimal& a, const Decimal& b) {
  switch (operation) {
    case Arithmetic::kAdd:
      return a.plus(b);
    case Arithmetic::kSubtract:
      return a.minus(b);
    case Arithmetic::kMultiply:
      return a.times(b);
    case Arithmetic::kDivide:
      return a.over(b);
  }
  return std::nullopt;
}

double compute_double(Arithmetic operation, double a, double b) {
  switch (operation) {
    case Arithmetic::kAdd:
      return a + b;
    case Arithmetic::kSubtract:
      return a - b;
    case Arithmetic::kMultiply:
      return a * b;
    case Arithmetic::kDivide:
      return a / b;
  }
  return 0;
}

// Small integers stay in their codes.
std::optional<std::uint32_t> compute_small(query::Values& values, Arithmetic operation, Term a,
                                           Term b) {
  const std::int64_t x = a.as_integer(), y = b.as_integer();
  switch (operation) {
    case Arithmetic::kAdd:
      return values.integer(x + y).code;
    case Arithmetic::kSubtract:
      return values.integer(x - y).code;
    case Arithmetic::kMultiply:
      return values.integer(x * y).code;
    case Arithmetic::kDivide:
      return std::nullopt;
  }
  return std::nullopt;
}

Value number_of(const Call& call) { return read_briefly(call.values, call.cells[0]); }

// One function of a number, by what it does to a decimal and to a double.
template <typename OfDecimal, typename OfDouble>
std::uint32_t of_number(const Call& call, const OfDecimal& of_decimal, const OfDouble& of_double) {
  const Value value = number_of(call);
  if (!value.is_numeric()) return 0;
  if (value.is_exact()) return write(call.values, exact(value.kind, of_decimal(value.decimal)));
  return write(call.values, inexact(value.kind, of_double(value.number)));
}

std::uint32_t absolute(const Call& call) {
  return of_number(
      call, [](const Decimal& it) { return it.is_negative() ? it.negated() : it; },
      [](double it) { return std::fabs(it); });
}
std::uint32_t ceiling(const Call& call) {
  return of_number(
      call, [](const Decimal& it) { return it.ceiling(); },
      [](double it) { return std::ceil(it); });
}
std::uint32_t floor_of(const Call& call) {
  return of_number(
      call, [](const Decimal& it) { return it.floor(); }, [](double it) { return std::floor(it); });
}
// Half goes towards positive infinity; the number below one half must not become one.
std::uint32_t rounded(const Call& call) {
  return of_number(
      call, [](const Decimal& it) { return it.rounded(); },
      [](double it) {
        const double below = std::floor(it);
        return it - below >= 0.5 ? below + 1 : below;
      });
}

std::uint32_t random_number(const Call& call) {
  if (call.context.random == nullptr) return 0;
  return call.values.number(call.context.random->uniform()).code;
}

}  // namespace

std::optional<Value> compute(Arithmetic operation, const Value& a, const Value& b) {
  if (!a.is_numeric() || !b.is_numeric()) return std::nullopt;
  if (a.is_exact() && b.is_exact()) {
    const auto result = compute_exact(operation, a.decimal, b.decimal);
    if (!result) return std::nullopt;
    const bool stays =
        a.kind == Kind::kInteger && b.kind == Kind::kInteger && operation != Arithmetic::kDivide;
    return exact(stays ? Kind::kInteger : Kind::kDecimal, *result);
  }
  const bool wide = a.kind == Kind::kDouble || b.kind == Kind::kDouble;
  const Kind kind = wide ? Kind::kDouble : Kind::kFloat;
  double x = a.as_double(), y = b.as_double();
  if (!wide) {
    x = static_cast<float>(x);
    y = static_cast<float>(y);
  }
  return inexact(kind, compute_double(operation, x, y));
}

std::uint32_t compute(query::Values& values, Arithmetic operation, std::uint32_t a,
                      std::uint32_t b) {
  if (a == 0 || b == 0) return 0;
  const Term x{a}, y{b};
  if (x.tag() == Tag::kInteger && y.tag() == Tag::kInteger) {
    if (const auto small = compute_small(values, operation, x, y)) return *small;
  }
  const auto result = compute(operation, read_briefly(values, a), read_briefly(values, b));
  return result ? write(values, *result) : 0;
}

std::uint32_t negate(query::Values& values, std::uint32_t code) {
  const Value value = read_briefly(values, code);
  if (!value.is_numeric()) return 0;
  if (value.is_exact()) return write(values, exact(value.kind, value.decimal.negated()));
  return write(values, inexact(value.kind, -value.number));
}

std::span<const ScalarEntry> number_functions() {
  static constexpr ScalarEntry kEntries[] = {
      {"ABS", absolute},
      {"CEIL", ceiling},
      {"FLOOR", floor_of},
      {"ROUND", rounded},
      {"RAND", random_number, false, true},
  };
  return kEntries;
}

}  // namespace anima::sparql::value
