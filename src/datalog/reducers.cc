// Reducers of a do-transform.
#include <algorithm>
#include <memory>
#include <span>

#include "datalog/values/evaluate.h"

namespace anima::datalog {

using detail::Call;

struct Accumulator::State {
  std::vector<double> reals;  // added up in order of size, so that the order of rows cannot show
  std::vector<std::vector<Code>> rows;  // what the collecting reducers keep
};

Accumulator::Accumulator(Reducer reducer) : reducer_(reducer), state_(nullptr) {}
Accumulator::~Accumulator() = default;
Accumulator::Accumulator(Accumulator&&) noexcept = default;
Accumulator& Accumulator::operator=(Accumulator&&) noexcept = default;

std::size_t Accumulator::bytes() const {
  if (state_ == nullptr) return 0;
  constexpr std::size_t kAllocation = 16;
  const auto& rows = state_->rows;
  const std::size_t row = rows.empty() ? 0 : rows.back().size() * sizeof(Code) + kAllocation;
  return sizeof(State) + state_->reals.capacity() * sizeof(double) +
         rows.capacity() * sizeof(rows[0]) + rows.size() * row;
}

namespace {

bool is_extreme(Reducer reducer) {
  switch (reducer) {
    case Reducer::kMin:
    case Reducer::kMax:
    case Reducer::kFloatMin:
    case Reducer::kFloatMax:
    case Reducer::kDurationMin:
    case Reducer::kDurationMax:
    case Reducer::kTimeMin:
    case Reducer::kTimeMax:
      return true;
    default:
      return false;
  }
}

bool is_greatest(Reducer reducer) {
  return reducer == Reducer::kMax || reducer == Reducer::kFloatMax ||
         reducer == Reducer::kDurationMax || reducer == Reducer::kTimeMax;
}

// The argument has the type that the reducer adds up or orders.
bool fits(Reducer reducer, const Call& call) {
  std::int64_t number = 0;
  double real = 0;
  switch (detail::signature(reducer).types.front()) {
    case 'i':
      return call.integer(0, number);
    case 'f':
      return call.float64(0, real);
    case 't':
      return call.time(0, number);
    default:
      return call.duration(0, number);
  }
}

Code tuple(ValueTable& values, std::span<const Code> row) {
  Code result = row.back();
  for (std::size_t i = row.size() - 1; i > 0; --i) result = values.pair(row[i - 1], result);
  return result;
}

double sum_of(std::vector<double>& reals) {
  std::sort(reals.begin(), reals.end(), [](double a, double b) {
    const double x = a < 0 ? -a : a;
    const double y = b < 0 ? -b : b;
    return x != y ? x < y : a < b;
  });
  double sum = 0;
  double lost = 0;  // Neumaier's compensation
  for (const double value : reals) {
    const double next = sum + value;
    const bool sum_larger = (sum < 0 ? -sum : sum) >= (value < 0 ? -value : value);
    lost += sum_larger ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  return sum + lost;
}

bool finite_result(const Call& call, double number, Code& result) {
  if (!(number - number == 0)) return call.error("the result is not a finite number");
  result = call.values().real(number);
  return true;
}

}  // namespace

bool Accumulator::add(std::span<const Code> arguments, Evaluation& evaluation) {
  if (reducer_ == Reducer::kCount) {
    ++count_;
    return true;
  }
  if (reducer_ == Reducer::kSum && is_inline_int(arguments[0])) {
    ++count_;
    sum_ = detail::wrap_add(sum_, inline_value(arguments[0]));
    return true;
  }
  const Call call(detail::signature(reducer_).name, arguments, evaluation);
  ++count_;
  if (is_extreme(reducer_)) {
    if (!fits(reducer_, call)) return false;
    if (best_ == kUnbound) {
      best_ = arguments[0];
    } else {
      const int order = evaluation.values.compare(arguments[0], best_);
      if (is_greatest(reducer_) ? order > 0 : order < 0) best_ = arguments[0];
    }
    return true;
  }
  if (!state_) state_ = std::make_unique<State>();
  std::int64_t number = 0;
  double real = 0;
  switch (reducer_) {
    case Reducer::kSum:
      if (!call.integer(0, number)) return false;
      sum_ = detail::wrap_add(sum_, number);
      return true;
    case Reducer::kDurationSum:
      if (!call.duration(0, number)) return false;
      if (__builtin_add_overflow(sum_, number, &sum_)) return call.error("the sum does not fit");
      return true;
    case Reducer::kFloatSum:
      if (!call.float64(0, real)) return false;
      state_->reals.push_back(real);
      return true;
    case Reducer::kAvg:
      if (!call.real(0, real)) return false;
      state_->reals.push_back(real);
      return true;
    default:
      state_->rows.emplace_back(arguments.begin(), arguments.end());
      return true;
  }
}

bool Accumulator::finish(Evaluation& evaluation, Code& result) {
  ValueTable& values = evaluation.values;
  const Call call(detail::signature(reducer_).name, {}, evaluation);
  if (is_extreme(reducer_)) {
    result = best_;
    return true;
  }
  switch (reducer_) {
    case Reducer::kCount:
      result = values.integer(count_);
      return true;
    case Reducer::kSum:
      result = values.integer(sum_);
      return true;
    case Reducer::kDurationSum:
      result = values.duration(sum_);
      return true;
    case Reducer::kFloatSum:
      return finite_result(call, sum_of(state_->reals), result);
    case Reducer::kAvg:
      return finite_result(call, sum_of(state_->reals) / static_cast<double>(state_->reals.size()),
                           result);
    default:
      break;
  }
  std::vector<std::vector<Code>>& rows = state_->rows;
  std::sort(rows.begin(), rows.end(), [&](const std::vector<Code>& a, const std::vector<Code>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) return values.compare(a[i], b[i]) < 0;
    }
    return false;
  });
  if (reducer_ == Reducer::kCollectDistinct || reducer_ == Reducer::kCountDistinct) {
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }
  std::vector<Code> codes;
  switch (reducer_) {
    case Reducer::kCountDistinct:
      result = values.integer(static_cast<std::int64_t>(rows.size()));
      return true;
    case Reducer::kPickAny:  // any will do; the least is the same in every run
      result = rows.front()[0];
      return true;
    case Reducer::kCollectToMap:
      for (const std::vector<Code>& row : rows) {
        if (codes.empty() || codes[codes.size() - 2] != row[0]) {
          codes.insert(codes.end(), row.begin(), row.end());
        }
      }
      result = values.map(codes);
      return true;
    default:
      for (const std::vector<Code>& row : rows) codes.push_back(tuple(values, row));
      result = values.list(codes);
      return true;
  }
}

bool is_count(Reducer reducer) { return reducer == Reducer::kCount; }
bool is_int_sum(Reducer reducer) { return reducer == Reducer::kSum; }
bool is_int_min(Reducer reducer) { return reducer == Reducer::kMin; }
bool is_int_max(Reducer reducer) { return reducer == Reducer::kMax; }

}  // namespace anima::datalog
