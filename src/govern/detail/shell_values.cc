#include "govern/detail/shell_values.h"

#include <algorithm>

#include "govern/detail/shell_names.h"

namespace anima::govern::detail {
namespace {

constexpr std::size_t kMostBytes = 256;  // of a value

bool is_plain_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./,+=@-").find(c) != std::string_view::npos;
}

// Stars find any text.
bool finds(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t back = std::string_view::npos;  // behind the last star
  std::size_t taken = 0;                      // of the text, when it was met
  std::size_t i = 0;
  while (i < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      back = ++at;
      taken = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (back != std::string_view::npos) {
      at = back;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

// What stands behind the shortest or longest beginning that the pattern finds.
std::string_view without_beginning(std::string_view value, std::string_view pattern, bool longest) {
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const std::size_t length = longest ? value.size() - i : i;
    if (finds(pattern, value.substr(0, length))) return value.substr(length);
  }
  return value;
}

std::string_view without_end(std::string_view value, std::string_view pattern, bool longest) {
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const std::size_t length = longest ? i : value.size() - i;
    if (finds(pattern, value.substr(length))) return value.substr(0, length);
  }
  return value;
}

}  // namespace

void Values::add(std::string_view variable, std::string_view text, bool found) {
  const bool followed = is_plain_value(text) && keeps_its_value(variable);
  add_if_known(variable, followed ? std::optional(Value{std::string(text), found}) : std::nullopt);
}

void Values::add_if_known(std::string_view variable, const std::optional<Value>& value) {
  Known& known = variables_[std::string(variable)];
  known.anything = known.anything || !value || known.values.size() > kMostValuations;
  if (known.anything)
    known.values.clear();
  else
    known.values.insert(*value);
}

void Values::merge(const Values& other) {
  for (const auto& [variable, known] : other.variables_) {
    if (known.anything) add_anything(variable);
    for (const Value& value : known.values) add_if_known(variable, value);
  }
  asked_.insert(other.asked_.begin(), other.asked_.end());
}

std::vector<Valuation> Values::valuations() const {
  std::vector<std::pair<std::string, const Known*>> followed;
  for (const std::string& variable : asked_) {
    const auto known = variables_.find(variable);
    if (known != variables_.end() && !known->second.anything)
      followed.emplace_back(variable, &known->second);
  }
  std::ranges::stable_sort(followed, {},
                           [](const auto& each) { return each.second->values.size(); });
  std::vector<Valuation> all;
  for (const auto& [variable, known] : followed) {
    if (std::max<std::size_t>(all.size(), 1) * known->values.size() > kMostValuations) break;
    if (all.empty()) all.emplace_back();
    std::vector<Valuation> next;
    for (const Valuation& each : all) {
      for (const Value& value : known->values) {
        next.push_back(each);
        next.back().emplace(variable, value);
      }
    }
    all = std::move(next);
  }
  return all;
}

bool is_plain_value(std::string_view value) {
  return value.size() <= kMostBytes && std::ranges::all_of(value, [](char c) {
           return c >= ' ' && c <= '}' &&
                  std::string_view("\\$`").find(c) == std::string_view::npos;
         });
}

bool stays_one_word(std::string_view value) {
  return !value.empty() && value.find_first_of(" *?[") == std::string_view::npos;
}

std::optional<std::vector<std::string>> words_of(std::string_view value) {
  if (value.find_first_of("*?[") != std::string_view::npos) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t at = value.find_first_not_of(' '); at < value.size();) {
    const std::size_t end = std::min(value.find(' ', at), value.size());
    words.emplace_back(value.substr(at, end - at));
    at = value.find_first_not_of(' ', end);
  }
  return words;
}

std::optional<std::string> changed_value(std::string_view value, std::string_view operation) {
  if (operation.empty()) return std::string(value);
  const char sign = operation.front();
  const bool removes = sign == '%' || sign == '#';
  const bool twice = operation.size() > 1 && operation[1] == sign;
  if (removes) operation.remove_prefix(twice ? 2 : 1);
  const auto is_known = [&](char c) { return is_plain_byte(c) || (removes && c == '*'); };
  if (removes) {
    if (!std::ranges::all_of(operation, is_known)) return std::nullopt;
    return std::string(sign == '%' ? without_end(value, operation, twice)
                                   : without_beginning(value, operation, twice));
  }
  if (operation.front() == ':') operation.remove_prefix(1);
  const bool fills = !operation.empty() && operation.front() == '-';
  if (!fills || value.empty() || !std::ranges::all_of(operation, is_known)) return std::nullopt;
  return std::string(value);
}

}  // namespace anima::govern::detail
