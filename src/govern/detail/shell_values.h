// What variables of a shell text may hold: every text that anything in it gives them, or anything
// at all. The set of a variable is complete, wherever in the text its value is asked: where it is
// surely set (Flow) it holds one of them. Not thread-safe; values of their own a parse.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace anima::govern::detail {

// What a variable holds.
struct Value {
  enum class Kind : std::uint8_t {
    kText,       // the text
    kBeginning,  // the name of a file that a pattern found, or the pattern; it begins with the text
    kPattern,    // a name that the text finds as a pattern, of which parts may have been changed
    kNumber,     // digits and minuses, at least one; the text is kNumber
  };
  std::string text;
  Kind kind = Kind::kText;
  auto operator<=>(const Value&) const = default;
};
// Stands for a number in a pattern. It may be missing there, where a program printed none.
constexpr std::string_view kNumber = "[0-9]";

// What a text is read with.
struct Valuation {
  std::map<std::string, Value, std::less<>> variables;  // those that are followed
  std::optional<bool> in_bash;                          // or in a shell like dash, if that is asked
};

class Values {
 public:
  // More combinations are not followed: the variables with most values count as unknown.
  static constexpr std::size_t kMostValuations = 16;

  void add(std::string_view variable, std::string_view text, Value::Kind kind = Value::Kind::kText);
  void add_number(std::string_view variable) { add(variable, kNumber, Value::Kind::kNumber); }
  void add_anything(std::string_view variable) { add_if_known(variable, std::nullopt); }
  // Somewhere the value of the variable counts.
  void ask(std::string_view variable) {
    if (!asked_.contains(variable)) asked_.emplace(variable);
  }
  // bash alone reads a word as something else.
  void ask_shell() { shells_differ_ = true; }

  // Every combination of values of what is asked and known, in each shell where that is asked; none
  // when nothing is.
  std::vector<Valuation> valuations() const;

  bool operator==(const Values&) const = default;

 private:
  void add_if_known(std::string_view variable, std::optional<Value> value);

  struct Known {
    std::vector<Value> values;  // sorted, each once
    bool anything = false;
    bool operator==(const Known&) const = default;
  };
  std::map<std::string, Known, std::less<>> variables_;
  std::set<std::string, std::less<>> asked_;
  bool shells_differ_ = false;
};

// Texts that all shells keep, split and put in place alike: printable ASCII without a backslash,
// tilde, dollar or back quote. Others are not followed.
bool is_plain_value(std::string_view value);

// Whether the shell puts the value in place as it is when the expansion stands outside quotes.
bool stays_one_word(std::string_view value);

// The words that an expansion outside quotes becomes when nothing else is part of its word; nothing
// when they could name files.
std::optional<std::vector<std::string>> words_of(std::string_view value);

// ${name OPERATION} of a variable that is set: OPERATION is %, %%, # or ## with a pattern of plain
// bytes and stars, or a default. Nothing for another one.
std::optional<std::string> changed_value(std::string_view value, std::string_view operation);

// The same of a name that `pattern` finds: the pattern of what is left, where an ending is removed,
// the name of the folder or all but it.
std::optional<std::string> changed_pattern(std::string_view pattern, std::string_view operation);

// What bash makes of braces in a word of plain bytes: {a,b} and {1..3}, side by side. Nothing for
// what is not that simple.
std::optional<std::vector<std::string>> expanded_braces(std::string_view word);

// What $'..' holds to bash; nothing with escapes other than those of tab, new line and backslash.
std::optional<std::string> unescaped(std::string_view body);

}  // namespace anima::govern::detail
