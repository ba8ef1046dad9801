// A CSV text as a JSON list of objects, one a row; numbers become numbers.
#include <string>
#include <vector>

#include "tool_api.hpp"

tool::Result run(const tool::Input& input, tool::Cancel) {
  const std::vector<tool::Row> rows = tool::parse_csv(input.input);
  if (rows.empty()) return {{}, "the CSV text is empty"};
  tool::Value list;
  list.kind = tool::Value::Kind::list;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    tool::Value object;
    object.kind = tool::Value::Kind::object;
    for (std::size_t k = 0; k < rows[0].size(); ++k) {
      const std::string field = k < rows[i].size() ? rows[i][k] : std::string();
      const auto number = tool::parse_number(field);
      object.members.emplace_back(
          rows[0][k], number ? tool::number_value(*number) : tool::text_value(field));
    }
    list.items.push_back(object);
  }
  return {tool::emit_json(list), {}};
}
