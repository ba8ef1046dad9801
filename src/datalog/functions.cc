#include "datalog/functions.h"

#include <cmath>

#include "base/enum_order.h"
#include "datalog/values/evaluate.h"
#include "store/number_key.h"

namespace anima::datalog {

// What evaluate() tells families apart by.
static_assert(ascend({Function::kPlus, Function::kMod, Function::kIntMod, Function::kFloatPlus,
                      Function::kFloatDiv, Function::kSqrt, Function::kConcat, Function::kNameList,
                      Function::kList, Function::kSome, Function::kNow, Function::kIntervalDuration,
                      Function::kListSum}));
static_assert(follow_each_other({Function::kPlus, Function::kMinus, Function::kMult, Function::kDiv,
                                 Function::kMod, Function::kIntPlus, Function::kIntMinus,
                                 Function::kIntMult, Function::kIntDiv, Function::kIntMod,
                                 Function::kFloatPlus, Function::kFloatMinus, Function::kFloatMult,
                                 Function::kFloatDiv, Function::kSqrt}));
static_assert(follow_each_other({Function::kConcat, Function::kReplace, Function::kSplit,
                                 Function::kLower, Function::kUpper, Function::kStringLength,
                                 Function::kNumberToString, Function::kFloatToString,
                                 Function::kNameToString, Function::kNameRoot, Function::kNameTip,
                                 Function::kNameList}));
namespace detail {

std::string brief(const ValueTable& values, Code code) {
  constexpr std::size_t kMost = 80;
  std::string text;
  if (!values.append_text(code, text, kMost)) text += "..";
  return text;
}

bool Call::error(std::string_view sentence) const {
  evaluation_.error.assign(name_);
  evaluation_.error += ": ";
  evaluation_.error += sentence;
  return false;
}

bool Call::wrong(std::size_t index, std::string_view expected) const {
  return error("argument " + std::to_string(index + 1) + " is " + brief(values(), code(index)) +
               ", not " + std::string(expected));
}

bool Call::of_kind(std::size_t index, ValueKind kind, std::string_view expected,
                   ValueView& out) const {
  out = view(index);
  return out.kind == kind || wrong(index, expected);
}

bool Call::integer(std::size_t index, std::int64_t& number) const {
  if (is_inline_int(code(index))) {
    number = inline_value(code(index));
    return true;
  }
  ValueView value;
  if (!of_kind(index, ValueKind::kInt, "an integer", value)) return false;
  number = value.number;
  return true;
}

bool Call::real(std::size_t index, double& number) const {
  if (is_inline_int(code(index))) {
    number = inline_value(code(index));
    return true;
  }
  const ValueView value = view(index);
  if (value.kind == ValueKind::kFloat) {
    number = value.real;
  } else if (value.kind == ValueKind::kInt) {
    number = static_cast<double>(value.number);
  } else {
    return wrong(index, "a number");
  }
  return true;
}

bool Call::float64(std::size_t index, double& number) const {
  ValueView value;
  if (!of_kind(index, ValueKind::kFloat, "a float64", value)) return false;
  number = value.real;
  return true;
}

bool Call::is_float(std::size_t index) const {
  return !is_inline_int(code(index)) && values().kind(code(index)) == ValueKind::kFloat;
}

bool Call::string(std::size_t index, std::string_view& text) const {
  ValueView value;
  if (!of_kind(index, ValueKind::kString, "a string", value)) return false;
  text = value.text;
  return true;
}

bool Call::name(std::size_t index, std::string_view& text) const {
  ValueView value;
  if (!of_kind(index, ValueKind::kName, "a name", value)) return false;
  text = value.text;
  return true;
}

bool Call::time(std::size_t index, std::int64_t& nanoseconds) const {
  ValueView value;
  if (!of_kind(index, ValueKind::kTime, "a time", value)) return false;
  nanoseconds = value.number;
  return true;
}

bool Call::duration(std::size_t index, std::int64_t& nanoseconds) const {
  ValueView value;
  if (!of_kind(index, ValueKind::kDuration, "a duration", value)) return false;
  nanoseconds = value.number;
  return true;
}

bool Call::list(std::size_t index) const {
  const ValueKind kind = values().kind(code(index));
  return kind == ValueKind::kNil || kind == ValueKind::kCons || wrong(index, "a list");
}

bool Call::pair(std::size_t index, Code& first, Code& second) const {
  ValueView value;
  if (!of_kind(index, ValueKind::kPair, "a pair", value)) return false;
  first = value.first;
  second = value.second;
  return true;
}

namespace {

bool finite(const Call& call, double number, Code& result) {
  if (!std::isfinite(number)) return call.error("the result is not a finite number");
  result = call.values().real(number);
  return true;
}

bool integers(const Call& call, std::vector<std::int64_t>& numbers) {
  numbers.resize(call.size());
  for (std::size_t i = 0; i < call.size(); ++i) {
    if (!call.integer(i, numbers[i])) return false;
  }
  return true;
}

std::int64_t wrap_divide(std::int64_t a, std::int64_t b) {
  return b == -1 ? wrap_subtract(0, a) : a / b;  // the smallest integer by -1 must not trap
}

// fn:div: with one argument 1/x; a zero on the way is the answer.
bool divide(const Call& call, const std::vector<std::int64_t>& numbers, Code& result) {
  std::int64_t value = numbers.size() == 1 ? 1 : numbers[0];
  for (std::size_t i = numbers.size() == 1 ? 0 : 1; i < numbers.size(); ++i) {
    if (numbers[i] == 0) return call.error("division by zero");
    value = wrap_divide(value, numbers[i]);
  }
  result = call.values().integer(value);
  return true;
}

bool integer_arithmetic(Function function, const Call& call, Code& result) {
  std::vector<std::int64_t> numbers;
  if (!integers(call, numbers)) return false;
  std::int64_t value = 0;
  switch (function) {
    case Function::kPlus:
    case Function::kIntPlus:
      for (const std::int64_t number : numbers) value = wrap_add(value, number);
      break;
    case Function::kMinus:
    case Function::kIntMinus:
      value = numbers.size() == 1 ? wrap_subtract(0, numbers[0]) : numbers[0];
      for (std::size_t i = 1; i < numbers.size(); ++i) value = wrap_subtract(value, numbers[i]);
      break;
    case Function::kMult:
    case Function::kIntMult:
      value = 1;
      for (const std::int64_t number : numbers) value = wrap_multiply(value, number);
      break;
    case Function::kMod:
    case Function::kIntMod:
      if (numbers[1] == 0) return call.error("division by zero");
      value = numbers[1] == -1 ? 0 : numbers[0] % numbers[1];
      break;
    default:
      return divide(call, numbers, result);
  }
  result = call.values().integer(value);
  return true;
}

bool float_arithmetic(Function function, const Call& call, Code& result) {
  std::vector<double> numbers(call.size());
  for (std::size_t i = 0; i < call.size(); ++i) {
    if (!call.real(i, numbers[i])) return false;
  }
  double value = 0;
  switch (function) {
    case Function::kPlus:
    case Function::kFloatPlus:
      for (std::size_t i = 0; i < numbers.size(); ++i)
        value = i == 0 ? numbers[0] : value + numbers[i];
      break;
    case Function::kMinus:
    case Function::kFloatMinus:
      value = numbers.size() == 1 ? -numbers[0] : numbers[0];
      for (std::size_t i = 1; i < numbers.size(); ++i) value -= numbers[i];
      break;
    case Function::kMult:
    case Function::kFloatMult:
      value = 1;
      for (const double number : numbers) value *= number;
      break;
    case Function::kMod:
      if (numbers[1] == 0) return call.error("division by zero");
      value = std::fmod(numbers[0], numbers[1]);
      break;
    case Function::kSqrt:
      if (numbers[0] < 0) return call.error("the square root of a negative number");
      value = std::sqrt(numbers[0]);
      break;
    default:
      value = numbers.size() == 1 ? 1 : numbers[0];
      for (std::size_t i = numbers.size() == 1 ? 0 : 1; i < numbers.size(); ++i) {
        if (numbers[i] == 0) return call.error("division by zero");
        value /= numbers[i];
      }
      break;
  }
  return finite(call, value, result);
}

// The usual case: two small integers.
bool small_arithmetic(Function function, Code a, Code b, ValueTable& values, Code& result) {
  const std::int64_t x = inline_value(a);
  const std::int64_t y = inline_value(b);
  switch (function) {
    case Function::kPlus:
    case Function::kIntPlus:
      result = values.integer(x + y);
      return true;
    case Function::kMinus:
    case Function::kIntMinus:
      result = values.integer(x - y);
      return true;
    case Function::kMult:
    case Function::kIntMult:
      result = values.integer(x * y);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool evaluate_arithmetic(Function function, const Call& call, Code& result) {
  if (function >= Function::kFloatPlus) return float_arithmetic(function, call, result);
  if (function <= Function::kMod) {
    for (std::size_t i = 0; i < call.size(); ++i) {
      if (call.is_float(i)) return float_arithmetic(function, call, result);
    }
  }
  return integer_arithmetic(function, call, result);
}

}  // namespace detail

bool evaluate(Function function, std::span<const Code> arguments, Evaluation& evaluation,
              Code& result) {
  if (arguments.size() == 2 && is_inline_int(arguments[0]) && is_inline_int(arguments[1]) &&
      detail::small_arithmetic(function, arguments[0], arguments[1], evaluation.values, result)) {
    return true;
  }
  const detail::Signature& known = detail::signature(function);
  const detail::Call call(known.name, arguments, evaluation);
  if (arguments.size() < known.least || (known.most != 255 && arguments.size() > known.most)) {
    return call.error("takes another number of arguments");
  }
  if (function <= Function::kSqrt) return detail::evaluate_arithmetic(function, call, result);
  if (function <= Function::kNameList) return detail::evaluate_text(function, call, result);
  if (function <= Function::kSome) return detail::evaluate_data(function, call, result);
  if (function <= Function::kIntervalDuration) {
    return detail::evaluate_time(function, call, result);
  }
  // A reducer's name over one list.
  if (!call.list(0)) return false;
  Reducer reducer{};
  detail::find_reducer(known.name, reducer);
  const std::vector<Code> items = evaluation.values.list_items(arguments[0]);
  if (items.empty()) return call.error("the list is empty");
  Accumulator accumulator(reducer);
  for (const Code item : items) {
    if (!accumulator.add(std::span(&item, 1), evaluation)) return false;
  }
  return accumulator.finish(evaluation, result);
}

bool compare_values(ast::Comparison comparison, Code a, Code b, Evaluation& evaluation,
                    bool& holds) {
  using ast::Comparison;
  if (comparison == Comparison::kEqual || comparison == Comparison::kNotEqual) {
    holds = (a == b) == (comparison == Comparison::kEqual);
    return true;
  }
  int order = 0;  // negative, zero, positive; 2: not ordered
  if (is_inline_int(a) && is_inline_int(b)) {
    order = inline_value(a) < inline_value(b) ? -1 : inline_value(a) > inline_value(b);
  } else {
    const ValueView x = evaluation.values.view(a);
    const ValueView y = evaluation.values.view(b);
    const auto numeric = [](const ValueView& v) {
      return v.kind == ValueKind::kInt || v.kind == ValueKind::kFloat;
    };
    if (!numeric(x) || !numeric(y)) {
      evaluation.error = "only numbers can be compared with < <= > >=, this is " +
                         detail::brief(evaluation.values, numeric(x) ? b : a);
      return false;
    }
    if (x.kind == ValueKind::kInt && y.kind == ValueKind::kInt) {
      order = x.number < y.number ? -1 : x.number > y.number;
    } else {
      const auto key = [](const ValueView& v) {
        return v.kind == ValueKind::kInt ? store::number_key(v.number) : store::number_key(v.real);
      };
      const store::NumberKey left = key(x), right = key(y);
      const bool ordered = !left.is_nan() && !right.is_nan();
      order = !ordered ? 2 : left < right ? -1 : right < left ? 1 : 0;
    }
  }
  switch (comparison) {
    case Comparison::kLess:
      holds = order == -1;
      break;
    case Comparison::kLessEqual:
      holds = order <= 0;
      break;
    case Comparison::kGreater:
      holds = order == 1;
      break;
    default:
      holds = order == 0 || order == 1;
      break;
  }
  return true;
}

bool may_fail(Function function) {
  switch (function) {
    case Function::kList:
    case Function::kPair:
    case Function::kTuple:
    case Function::kMap:
    case Function::kSome:
    case Function::kNow:
      return false;
    default:
      return true;
  }
}

}  // namespace anima::datalog
