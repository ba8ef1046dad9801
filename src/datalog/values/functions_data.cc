// Functions over lists, pairs, maps and structs.
#include <optional>

#include "datalog/values/evaluate.h"

namespace anima::datalog::detail {
namespace {

constexpr std::size_t kMaxItems = std::size_t{1} << 24;

bool append(const Call& call, Code& result) {
  if (!call.list(0)) return false;
  std::vector<Code> items = call.values().list_items(call.code(0));
  if (items.size() >= kMaxItems) return call.error("the list is too long");
  items.push_back(call.code(1));
  result = call.values().list(items);
  return true;
}

bool list_get(const Call& call, Code& result) {
  std::int64_t index = 0;
  if (!call.list(0) || !call.integer(1, index)) return false;
  const ValueView list = call.view(0);
  const std::int64_t length = list.kind == ValueKind::kNil ? 0 : list.number;
  if (index < 0 || index >= length) {
    return call.error("index " + std::to_string(index) + " is out of range, the list has " +
                      std::to_string(length) + " elements");
  }
  Code cell = call.code(0);
  for (; index > 0; --index) cell = call.values().view(cell).second;
  result = call.values().view(cell).first;
  return true;
}

bool list_contains(const Call& call, Code& result) {
  if (!call.list(0)) return false;
  bool found = false;
  ValueView cell = call.view(0);
  while (!found && cell.kind == ValueKind::kCons) {
    found = cell.first == call.code(1);
    cell = call.values().view(cell.second);
  }
  result = call.values().boolean(found);
  return true;
}

// tuple(a, b, c) is pair(a, pair(b, c)).
Code tuple(const Call& call) {
  Code result = call.code(call.size() - 1);
  for (std::size_t i = call.size() - 1; i > 0; --i) {
    result = call.values().pair(call.code(i - 1), result);
  }
  return result;
}

bool keyed(Function function, const Call& call, Code& result) {
  if (call.size() % 2 != 0) return call.error("takes an even number of arguments");
  if (function == Function::kMap) {
    result = call.values().map(call.codes());
    return true;
  }
  for (std::size_t i = 0; i < call.size(); i += 2) {
    std::string_view label;
    if (!call.name(i, label)) return false;
  }
  result = call.values().structure(call.codes());
  return true;
}

bool entry_of(Function function, const Call& call, Code& result) {
  const bool map = function == Function::kMapGet;
  if (call.view(0).kind != (map ? ValueKind::kMap : ValueKind::kStruct)) {
    return call.wrong(0, map ? "a map" : "a struct");
  }
  const std::optional<Code> value = call.values().entry(call.code(0), call.code(1));
  if (!value) return call.error("there is no " + brief(call.values(), call.code(1)));
  result = *value;
  return true;
}

}  // namespace

bool evaluate_data(Function function, const Call& call, Code& result) {
  ValueTable& values = call.values();
  Code first = 0;
  Code second = 0;
  switch (function) {
    case Function::kList:
      result = values.list(call.codes());
      return true;
    case Function::kCons:
      if (!call.list(1)) return false;
      result = values.cons(call.code(0), call.code(1));
      return true;
    case Function::kAppend:
      return append(call, result);
    case Function::kListGet:
      return list_get(call, result);
    case Function::kListLength:
      if (!call.list(0)) return false;
      result = values.integer(static_cast<std::int64_t>(values.list_length(call.code(0))));
      return true;
    case Function::kListContains:
      return list_contains(call, result);
    case Function::kPair:
      result = values.pair(call.code(0), call.code(1));
      return true;
    case Function::kFirst:
    case Function::kSecond:
      if (!call.pair(0, first, second)) return false;
      result = function == Function::kFirst ? first : second;
      return true;
    case Function::kTuple:
      result = tuple(call);
      return true;
    case Function::kMap:
    case Function::kStruct:
      return keyed(function, call, result);
    case Function::kSome:  // an option is a pair of /some and the value, or the name /none
      result = values.pair(values.name("/some"), call.code(0));
      return true;
    default:
      return entry_of(function, call, result);
  }
}

}  // namespace anima::datalog::detail
