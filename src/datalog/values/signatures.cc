#include "datalog/values/signatures.h"

#include <array>

namespace anima::datalog::detail {
namespace {

constexpr std::uint8_t kAny = 255;

// In the order of enum Function.
constexpr std::array kFunctions = {
    Signature{"fn:plus", 0, kAny, "u*", 'u'},
    Signature{"fn:minus", 1, kAny, "u*", 'u'},
    Signature{"fn:mult", 0, kAny, "u*", 'u'},
    Signature{"fn:div", 1, kAny, "u*", 'u'},
    Signature{"fn:mod", 2, 2, "uu", 'u'},
    Signature{"fn:plus", 0, kAny, "i*", 'i'},
    Signature{"fn:minus", 1, kAny, "i*", 'i'},
    Signature{"fn:mult", 0, kAny, "i*", 'i'},
    Signature{"fn:div", 1, kAny, "i*", 'i'},
    Signature{"fn:mod", 2, 2, "ii", 'i'},
    Signature{"fn:float:plus", 0, kAny, "u*", 'f'},
    Signature{"fn:float:minus", 1, kAny, "u*", 'f'},
    Signature{"fn:float:mult", 0, kAny, "u*", 'f'},
    Signature{"fn:float:div", 1, kAny, "u*", 'f'},
    Signature{"fn:sqrt", 1, 1, "u", 'f'},
    Signature{"fn:string:concat", 0, kAny, "o*", 's'},
    Signature{"fn:string:replace", 4, 4, "sssi", 's'},
    Signature{"fn:string:split", 2, 2, "ss", 'l'},
    Signature{"fn:string:lower", 1, 1, "s", 's'},
    Signature{"fn:string:upper", 1, 1, "s", 's'},
    Signature{"fn:string:len", 1, 1, "s", 'i'},
    Signature{"fn:number:to_string", 1, 1, "i", 's'},
    Signature{"fn:float64:to_string", 1, 1, "f", 's'},
    Signature{"fn:name:to_string", 1, 1, "n", 's'},
    Signature{"fn:name:root", 1, 1, "n", 'n'},
    Signature{"fn:name:tip", 1, 1, "n", 'n'},
    Signature{"fn:name:list", 1, 1, "n", 'l'},
    Signature{"fn:list", 0, kAny, "a*", 'l'},
    Signature{"fn:list:cons", 2, 2, "al", 'l'},
    Signature{"fn:list:append", 2, 2, "la", 'l'},
    Signature{"fn:list:get", 2, 2, "li", 'a'},
    Signature{"fn:list:len", 1, 1, "l", 'i'},
    Signature{"fn:list:contains", 2, 2, "la", 'B'},
    Signature{"fn:pair", 2, 2, "aa", 'p'},
    Signature{"fn:pair:fst", 1, 1, "p", 'a'},
    Signature{"fn:pair:snd", 1, 1, "p", 'a'},
    Signature{"fn:tuple", 1, kAny, "a*", 'a'},
    Signature{"fn:map", 0, kAny, "a*", 'm'},
    Signature{"fn:struct", 0, kAny, "a*", 'S'},
    Signature{"fn:struct:get", 2, 2, "Sn", 'a'},
    Signature{"fn:map:get", 2, 2, "ma", 'a'},
    Signature{"fn:some", 1, 1, "a", 'p'},
    Signature{"fn:time:now", 0, 0, "", 't'},
    Signature{"fn:time:add", 2, 2, "td", 't'},
    Signature{"fn:time:sub", 2, 2, "tt", 'd'},
    Signature{"fn:time:parse_rfc3339", 1, 1, "s", 't'},
    Signature{"fn:time:parse_civil", 2, 2, "ss", 't'},
    Signature{"fn:time:format", 2, 2, "tn", 's'},
    Signature{"fn:time:format_civil", 3, 3, "tsn", 's'},
    Signature{"fn:time:year", 1, 1, "t", 'i'},
    Signature{"fn:time:month", 1, 1, "t", 'i'},
    Signature{"fn:time:day", 1, 1, "t", 'i'},
    Signature{"fn:time:hour", 1, 1, "t", 'i'},
    Signature{"fn:time:minute", 1, 1, "t", 'i'},
    Signature{"fn:time:second", 1, 1, "t", 'i'},
    Signature{"fn:time:from_unix_nanos", 1, 1, "i", 't'},
    Signature{"fn:time:to_unix_nanos", 1, 1, "t", 'i'},
    Signature{"fn:time:trunc", 2, 2, "tn", 't'},
    Signature{"fn:time:trunc_civil", 3, 3, "tsn", 't'},
    Signature{"fn:duration:parse", 1, 1, "s", 'd'},
    Signature{"fn:duration:add", 2, 2, "dd", 'd'},
    Signature{"fn:duration:mult", 2, 2, "di", 'd'},
    Signature{"fn:duration:hours", 1, 1, "d", 'f'},
    Signature{"fn:duration:minutes", 1, 1, "d", 'f'},
    Signature{"fn:duration:seconds", 1, 1, "d", 'f'},
    Signature{"fn:duration:nanos", 1, 1, "d", 'i'},
    Signature{"fn:duration:from_nanos", 1, 1, "i", 'd'},
    Signature{"fn:duration:from_hours", 1, 1, "u", 'd'},
    Signature{"fn:duration:from_minutes", 1, 1, "u", 'd'},
    Signature{"fn:duration:from_seconds", 1, 1, "u", 'd'},
    Signature{"fn:interval:start", 1, 1, "p", 't'},
    Signature{"fn:interval:end", 1, 1, "p", 't'},
    Signature{"fn:interval:duration", 1, 1, "p", 'd'},
    Signature{"fn:sum", 1, 1, "l", 'i'},
    Signature{"fn:min", 1, 1, "l", 'i'},
    Signature{"fn:max", 1, 1, "l", 'i'},
    Signature{"fn:avg", 1, 1, "l", 'f'},
    Signature{"fn:float:sum", 1, 1, "l", 'f'},
    Signature{"fn:float:min", 1, 1, "l", 'f'},
    Signature{"fn:float:max", 1, 1, "l", 'f'},
    Signature{"fn:duration:sum", 1, 1, "l", 'd'},
    Signature{"fn:duration:min", 1, 1, "l", 'd'},
    Signature{"fn:duration:max", 1, 1, "l", 'd'},
    Signature{"fn:time:min", 1, 1, "l", 't'},
    Signature{"fn:time:max", 1, 1, "l", 't'},
};
static_assert(kFunctions.size() == static_cast<std::size_t>(Function::kListTimeMax) + 1);

// In the order of enum Builtin.
constexpr std::array kBuiltins = {
    Signature{":time:lt", 2, 2, "tt", 'B'},
    Signature{":time:le", 2, 2, "tt", 'B'},
    Signature{":time:gt", 2, 2, "tt", 'B'},
    Signature{":time:ge", 2, 2, "tt", 'B'},
    Signature{":duration:lt", 2, 2, "dd", 'B'},
    Signature{":duration:le", 2, 2, "dd", 'B'},
    Signature{":duration:gt", 2, 2, "dd", 'B'},
    Signature{":duration:ge", 2, 2, "dd", 'B'},
    Signature{":match_prefix", 2, 2, "an", 'B'},
    Signature{":string:starts_with", 2, 2, "as", 'B'},
    Signature{":string:ends_with", 2, 2, "as", 'B'},
    Signature{":string:contains", 2, 2, "as", 'B'},
    Signature{":filter", 1, 1, "a", 'B'},
    Signature{":within_distance", 3, 3, "uuu", 'B'},
    Signature{":match_pair", 3, 3, "a-a-a", 'B'},
    Signature{":match_cons", 3, 3, "a-a-l", 'B'},
    Signature{":match_nil", 1, 1, "a", 'B'},
    Signature{":match_entry", 3, 3, "aa-a", 'B'},
    Signature{":match_field", 3, 3, "an-a", 'B'},
    Signature{":list:member", 2, 2, "-aa", 'B'},
    Signature{":interval:before", 2, 2, "pp", 'B'},
    Signature{":interval:after", 2, 2, "pp", 'B'},
    Signature{":interval:meets", 2, 2, "pp", 'B'},
    Signature{":interval:overlaps", 2, 2, "pp", 'B'},
    Signature{":interval:during", 2, 2, "pp", 'B'},
    Signature{":interval:contains", 2, 2, "pp", 'B'},
    Signature{":interval:starts", 2, 2, "pp", 'B'},
    Signature{":interval:finishes", 2, 2, "pp", 'B'},
    Signature{":interval:equals", 2, 2, "pp", 'B'},
    Signature{":lt", 2, 2, "uu", 'B'},
    Signature{":le", 2, 2, "uu", 'B'},
    Signature{":gt", 2, 2, "uu", 'B'},
    Signature{":ge", 2, 2, "uu", 'B'},
};
static_assert(kBuiltins.size() == static_cast<std::size_t>(Builtin::kGreaterEqual) + 1);

// In the order of enum Reducer.
constexpr std::array kReducers = {
    Signature{"fn:count", 0, 0, "", 'i'},
    Signature{"fn:sum", 1, 1, "i", 'i'},
    Signature{"fn:min", 1, 1, "i", 'i'},
    Signature{"fn:max", 1, 1, "i", 'i'},
    Signature{"fn:float:sum", 1, 1, "f", 'f'},
    Signature{"fn:float:min", 1, 1, "f", 'f'},
    Signature{"fn:float:max", 1, 1, "f", 'f'},
    Signature{"fn:avg", 1, 1, "u", 'f'},
    Signature{"fn:duration:sum", 1, 1, "d", 'd'},
    Signature{"fn:duration:min", 1, 1, "d", 'd'},
    Signature{"fn:duration:max", 1, 1, "d", 'd'},
    Signature{"fn:time:min", 1, 1, "t", 't'},
    Signature{"fn:time:max", 1, 1, "t", 't'},
    Signature{"fn:collect", 1, kAny, "a*", 'l'},
    Signature{"fn:collect_distinct", 1, kAny, "a*", 'l'},
    Signature{"fn:collect_to_map", 2, 2, "aa", 'm'},
    Signature{"fn:pick_any", 1, 1, "a", 'a'},
    Signature{"fn:count_distinct", 0, kAny, "a*", 'i'},
};
static_assert(kReducers.size() == static_cast<std::size_t>(Reducer::kCountDistinct) + 1);

constexpr std::size_t index(Function function) { return static_cast<std::size_t>(function); }

template <typename Id, std::size_t size>
const Signature* find_in(const std::array<Signature, size>& table, std::string_view name,
                         std::size_t from, std::size_t to, Id& id) {
  for (std::size_t i = from; i < to; ++i) {
    if (table[i].name != name) continue;
    id = static_cast<Id>(i);
    return &table[i];
  }
  return nullptr;
}

}  // namespace

const Signature* find_function(std::string_view name, bool in_let, Function& function) {
  if (in_let) {
    const Signature* found = find_in(kFunctions, name, index(Function::kIntPlus),
                                     index(Function::kIntMod) + 1, function);
    if (found != nullptr) return found;
  }
  return find_in(kFunctions, name, 0, index(Function::kListSum), function);
}

const Signature* find_list_function(std::string_view name, Function& function) {
  return find_in(kFunctions, name, index(Function::kListSum), kFunctions.size(), function);
}

const Signature* find_builtin(std::string_view name, Builtin& builtin) {
  return find_in(kBuiltins, name, 0, kBuiltins.size(), builtin);
}

const Signature* find_reducer(std::string_view name, Reducer& reducer) {
  return find_in(kReducers, name, 0, kReducers.size(), reducer);
}

const Signature& signature(Function function) { return kFunctions[index(function)]; }
const Signature& signature(Builtin builtin) { return kBuiltins[static_cast<std::size_t>(builtin)]; }
const Signature& signature(Reducer reducer) { return kReducers[static_cast<std::size_t>(reducer)]; }

std::span<const Signature> functions() { return kFunctions; }
std::span<const Signature> builtins() { return kBuiltins; }
std::span<const Signature> reducers() { return kReducers; }

char type_letter(const Signature& signature, std::size_t index) {
  char letter = 'a';
  std::size_t place = 0;
  for (const char c : signature.types) {
    if (c == '-') continue;
    if (c == '*') return letter;
    letter = c;
    if (place++ == index) return letter;
  }
  return letter;
}

bool is_output(const Signature& signature, std::size_t index) {
  std::size_t place = 0;
  bool output = false;
  for (const char c : signature.types) {
    if (c == '-') {
      output = true;
      continue;
    }
    if (place++ == index) return output;
    output = false;
  }
  return false;
}

}  // namespace anima::datalog::detail
