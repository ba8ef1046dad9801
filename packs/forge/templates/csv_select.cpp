// Some columns of a CSV text, in the order in which they are named; OLD=NEW gives one another name.
#include <string>
#include <vector>

#include "tool_api.hpp"

tool::Result run(const tool::Input& input, tool::Cancel) {
  const std::vector<tool::Row> rows = tool::parse_csv(input.input);
  if (rows.empty()) return {{}, "the CSV text is empty"};
  std::vector<std::size_t> columns;
  tool::Row header;
  for (const std::string& word : input.args) {
    const std::vector<std::string> parts = tool::split(word, '=');
    const auto column = tool::find_column(rows[0], parts[0]);
    if (!column) continue;
    columns.push_back(*column);
    header.push_back(parts.size() == 2 ? parts[1] : rows[0][*column]);
  }
  if (columns.empty()) return {{}, "name at least one column of the header"};
  std::vector<tool::Row> out = {header};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    tool::Row row;
    for (const std::size_t column : columns)
      row.push_back(column < rows[i].size() ? rows[i][column] : std::string());
    out.push_back(row);
  }
  return {tool::emit_csv(out), {}};
}
