// A JSON list of objects as a CSV text; its columns are all members, in the order of first sight.
#include <algorithm>
#include <string>
#include <vector>

#include "tool_api.hpp"

namespace {

std::string field_text(const tool::Value& value) {
  if (value.kind == tool::Value::Kind::null) return {};
  return value.kind == tool::Value::Kind::text ? value.text : tool::emit_json(value);
}

}  // namespace

tool::Result run(const tool::Input& input, tool::Cancel) {
  const auto json = tool::parse_json(input.input);
  if (!json) return {{}, "the text is no JSON"};
  if (json->kind != tool::Value::Kind::list) return {{}, "a list of objects is needed"};
  tool::Row header;
  for (const tool::Value& object : json->items) {
    for (const auto& member : object.members) {
      if (std::find(header.begin(), header.end(), member.name) == header.end())
        header.push_back(member.name);
    }
  }
  if (header.empty()) return {{}, "no object of the list has a member"};
  std::vector<tool::Row> rows = {header};
  for (const tool::Value& object : json->items) {
    tool::Row row;
    for (const std::string& name : header) row.push_back(field_text(object.member(name)));
    rows.push_back(row);
  }
  return {tool::emit_csv(rows), {}};
}
