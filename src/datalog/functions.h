// Functions, builtin predicates and reducers of Mangle over value codes.
//
// Evaluation errors are values: a call answers false and leaves its sentence in Evaluation::error.
// Nothing throws. Follows spec part 1, 1.7 to 1.9, with what this project adds: fn:plus, minus,
// mult, div and mod take floats and mix them with integers (the answer is then a float) everywhere
// but in a `let`, where they keep Mangle's integer operands; fn:float:minus; fn:pair:fst|snd,
// fn:map:get, fn:some; fn:string:split|lower|upper|len; the reducers fn:count_distinct and
// fn:pick_any.
//
// Thread-safety: functions are pure but for interning into the table, which locks; an Evaluation
// and an Accumulator belong to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/ast.h"
#include "datalog/value.h"

namespace anima::datalog {

// In the order of their rows in values/signatures.cc.
enum class Function : std::uint16_t {
  kPlus,
  kMinus,
  kMult,
  kDiv,
  kMod,
  kIntPlus,
  kIntMinus,
  kIntMult,
  kIntDiv,
  kIntMod,  // the forms of a `let`
  kFloatPlus,
  kFloatMinus,
  kFloatMult,
  kFloatDiv,
  kSqrt,
  kConcat,
  kReplace,
  kSplit,
  kLower,
  kUpper,
  kStringLength,
  kNumberToString,
  kFloatToString,
  kNameToString,
  kNameRoot,
  kNameTip,
  kNameList,
  kList,
  kCons,
  kAppend,
  kListGet,
  kListLength,
  kListContains,
  kPair,
  kFirst,
  kSecond,
  kTuple,
  kMap,
  kStruct,
  kStructGet,
  kMapGet,
  kSome,
  kNow,
  kTimeAdd,
  kTimeSub,
  kParseTime,
  kParseCivil,
  kFormatTime,
  kFormatCivil,
  kYear,
  kMonth,
  kDay,
  kHour,
  kMinute,
  kSecondOfTime,
  kFromUnixNanos,
  kToUnixNanos,
  kTrunc,
  kTruncCivil,
  kParseDuration,
  kDurationAdd,
  kDurationMult,
  kHours,
  kMinutes,
  kSeconds,
  kNanos,
  kFromNanos,
  kFromHours,
  kFromMinutes,
  kFromSeconds,
  kIntervalStart,
  kIntervalEnd,
  kIntervalDuration,
  kListSum,
  kListMin,
  kListMax,
  kListAvg,
  kListFloatSum,
  kListFloatMin,
  kListFloatMax,
  kListDurationSum,
  kListDurationMin,
  kListDurationMax,
  kListTimeMin,
  kListTimeMax,
};

enum class Builtin : std::uint8_t {
  kTimeLess,
  kTimeLessEqual,
  kTimeGreater,
  kTimeGreaterEqual,
  kDurationLess,
  kDurationLessEqual,
  kDurationGreater,
  kDurationGreaterEqual,
  kMatchPrefix,
  kStartsWith,
  kEndsWith,
  kContains,
  kFilter,
  kWithinDistance,
  kMatchPair,
  kMatchCons,
  kMatchNil,
  kMatchEntry,
  kMatchField,
  kListMember,
  kBefore,
  kAfter,
  kMeets,
  kOverlaps,
  kDuring,
  kIntervalContains,
  kStarts,
  kFinishes,
  kEquals,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,  // only when negated; otherwise LiteralKind::kCompare
};

enum class Reducer : std::uint8_t {
  kCount,
  kSum,
  kMin,
  kMax,
  kFloatSum,
  kFloatMin,
  kFloatMax,
  kAvg,
  kDurationSum,
  kDurationMin,
  kDurationMax,
  kTimeMin,
  kTimeMax,
  kCollect,
  kCollectDistinct,
  kCollectToMap,
  kPickAny,
  kCountDistinct,
};

// What a call needs beside its arguments. `now` is fixed for one evaluation (nanoseconds since the
// epoch).
struct Evaluation {
  ValueTable& values;
  std::int64_t now = 0;
  std::string error{};  // of the last call that answered false
  std::size_t max_bytes = std::size_t{1}
                          << 26;  // a string, list or number of solutions beyond it is an error
};

// Value of function(arguments). O(size of the arguments), lists: O(length).
bool evaluate(Function function, std::span<const Code> arguments, Evaluation& evaluation,
              Code& result);

// a < b and so on: integers and floats, mixed; other values are an error. Equality never fails: it
// is by code.
bool compare_values(ast::Comparison comparison, Code a, Code b, Evaluation& evaluation,
                    bool& holds);

// An argument of solve() that is to be found.
inline constexpr Code kUnbound = 0xFFFFFFFFU;

// Solutions of a builtin predicate. Arguments equal to kUnbound are to be found; only the output
// places of the builtin may be. Appends to `solutions` one row for each solution, of the values of
// the unbound places in the order of the arguments; `count` is the number of solutions (with
// nothing unbound: 1 holds, 0 does not; more than 1 is possible for :list:member). A wrong shape
// has no solutions, it is no error.
bool solve(Builtin builtin, std::span<const Code> arguments, Evaluation& evaluation,
           std::vector<Code>& solutions, std::size_t& count);

// Can a call of it end with an error value?
bool may_fail(Function function);
bool may_fail(Builtin builtin);

// Accumulates the rows of one group. Rows are given in any order; the answer does not depend on it.
class Accumulator {
 public:
  explicit Accumulator(Reducer reducer);
  ~Accumulator();
  Accumulator(Accumulator&&) noexcept;
  Accumulator& operator=(Accumulator&&) noexcept;

  // One row's arguments (none for fn:count).
  bool add(std::span<const Code> arguments, Evaluation& evaluation);
  // Requires at least one row.
  bool finish(Evaluation& evaluation, Code& result);
  // What it keeps of its rows. O(1).
  std::size_t bytes() const;

 private:
  struct State;
  Reducer reducer_;
  std::int64_t count_ = 0;
  std::int64_t sum_ = 0;
  Code best_ = kUnbound;
  std::unique_ptr<State> state_;
};

// Count or sum kept in plain integers: the engine may run these without Accumulator.
bool is_count(Reducer reducer);    // fn:count
bool is_int_sum(Reducer reducer);  // fn:sum
bool is_int_min(Reducer reducer);  // fn:min
bool is_int_max(Reducer reducer);  // fn:max

}  // namespace anima::datalog
