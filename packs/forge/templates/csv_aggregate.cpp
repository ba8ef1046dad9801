// One number out of a column of a CSV text: its @OPERATION@; with "by" and a second column, one
// for each group.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tool_api.hpp"

namespace {

using tool::Row;

struct Columns {
  std::optional<std::size_t> value;
  std::optional<std::size_t> group;
};

bool is_numeric(const std::vector<Row>& rows, std::size_t column) {
  bool any = false;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (column >= rows[i].size() || tool::trim(rows[i][column]).empty()) continue;
    if (!tool::parse_number(rows[i][column])) return false;
    any = true;
  }
  return any;
}

// The words that name columns; of a text with one column of numbers nobody has to name it.
Columns choose(const std::vector<Row>& rows, const std::vector<std::string>& args) {
  Columns columns;
  bool by = false;
  for (const std::string& word : args) {
    by = by || tool::lower(word) == "by" || tool::lower(word) == "per";
    const auto column = tool::find_column(rows[0], word);
    if (!column) continue;
    if (by && !columns.group) {
      columns.group = column;
    } else if (!columns.value) {
      columns.value = column;
    }
  }
  if (columns.value) return columns;
  std::vector<std::size_t> numeric;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    if (i != columns.group && is_numeric(rows, i)) numeric.push_back(i);
  }
  if (numeric.size() == 1) columns.value = numeric[0];
  return columns;
}

double aggregate(std::vector<double> numbers) {
  const std::string operation = "@OPERATION@";
  const auto count = static_cast<double>(numbers.size());
  if (operation == "count") return count;
  std::sort(numbers.begin(), numbers.end());
  if (operation == "minimum") return numbers.front();
  if (operation == "maximum") return numbers.back();
  if (operation == "median") {
    const std::size_t half = numbers.size() / 2;
    return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
  }
  double sum = 0;
  for (const double each : numbers) sum += each;
  return operation == "mean" ? sum / count : sum;
}

}  // namespace

tool::Result run(const tool::Input& input, tool::Cancel) {
  const std::vector<Row> rows = tool::parse_csv(input.input);
  if (rows.size() < 2) return {{}, "the CSV text needs a header and at least one row"};
  const Columns columns = choose(rows, input.args);
  if (!columns.value) {
    std::string names;
    for (const std::string& name : rows[0]) names += (names.empty() ? "" : ", ") + name;
    return {{}, "name a column; there are: " + names};
  }
  std::map<std::string, std::vector<double>> groups;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (*columns.value >= row.size() || tool::trim(row[*columns.value]).empty()) continue;
    const auto number = tool::parse_number(row[*columns.value]);
    if (!number)
      return {{}, "row " + tool::number_text(static_cast<double>(i)) + ": '" +
                      row[*columns.value] + "' is no number"};
    const bool grouped = columns.group && *columns.group < row.size();
    groups[grouped ? row[*columns.group] : std::string()].push_back(*number);
  }
  if (groups.empty()) return {{}, "the column is empty"};
  if (!columns.group) return {tool::number_text(aggregate(groups.begin()->second)), {}};
  std::vector<Row> table = {{rows[0][*columns.group], "@OPERATION@"}};
  for (const auto& group : groups)
    table.push_back({group.first, tool::number_text(aggregate(group.second))});
  return {tool::emit_csv(table), {}};
}
