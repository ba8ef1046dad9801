// Builtin predicates.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/enum_order.h"
#include "datalog/values/evaluate.h"

namespace anima::datalog {
namespace {

// What test() tells families apart by.
static_assert(follow_each_other({Builtin::kTimeLess,        Builtin::kTimeLessEqual,
                                 Builtin::kTimeGreater,     Builtin::kTimeGreaterEqual,
                                 Builtin::kDurationLess,    Builtin::kDurationLessEqual,
                                 Builtin::kDurationGreater, Builtin::kDurationGreaterEqual,
                                 Builtin::kMatchPrefix,     Builtin::kStartsWith,
                                 Builtin::kEndsWith,        Builtin::kContains,
                                 Builtin::kFilter,          Builtin::kWithinDistance,
                                 Builtin::kMatchPair,       Builtin::kMatchCons,
                                 Builtin::kMatchNil,        Builtin::kMatchEntry,
                                 Builtin::kMatchField,      Builtin::kListMember,
                                 Builtin::kBefore,          Builtin::kAfter,
                                 Builtin::kMeets,           Builtin::kOverlaps,
                                 Builtin::kDuring,          Builtin::kIntervalContains,
                                 Builtin::kStarts,          Builtin::kFinishes,
                                 Builtin::kEquals,          Builtin::kLess,
                                 Builtin::kLessEqual,       Builtin::kGreater,
                                 Builtin::kGreaterEqual}));

using detail::Call;

// At most one solution: the values of the output places are checked where given and appended where
// asked for.
struct Outputs {
  std::vector<Code>& solutions;
  std::size_t& count;
  std::size_t mark = 0;
  bool match = true;

  void give(Code asked, Code value) {
    if (asked == kUnbound) {
      solutions.push_back(value);
    } else if (asked != value) {
      match = false;
    }
  }
  bool done() {
    if (match) {
      ++count;
    } else {
      solutions.resize(mark);
    }
    return true;
  }
};

bool matches_prefix(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == '/';
}

bool text_test(Builtin builtin, const Call& call, bool& holds) {
  std::string_view pattern;
  const ValueView value = call.view(0);
  if (builtin == Builtin::kMatchPrefix) {
    if (!call.name(1, pattern)) return false;
    holds = value.kind == ValueKind::kName && matches_prefix(value.text, pattern);
    return true;
  }
  if (!call.string(1, pattern)) return false;
  if (value.kind != ValueKind::kString) {
    holds = false;
  } else if (builtin == Builtin::kStartsWith) {
    holds = value.text.starts_with(pattern);
  } else if (builtin == Builtin::kEndsWith) {
    holds = value.text.ends_with(pattern);
  } else {
    holds = value.text.find(pattern) != std::string_view::npos;
  }
  return true;
}

bool ordered(int which, std::int64_t a, std::int64_t b) {
  switch (which) {
    case 0:
      return a < b;
    case 1:
      return a <= b;
    case 2:
      return a > b;
    default:
      return a >= b;
  }
}

bool time_test(Builtin builtin, const Call& call, bool& holds) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  const int which = static_cast<int>(builtin);
  if (builtin <= Builtin::kTimeGreaterEqual) {
    if (!call.time(0, a) || !call.time(1, b)) return false;
    holds = ordered(which, a, b);
  } else {
    if (!call.duration(0, a) || !call.duration(1, b)) return false;
    holds = ordered(which - static_cast<int>(Builtin::kDurationLess), a, b);
  }
  return true;
}

bool within_distance(const Call& call, bool& holds) {
  if (!call.is_float(0) && !call.is_float(1) && !call.is_float(2)) {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;
    if (!call.integer(0, x) || !call.integer(1, y) || !call.integer(2, z)) return false;
    const auto high = static_cast<std::uint64_t>(std::max(x, y));
    const auto low = static_cast<std::uint64_t>(std::min(x, y));
    holds = z > 0 && high - low < static_cast<std::uint64_t>(z);
    return true;
  }
  double x = 0;
  double y = 0;
  double z = 0;
  if (!call.real(0, x) || !call.real(1, y) || !call.real(2, z)) return false;
  holds = (x > y ? x - y : y - x) < z;
  return true;
}

bool interval(const Call& call, std::size_t index, std::int64_t& start, std::int64_t& end) {
  const ValueView pair = call.view(index);
  if (pair.kind == ValueKind::kPair) {
    const ValueView first = call.values().view(pair.first);
    const ValueView last = call.values().view(pair.second);
    if (first.kind == ValueKind::kTime && last.kind == ValueKind::kTime) {
      start = first.number;
      end = last.number;
      return true;
    }
  }
  return call.wrong(index, "an interval (a pair of times)");
}

// Allen's relations.
bool interval_test(Builtin builtin, const Call& call, bool& holds) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
  std::int64_t d = 0;
  if (!interval(call, 0, a, b) || !interval(call, 1, c, d)) return false;
  switch (builtin) {
    case Builtin::kBefore:
      holds = b < c;
      break;
    case Builtin::kAfter:
      holds = a > d;
      break;
    case Builtin::kMeets:
      holds = b == c;
      break;
    case Builtin::kOverlaps:
      holds = a < c && c < b && b < d;
      break;
    case Builtin::kDuring:
      holds = a > c && b < d;
      break;
    case Builtin::kIntervalContains:
      holds = a < c && b > d;
      break;
    case Builtin::kStarts:
      holds = a == c && b < d;
      break;
    case Builtin::kFinishes:
      holds = b == d && a > c;
      break;
    default:
      holds = a == c && b == d;
      break;
  }
  return true;
}

