#include "ask/compile/folds.h"

#include <optional>

#include "ask/lexicon/words.h"
#include "base/decimal.h"
#include "query/value_keys.h"

namespace anima::ask {

Json plain(const Json& value, bool named) {
  double number = 0;
  if (!named || !value.is_string() || !reads_as_number(value.as_string(), &number)) return value;
  const auto exact = Decimal::parse(value.as_string());
  if (const auto whole = exact ? exact->integer() : std::nullopt) return *whole;
  return number;
}

bool less(const Json& a, const Json& b) { return query::order_json(a, b) < 0; }
bool same(const Json& a, const Json& b) { return query::order_json(a, b) == 0; }

std::string_view fold_name(Fold fold) {
  constexpr std::string_view kNames[] = {"SUM", "AVG", "MIN", "MAX", "COUNT"};
  return kNames[static_cast<std::size_t>(fold)];
}

Json folded(Fold fold, const std::vector<Json>& values) {
  if (values.empty()) return {};
  std::optional<Decimal> exact = Decimal();
  double sum = 0;  // of what no Decimal holds
  Json low = values[0], high = values[0];
  for (const Json& value : values) {
    sum += value.as_number();
    const auto next = value.is_integer() ? std::optional(Decimal(value.as_integer()))
                                         : Decimal::of(value.as_number());
    exact = exact && next ? exact->plus(*next) : std::nullopt;
    if (less(value, low)) low = value;
    if (less(high, value)) high = value;
  }
  if (exact) sum = exact->number();
  switch (fold) {
    case Fold::kSum:
      if (const auto whole = exact ? exact->integer() : std::nullopt) return *whole;
      return sum;
    case Fold::kAverage:
      return sum / static_cast<double>(values.size());
    case Fold::kLowest:
      return low;
    case Fold::kHighest:
      return high;
    case Fold::kCount:
      return static_cast<std::int64_t>(values.size());
  }
  return {};
}

Constant constant_of(const Json& value) {
  Constant constant;
  constant.kind = value.is_number() ? Constant::Kind::kNumber : Constant::Kind::kText;
  constant.number = value.as_number();
  if (value.is_number()) {
    constant.digits = value.dump();
  } else {
    constant.text = value.as_string();
  }
  return constant;
}

}  // namespace anima::ask
