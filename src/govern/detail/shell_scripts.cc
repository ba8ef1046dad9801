#include "govern/detail/shell_scripts.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "govern/detail/shell_paths.h"

namespace anima::govern::detail {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kEnds = ";\n";
constexpr std::string_view kDigits = "0123456789";

// Reads a sed script; every step that it does not know ends it with false.
class SedScript {
 public:
  explicit SedScript(std::string_view text) : text_(text) {}

  bool only_prints() {
    while (at_ < text_.size()) {
      skip(" \t;\n");
      if (at_ == text_.size()) break;
      if (!addresses() || !command()) return false;
    }
    return true;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip(std::string_view set) {
    while (at_ < text_.size() && set.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  // To behind the next unescaped `delimiter`.
  bool past(char delimiter) {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') return false;
      if (text_[at_] == '[') {
        if (!past_bracket(delimiter)) return false;
      } else if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == delimiter) {
        ++at_;
        return true;
      }
    }
    return false;
  }
  // To the end of a bracket. One that holds the delimiter ends the pattern for some seds, and to
  // some a backslash within escapes what follows.
  bool past_bracket(char delimiter) {
    const std::size_t first = at_ + (text_.substr(at_).starts_with("[^") ? 2u : 1u);
    for (std::size_t at = first; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '\n' || c == delimiter) return false;
      if (c == ']' && at > first) {
        at_ = at;
        return true;
      }
      if (c == '\\') {
        if (++at == text_.size() || text_[at] == delimiter ||
            std::string_view("[]\n").find(text_[at]) != std::string_view::npos)
          return false;
      } else if (c == '[') {  // [:space:]
        const std::size_t end = text_.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at + 2);
        if (delimiter == ':' || !text_.substr(at).starts_with("[:") ||
            end == std::string_view::npos || !text_.substr(end).starts_with(":]"))
          return false;
        at = end + 1;
      }
    }
    return false;
  }
  bool address() {
    if (peek() == '$') {
      ++at_;
    } else if (peek() == '/') {
      ++at_;
      if (!past('/')) return false;
      skip("I");
    } else {
      const std::size_t start = at_;
      skip("0123456789+~");
      if (at_ == start) return false;
    }
    skip(kBlanks);
    return true;
  }
  bool addresses() {
    if (peek() == '$' || peek() == '/' || kDigits.find(peek()) != std::string_view::npos) {
      if (at_ == text_.size() || !address()) return false;
      if (peek() == ',') {
        ++at_;
        skip(kBlanks);
        if (!address()) return false;
      }
    }
    skip("! \t");
    return true;
  }
  bool command() {
    const char name = peek();
    ++at_;
    if (name == '{' || name == '}') return true;
    if (name == 'a' || name == 'i' || name == 'c') return text_to_the_end();
    if (name == ':' || name == 'b' || name == 't') {
      if (name != ':') skip(kBlanks);
      skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    } else if (name == 's' || name == 'y') {
      const char delimiter = peek();
      if (std::string_view("/|,#:@").find(delimiter) == std::string_view::npos) return false;
      ++at_;
      if (!past(delimiter) || !past(delimiter)) return false;
      if (name == 's') skip("gpiI0123456789");
    } else if (std::string_view("pPdDgGhHxnN=lqQ").find(name) == std::string_view::npos) {
      return false;
    } else if (name == 'q' || name == 'l' || name == 'Q') {
      skip(" 0123456789");
    }
    skip(kBlanks);
    return at_ == text_.size() || peek() == '}' || kEnds.find(peek()) != std::string_view::npos;
  }

