#include "govern/detail/shell_values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "govern/detail/shell_names.h"

namespace anima::govern::detail {
namespace {

constexpr std::size_t kMostBytes = 256;  // of a value
constexpr std::size_t kMostWords = 32;   // that braces become

bool is_plain_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./,+=@-").find(c) != std::string_view::npos;
}

// "1..3" as its numbers; at most 32 of up to three digits.
std::optional<std::vector<std::string>> numbers_of(std::string_view range) {
  const std::size_t dots = range.find("..");
  if (dots == range.npos) return std::nullopt;
  std::array<int, 2> ends{};
  const std::array<std::string_view, 2> texts = {range.substr(0, dots), range.substr(dots + 2)};
  for (std::size_t i = 0; i < 2; ++i) {
    const bool plain = !texts[i].empty() && texts[i].size() <= 3 &&
                       texts[i].find_first_not_of("0123456789") == texts[i].npos &&
                       (texts[i].size() == 1 || texts[i][0] != '0');
    if (!plain) return std::nullopt;
    std::from_chars(texts[i].data(), texts[i].data() + texts[i].size(), ends[i]);
  }
  const int step = ends[0] <= ends[1] ? 1 : -1;
  if ((ends[1] - ends[0]) * step >= static_cast<int>(kMostWords)) return std::nullopt;
  std::vector<std::string> numbers;
  for (int number = ends[0]; number != ends[1] + step; number += step)
    numbers.push_back(std::to_string(number));
  return numbers;
}

// Of what stands between two braces.
std::optional<std::vector<std::string>> choices_of(std::string_view inside) {
  if (inside.find(',') == inside.npos) return numbers_of(inside);
  std::vector<std::string> choices;
  for (const std::string_view each : split(inside, ',')) choices.emplace_back(each);
  return choices;
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

void Values::add(std::string_view variable, std::string_view text, Value::Kind kind) {
  const bool followed = is_plain_value(text) && keeps_its_value(variable);
  add_if_known(variable, followed ? std::optional(Value{std::string(text), kind}) : std::nullopt);
}

void Values::add_if_known(std::string_view variable, std::optional<Value> value) {
  auto at = variables_.find(variable);
  if (at == variables_.end()) at = variables_.try_emplace(std::string(variable)).first;
  Known& known = at->second;
  if (known.anything) return;
  if (value) {
    const auto place = std::ranges::lower_bound(known.values, *value);
    if (place != known.values.end() && *place == *value) return;
    if (known.values.size() <= kMostValuations) {
      known.values.insert(place, *std::move(value));
      return;
    }
  }
  known.anything = true;
  known.values.clear();
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
  if (followed.empty() && !shells_differ_) return {};
  std::vector<Valuation> all(1);
  if (shells_differ_) all = {Valuation{{}, true}, Valuation{{}, false}};
  for (const auto& [variable, known] : followed) {
    if (all.size() * known->values.size() > kMostValuations) break;
    std::vector<Valuation> next;
    for (const Valuation& each : all) {
      for (const Value& value : known->values) {
        next.push_back(each);
        next.back().variables.emplace(variable, value);
      }
    }
    all = std::move(next);
  }
  return all;
}

bool is_plain_value(std::string_view value) {
  return value.size() <= kMostBytes && std::ranges::all_of(value, [](char c) {
           return c >= ' ' && c <= '}' && c != '\\' && c != '$' && c != '`';
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

std::optional<std::string> changed_pattern(std::string_view pattern, std::string_view operation) {
  if (operation.empty()) return std::string(pattern);
  const std::size_t slash = pattern.rfind('/');
  const bool plain = pattern.find('[') > slash;
  if (operation == "##*/" && plain)
    return std::string(pattern.substr(slash == pattern.npos ? 0 : slash + 1));
  if (operation == "%/*" && plain && slash != pattern.npos)
    return std::string(pattern.substr(0, slash));
  if (operation.front() == '#') {
    // What every name begins with.
    const std::string_view beginning = operation.substr(operation.starts_with("##") ? 2 : 1);
    const std::string_view written = pattern.substr(0, pattern.find_first_of("*?["));
    if (!std::ranges::all_of(beginning, is_plain_byte) || !written.starts_with(beginning) ||
        pattern.size() == beginning.size())
      return std::nullopt;
    return std::string(pattern.substr(beginning.size()));
  }
  if (operation.front() != '%' || operation.starts_with("%%")) return std::nullopt;
  // The shortest end that is found lies behind the last unknown byte.
  const std::size_t known = pattern.find_last_of("*?]") + 1;
  const std::string_view tail = pattern.substr(known);
  const auto left = changed_value(tail, operation);
  if (!left || left->size() == tail.size()) return std::nullopt;
  return std::string(pattern.substr(0, known)) + *left;
}

std::optional<std::vector<std::string>> expanded_braces(std::string_view word) {
  const auto is_known = [](char c) { return is_plain_byte(c) || c == '{' || c == '}' || c == ':'; };
  if (!std::ranges::all_of(word, is_known)) return std::nullopt;
  std::vector<std::string> words = {""};
  while (!word.empty()) {
    const std::size_t open = std::min(word.find_first_of("{}"), word.size());
    for (std::string& each : words) each += word.substr(0, open);
    word.remove_prefix(open);
    if (word.empty()) break;
    const std::size_t close = word.find_first_of("{}", 1);
    if (word[0] != '{' || close == word.npos || word[close] != '}') return std::nullopt;
    const auto choices = choices_of(word.substr(1, close - 1));
    if (!choices || choices->size() * words.size() > kMostWords) return std::nullopt;
    std::vector<std::string> next;
    for (const std::string& each : words) {
      for (const std::string& choice : *choices) next.push_back(each + choice);
    }
    words = std::move(next);
    word.remove_prefix(close + 1);
  }
  std::erase_if(words, [](const std::string& each) { return each.empty(); });
  return words;
}

std::optional<std::string> unescaped(std::string_view body) {
  std::string text;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] != '\\') {
      text.push_back(body[at]);
      continue;
    }
    const std::size_t kind = std::string_view("tn\\").find(++at < body.size() ? body[at] : ' ');
    if (kind == std::string_view::npos) return std::nullopt;
    text.push_back("\t\n\\"[kind]);
  }
  return text;
}

}  // namespace anima::govern::detail
