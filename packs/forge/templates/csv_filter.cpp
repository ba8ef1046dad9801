// The rows of a CSV text whose column holds against a value: `amount > 10`, `city = Oslo`,
// `name contains an`.
#include <optional>
#include <string>
#include <vector>

#include "tool_api.hpp"

namespace {

struct Condition {
  std::size_t column = 0;
  std::string comparison;
  std::string value;
};

std::optional<std::string> comparison_of(const std::string& word) {
  const std::string text = tool::lower(word);
  for (const std::string known : {"=", "!=", "<", "<=", ">", ">=", "contains"}) {
    if (text == known) return known;
  }
  if (text == "==" || text == "is" || text == "equals") return "=";
  if (text == "above" || text == "over") return ">";
  if (text == "below" || text == "under") return "<";
  return std::nullopt;
}

// A column, a comparison behind it, and everything behind that as the value.
std::optional<Condition> read_condition(const tool::Row& header,
                                        const std::vector<std::string>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto column = tool::find_column(header, args[i]);
    if (!column || i + 2 >= args.size()) continue;
    const auto comparison = comparison_of(args[i + 1]);
    if (!comparison) continue;
    std::string value = args[i + 2];
    for (std::size_t k = i + 3; k < args.size(); ++k) value += " " + args[k];
    return Condition{*column, *comparison, value};
  }
  return std::nullopt;
}

bool holds(const Condition& condition, const std::string& field) {
  const auto left = tool::parse_number(field), right = tool::parse_number(condition.value);
  const std::string a = tool::lower(tool::trim(field)), b = tool::lower(condition.value);
  if (condition.comparison == "contains") return a.find(b) != std::string::npos;
  const bool numbers = left && right;
  const bool equal = numbers ? *left == *right : a == b;
  const bool less = numbers ? *left < *right : a < b;
  if (condition.comparison == "=") return equal;
  if (condition.comparison == "!=") return !equal;
  if (condition.comparison == "<") return less;
  if (condition.comparison == "<=") return less || equal;
  if (condition.comparison == ">") return !less && !equal;
  return !less;
}

}  // namespace

tool::Result run(const tool::Input& input, tool::Cancel) {
  const std::vector<tool::Row> rows = tool::parse_csv(input.input);
  if (rows.empty()) return {{}, "the CSV text is empty"};
  const auto condition = read_condition(rows[0], input.args);
  if (!condition) return {{}, "say COLUMN COMPARISON VALUE, for example: amount > 10"};
  std::vector<tool::Row> kept = {rows[0]};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (condition->column < rows[i].size() && holds(*condition, rows[i][condition->column]))
      kept.push_back(rows[i]);
  }
  return {tool::emit_csv(kept), {}};
}
