// The names, arities and types of functions, builtin predicates and reducers. Thread-safety:
// constant data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "datalog/functions.h"

namespace anima::datalog::detail {

// One letter a type: i number, f float64, u number or float64, s string, n name, b bytes, t time, d
// duration, l list, p pair, m map, S struct, B a boolean name, a anything, o text that concat takes
// (string, name, number, float64). A '*' repeats the letter before it.
struct Signature {
  std::string_view name;
  std::uint8_t least = 0;  // arguments
  std::uint8_t most = 0;   // 255: any number
  std::string_view
      types;  // of the arguments; for a builtin, '-' before a letter is an output place
  char result = 'a';
};

// Null when there is no such name. `in_let`: the integer forms of a let-transform.
const Signature* find_function(std::string_view name, bool in_let, Function& function);
const Signature* find_builtin(std::string_view name, Builtin& builtin);
const Signature* find_reducer(std::string_view name, Reducer& reducer);
// The form of a reducer that takes one list, in a let.
const Signature* find_list_function(std::string_view name, Function& function);

const Signature& signature(Function function);
const Signature& signature(Builtin builtin);
const Signature& signature(Reducer reducer);

// Names that exist, for hints.
std::span<const Signature> functions();
std::span<const Signature> builtins();
std::span<const Signature> reducers();

// The letter of argument `index`.
char type_letter(const Signature& signature, std::size_t index);
bool is_output(const Signature& signature, std::size_t index);

}  // namespace anima::datalog::detail