  // a, i and c take the rest of the line; what follows a further line some seds run.
  bool text_to_the_end() {
    const bool one_line = text_.find('\n', at_) == std::string_view::npos;
    at_ = text_.size();
    return one_line;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// A number that ends its expression: nothing is joined to it.
bool is_lone_number(std::string_view text, std::size_t at) {
  const std::size_t start = text.find_first_not_of(kBlanks, at);
  if (start == std::string_view::npos || kDigits.find(text[start]) == std::string_view::npos)
    return false;
  const std::size_t end = text.find_first_not_of("0123456789. \t", start);
  return end == std::string_view::npos ||
         std::string_view(";\n{})&|?,").find(text[end]) != std::string_view::npos;
}

// Reads an awk program as far as it takes to tell strings, patterns and remarks from the bare text.
// Where awks could read on differently (a slash that divides or begins a pattern, brackets within
// one) it ends with false.
class AwkProgram {
 public:
  explicit AwkProgram(std::string_view text) : text_(text) {}

  bool only_prints() {
    // Looked for in strings and remarks too, so that no way of quoting hides a word.
    // SYMTAB reaches ARGV by a name in parts, and with it gawk's files that are sockets.
    for (const std::string_view word :
         {"system", "getline", "@", "close", "/inet", "ARGV", "ARGC", "SYMTAB"}) {
      if (text_.find(word) != std::string_view::npos) return false;
    }
    while (at_ < text_.size()) {
      if (!step()) return false;
    }
    return true;
  }

 private:
  // What a slash that comes now stands behind.
  enum class Before : std::uint8_t { kOperator, kOperand, kUnclear, kSign };

  bool past(std::size_t count, Before before) {
    at_ += count;
    before_ = before;
    return true;
  }
  std::size_t end_of(std::string_view set) const {
    return std::min(text_.find_first_not_of(set, at_), text_.size()) - at_;
  }

  bool step() {
    const char c = text_[at_];
    if (kBlanks.find(c) != std::string_view::npos) return past(1, before_);
    if (c == ';' || c == '{' || c == '}' || (c == '\n' && ends_statement())) prints_ = false;
    const bool between = c == '\n' || c == '#';
    const bool controls = between ? controls_ : std::exchange(controls_, false);
    if (c == '(' && ++depth_ <= 1) condition_ = controls;
    if (c == ')') --depth_;
    if (std::string_view("\n;{},(~!&=<?:*%^").find(c) != std::string_view::npos)
      return past(1, Before::kOperator);
    if (std::string_view("+-$").find(c) != std::string_view::npos) return past(1, Before::kSign);
    // Behind a condition a pattern can begin.
    if (c == ')') return past(1, depth_ > 0 || !condition_ ? Before::kOperand : Before::kUnclear);
    if (c == '[') return past(1, Before::kOperator);
    if (c == ']') return past(1, Before::kOperand);
    if (c == '#') return past(std::min(text_.find('\n', at_), text_.size()) - at_, before_);
    if (c == '"') return literal('"') && past(1, Before::kOperand);
    if (c == '/') return slash();
    if (c == '|') return text_.substr(at_).starts_with("||") && past(2, Before::kOperator);
    if (c == '>') return redirection();
    return word();
  }
  // Whether an end of the line ends a statement for every awk: busybox goes on behind a sign.
  bool ends_statement() const {
    return depth_ <= 0 && (before_ == Before::kOperand || before_ == Before::kUnclear);
  }
  // Outside of print it compares. Within, `> 5` does, or at worst makes a file called 5 in the work
  // folder.
  bool redirection() {
    const std::size_t length = text_.substr(at_).starts_with(">=") ? 2 : 1;
    if (!prints_ && !text_.substr(at_).starts_with(">>")) return past(length, Before::kOperator);
    if (const std::size_t behind =
            behind_stream(at_ + (text_.substr(at_).starts_with(">>") ? 2 : 1)))
      return past(behind - at_, Before::kOperand);
    if (!is_lone_number(text_, at_ + length)) return false;
    // To mawk the name may go on: print 1 > 5 ? "a" : "b".
    const std::size_t behind = text_.find_first_not_of("0123456789. \t", at_ + length);
    if (depth_ <= 0 && behind < text_.size() && text_[behind] == '?') return false;
    return past(length, Before::kOperator);
  }
  // Where "/dev/stderr" or "/dev/stdout" ends that a statement prints to, and with which it ends; 0
  // for anything else.
  std::size_t behind_stream(std::size_t at) const {
    at = std::min(text_.find_first_not_of(kBlanks, at), text_.size());
    const std::string_view name = text_.substr(at, std::string_view("\"/dev/stderr\"").size());
    if (depth_ > 0 || (name != "\"/dev/stderr\"" && name != "\"/dev/stdout\"")) return 0;
    const std::size_t behind = at + name.size();
    const std::size_t next = text_.find_first_not_of(kBlanks, behind);
    const bool ends = next == std::string_view::npos ||
                      std::string_view(";}\n").find(text_[next]) != std::string_view::npos;
    return ends ? behind : 0;
  }
  bool word() {
    if (const std::size_t digits = end_of("0123456789."); digits > 0)
      return past(digits, Before::kOperand);
    const std::size_t letters =
        end_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    if (letters == 0) return false;
    constexpr std::array<std::string_view, 12> kKeywords = {"print",  "printf", "return",  "while",
                                                            "else",   "do",     "exit",    "delete",
                                                            "length", "next",   "getline", "case"};
    const std::string_view name = text_.substr(at_, letters);
    if (name == "print" || name == "printf") {
      prints_ = true;
      depth_ = 0;
    }
    controls_ = name == "if" || name == "while" || name == "for";
    if (name == "in") return past(letters, Before::kSign);
    const bool keyword = std::ranges::find(kKeywords, name) != kKeywords.end();
    return past(letters, keyword ? Before::kUnclear : Before::kOperand);
  }
  bool slash() {
    if (before_ == Before::kUnclear || before_ == Before::kSign) return false;
    if (before_ == Before::kOperand) return past(1, Before::kOperator);
    const std::size_t start = at_ + 1;
    return literal('/') && brackets_close(text_.substr(start, at_ - start)) &&
           past(1, Before::kOperand);
  }
  // To the unescaped `quote` that ends what begins here.
  bool literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size() && text_[at_] == '\n') return false;
    }
    return at_ < text_.size();
  }
  // A slash within brackets ends the pattern for some awks alone.
  static bool brackets_close(std::string_view pattern) {
    for (std::size_t at = 0; at < pattern.size(); ++at) {
      if (pattern[at] == '\\') {
        ++at;
        continue;
      }
      if (pattern[at] != '[') continue;
      const std::size_t first = at + (pattern.substr(at).starts_with("[^") ? 2u : 1u);
      at = first;
      while (pattern.substr(at).starts_with("[:"))
        at = std::min(pattern.find(":]", at), pattern.size() - 2) + 2;
      at = pattern.find_first_of("[]\\", at);
      if (at == std::string_view::npos || at == first || pattern[at] != ']') return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Before before_ = Before::kOperator;
  bool prints_ = false;     // within a print or printf
  int depth_ = 0;           // of brackets since it began
  bool controls_ = false;   // behind `if`, `while` or `for`
  bool condition_ = false;  // the outermost of the brackets is that of one of these
};

// The command without the arguments that `dropped` says.
template <typename Dropped>
SimpleCommand without(const SimpleCommand& command, Dropped dropped) {
  SimpleCommand rest = command;
  rest.arguments.clear();
  rest.forms.clear();
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    if (command.forms[i] == WordForm::kFixed && dropped(command.arguments[i])) continue;
    rest.arguments.push_back(command.arguments[i]);
    rest.forms.push_back(command.forms[i]);
  }
  return rest;
}

