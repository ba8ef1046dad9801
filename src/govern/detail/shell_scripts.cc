#include "govern/detail/shell_scripts.h"

#include <algorithm>
#include <array>

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
      if (text_[at_] == '[' || text_[at_] == '\\') {
        if (text_[at_] == '[') return false;  // a bracket may hold the delimiter
        ++at_;
      } else if (text_[at_] == delimiter) {
        ++at_;
        return true;
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
    if (name == 's' || name == 'y') {
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

// Looks at the bare text, strings and expressions included, so that no way of quoting hides a word.
bool awk_text_only_prints(std::string_view text) {
  for (const std::string_view word : {"system", "getline", "@", "close", "/inet"}) {
    if (text.find(word) != std::string_view::npos) return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') {
      if (i + 1 >= text.size() || text[i + 1] != '|') return false;
      ++i;
    } else if (text[i] == '>') {
      const bool comparison = i + 1 < text.size() && text[i + 1] == '=';
      // `> 5` compares, or at worst makes a file called 5 in the work folder.
      if (!is_lone_number(text, i + (comparison ? 2 : 1))) return false;
    }
  }
  return true;
}

}  // namespace

bool sed_only_prints(const std::vector<std::string>& arguments) {
  bool script = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-e" || argument == "--expression") {
      if (++i >= arguments.size() || !SedScript(arguments[i]).only_prints()) return false;
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

bool awk_only_prints(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-F" || argument == "-v") {
      ++i;
    } else if (argument.starts_with("-F") || argument.starts_with("-v")) {
      continue;
    } else if (argument.starts_with('-')) {
      return false;
    } else {
      // What follows the program are files and assignments.
      return awk_text_only_prints(argument);
    }
  }
  return false;
}

bool tar_only_packs(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) return false;
  std::string_view bundle = arguments.front();
  if (bundle.starts_with('-')) bundle.remove_prefix(1);
  const bool packs = bundle.find('c') != std::string_view::npos && bundle.ends_with('f') &&
                     bundle.find_first_not_of("czjJvhf") == std::string_view::npos;
  return packs &&
         std::ranges::none_of(arguments.begin() + 1, arguments.end(), [](const std::string& a) {
           return a.starts_with('-') || a.find(':') != std::string::npos;
         });
}

bool judged_by_arguments(std::string_view program) {
  constexpr std::array<std::string_view, 9> kPrograms = {"sed",  "awk", "gawk", "mawk", "sort",
                                                         "find", "tar", "uniq", "env"};
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

}  // namespace anima::govern::detail