bool number_test(Builtin builtin, const Call& call, bool& holds) {
  using ast::Comparison;
  constexpr std::array kComparisons = {Comparison::kLess, Comparison::kLessEqual,
                                       Comparison::kGreater, Comparison::kGreaterEqual};
  const auto which = static_cast<std::size_t>(builtin) - static_cast<std::size_t>(Builtin::kLess);
  return compare_values(kComparisons[which], call.code(0), call.code(1), call.evaluation(), holds);
}

bool is_test(Builtin builtin) {
  return builtin < Builtin::kMatchPair || builtin > Builtin::kListMember ||
         builtin == Builtin::kMatchNil;
}

bool test(Builtin builtin, const Call& call, bool& holds) {
  if (builtin <= Builtin::kDurationGreaterEqual) return time_test(builtin, call, holds);
  if (builtin <= Builtin::kContains) return text_test(builtin, call, holds);
  if (builtin == Builtin::kFilter) {
    holds = call.code(0) == call.values().boolean(true);
    return true;
  }
  if (builtin == Builtin::kWithinDistance) return within_distance(call, holds);
  if (builtin == Builtin::kMatchNil) {
    holds = call.code(0) == call.values().nil();
    return true;
  }
  if (builtin <= Builtin::kEquals) return interval_test(builtin, call, holds);
  return number_test(builtin, call, holds);
}

bool list_member(const Call& call, std::vector<Code>& solutions, std::size_t& count) {
  ValueView cell = call.view(1);
  std::size_t found = 0;
  while (cell.kind == ValueKind::kCons) {
    if (call.code(0) == kUnbound) {
      solutions.push_back(cell.first);
      ++found;
    } else if (call.code(0) == cell.first) {
      found = 1;
      break;
    }
    cell = call.values().view(cell.second);
  }
  count += found;
  return true;
}

}  // namespace

bool solve(Builtin builtin, std::span<const Code> arguments, Evaluation& evaluation,
           std::vector<Code>& solutions, std::size_t& count) {
  count = 0;
  const Call call(detail::signature(builtin).name, arguments, evaluation);
  if (is_test(builtin)) {
    bool holds = false;
    if (!test(builtin, call, holds)) return false;
    count = holds ? 1 : 0;
    return true;
  }
  if (builtin == Builtin::kListMember) return list_member(call, solutions, count);

  const ValueView value = call.view(0);
  Outputs outputs{solutions, count, solutions.size()};
  if (builtin == Builtin::kMatchPair || builtin == Builtin::kMatchCons) {
    if (value.kind != (builtin == Builtin::kMatchPair ? ValueKind::kPair : ValueKind::kCons)) {
      return true;
    }
    outputs.give(arguments[1], value.first);
    outputs.give(arguments[2], value.second);
    return outputs.done();
  }
  if (value.kind != (builtin == Builtin::kMatchEntry ? ValueKind::kMap : ValueKind::kStruct)) {
    return true;
  }
  const std::optional<Code> entry = evaluation.values.entry(arguments[0], arguments[1]);
  if (!entry) return true;
  outputs.give(arguments[2], *entry);
  return outputs.done();
}

bool may_fail(Builtin builtin) {
  return builtin <= Builtin::kDurationGreaterEqual || builtin == Builtin::kWithinDistance ||
         builtin > Builtin::kListMember;
}

}  // namespace anima::datalog