// -i, -Ei, -i.bak, --in-place. Other endings of the copy could make a name that git or the outbox
// reads.
bool is_in_place(std::string_view option) {
  if (option.starts_with("--in-place")) {
    option.remove_prefix(std::string_view("--in-place").size());
    if (option.starts_with('=')) option.remove_prefix(1);
  } else {
    const std::size_t letter = option.find('i');
    if (!option.starts_with('-') || letter == option.npos ||
        option.substr(1, letter - 1).find_first_not_of("nErsuz") != option.npos)
      return false;
    option.remove_prefix(letter + 1);
  }
  return option.empty() || option == ".bak" || option == ".orig" || option == ".old" ||
         option == "~";
}

// Whether the argument can be neither an option nor the script.
bool is_operand(const SimpleCommand& command, std::size_t i) {
  const WordForm form = command.forms[i];
  return form == WordForm::kFixed || form == WordForm::kPrefixed || form == WordForm::kNames;
}

}  // namespace

bool sed_only_prints(const SimpleCommand& command) {
  bool script = false;
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    const bool fixed = command.forms[i] == WordForm::kFixed;
    if (script && is_operand(command, i) && !argument.starts_with('-')) continue;
    if (!fixed) return false;
    if (argument == "-e" || argument == "--expression") {
      if (++i >= command.arguments.size() || command.forms[i] != WordForm::kFixed ||
          !SedScript(command.arguments[i]).only_prints())
        return false;
      script = true;
    } else if (argument.size() > 1 && argument.front() == '-') {
      if (argument.find_first_not_of("nErsuz", 1) != std::string::npos) return false;
    } else if (!script) {
      if (!SedScript(argument).only_prints()) return false;
      script = true;
    }
  }
  return script;
}

