// The value of an arithmetic expression: + - * / % ^, parentheses, sqrt, abs, round, min and max;
// names stand for the arguments NAME=VALUE.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tool_api.hpp"

namespace {

class Calculation {
 public:
  Calculation(std::string text, std::map<std::string, double> names)
      : text_(text), names_(names) {}

  tool::Result result() {
    const double value = sum(0);
    skip_space();
    if (error_.empty() && at_ != text_.size()) fail("something is left over");
    if (error_.empty() && !std::isfinite(value)) fail("the value is no finite number");
    if (!error_.empty()) return {{}, error_};
    return {tool::number_text(value), {}};
  }

 private:
  void fail(const std::string& why) {
    if (error_.empty())
      error_ = why + " at character " + tool::number_text(static_cast<double>(at_ + 1));
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  double sum(int depth) {
    double value = product(depth);
    while (error_.empty() && at_ <= text_.size()) {
      if (take('+')) {
        value += product(depth);
      } else if (take('-')) {
        value -= product(depth);
      } else {
        break;
      }
    }
    return value;
  }

  double product(int depth) {
    double value = power(depth);
    while (error_.empty() && at_ <= text_.size()) {
      if (take('*')) {
        value *= power(depth);
      } else if (take('/')) {
        const double by = power(depth);
        if (by == 0) fail("a division by zero");
        value = by == 0 ? 0 : value / by;
      } else if (take('%')) {
        const double by = power(depth);
        if (by == 0) fail("a division by zero");
        value = by == 0 ? 0 : std::fmod(value, by);
      } else {
        break;
      }
    }
    return value;
  }

  double power(int depth) {
    if (depth > 60) {
      fail("it is nested too deep");
      return 0;
    }
    if (take('-')) return -power(depth + 1);
    const double base = operand(depth);
    return take('^') ? std::pow(base, power(depth + 1)) : base;
  }

  double operand(int depth) {
    if (take('(')) {
      const double value = sum(depth + 1);
      if (!take(')')) fail("a ) is missing");
      return value;
    }
    skip_space();
    std::string word;
    while (at_ < text_.size() && is_word(text_[at_])) {
      word += text_[at_];
      ++at_;
    }
    if (const auto number = tool::parse_number(word)) return *number;
    if (take('(')) return call(word, depth);
    const auto named = names_.find(word);
    if (named != names_.end()) return named->second;
    fail(word.empty() ? "a number is missing" : "nobody said what '" + word + "' is");
    return 0;
  }

  double call(const std::string& name, int depth) {
    std::vector<double> values = {sum(depth + 1)};
    while (error_.empty() && take(',')) values.push_back(sum(depth + 1));
    if (!take(')')) fail("a ) is missing");
    if (name == "sqrt") return std::sqrt(values[0]);
    if (name == "abs") return std::fabs(values[0]);
    if (name == "round") return std::round(values[0]);
    if (name == "min") return *std::min_element(values.begin(), values.end());
    if (name == "max") return *std::max_element(values.begin(), values.end());
    fail("there is no function '" + name + "'");
    return 0;
  }

  static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '_';
  }

  std::string text_;
  std::map<std::string, double> names_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace

tool::Result run(const tool::Input& input, tool::Cancel) {
  std::map<std::string, double> names = {{"pi", 3.14159265358979323846}};
  for (const std::string& word : input.args) {
    const std::vector<std::string> parts = tool::split(word, '=');
    if (parts.size() != 2) continue;
    const auto value = tool::parse_number(parts[1]);
    if (!value) return {{}, "'" + parts[1] + "' is no number"};
    names[parts[0]] = *value;
  }
  return Calculation(input.input, names).result();
}