bool sed_edits_inside(const SimpleCommand& command) {
  const SimpleCommand rest = without(command, is_in_place);
  if (rest.arguments.size() == command.arguments.size() || !sed_only_prints(rest)) return false;
  const auto gives_script = [](std::string_view argument) {
    return argument == "-e" || argument == "--expression";
  };
  bool script = std::ranges::any_of(rest.arguments, gives_script);
  for (std::size_t i = 0; i < rest.arguments.size(); ++i) {
    const std::string& argument = rest.arguments[i];
    if (gives_script(argument)) {
      ++i;
    } else if (!argument.starts_with('-')) {
      if (script && leads_out(argument, rest.forms[i])) return false;
      script = true;
    }
  }
  return true;
}

bool awk_only_prints(const SimpleCommand& command) {
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    const bool fixed = command.forms[i] == WordForm::kFixed;
    if (fixed && (argument == "-F" || argument == "-v")) {
      // A value is data, also when it comes from elsewhere, as long as it is one word.
      if (++i < command.forms.size() && command.forms[i] > WordForm::kPrefixed &&
          command.forms[i] != WordForm::kShaped && command.forms[i] != WordForm::kOne)
        return false;
    } else if (fixed && (argument.starts_with("-F") || argument.starts_with("-v"))) {
      continue;
    } else if (!fixed || argument.starts_with('-')) {
      return false;
    } else if (!AwkProgram(argument).only_prints()) {
      return false;
    } else {
      // What follows the program are files and assignments.
      for (++i; i < command.arguments.size(); ++i) {
        const std::string& operand = command.arguments[i];
        // gawk talks to the network through files of this name.
        const bool network = operand.find("/inet") != std::string::npos ||
                             (operand.starts_with('/') && command.forms[i] != WordForm::kFixed);
        // Behind the program no awk takes a name for an option.
        const bool is_name = is_operand(command, i) || command.forms[i] == WordForm::kPattern ||
                             command.forms[i] == WordForm::kShaped;
        if (!is_name || (operand.starts_with('-') && operand != "-") || network) return false;
      }
      return true;
    }
  }
  return false;
}

bool tar_only_packs(const SimpleCommand& command) {
  const SimpleCommand rest = without(
      command, [](std::string_view argument) { return argument.starts_with("--exclude="); });
  const std::vector<std::string>& arguments = rest.arguments;
  if (arguments.size() < 3) return false;
  std::string_view bundle = arguments.front();
  if (bundle.starts_with('-')) bundle.remove_prefix(1);
  const bool packs = bundle.find('c') != std::string_view::npos && bundle.ends_with('f') &&
                     bundle.find_first_not_of("czjJvhf") == std::string_view::npos;
  if (!packs || rest.forms[0] != WordForm::kFixed || rest.forms[1] > WordForm::kPrefixed)
    return false;
  // A name with a colon before any slash is that of another machine.
  if (arguments[1].find_first_of("*?$`") < arguments[1].find('/')) return false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const bool to_output = i == 1 && arguments[i] == "-";
    if (!is_operand(rest, i) || (arguments[i].starts_with('-') && !to_output) ||
        arguments[i].find(':') != std::string::npos || leads_out(arguments[i], rest.forms[i]))
      return false;
  }
  return true;
}

}  // namespace anima::govern::detail
