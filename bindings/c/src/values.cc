#include "values.h"

namespace anima::c {
namespace {

void add_table(Json& json, const Rows& rows) {
  json.set("columns", text_array(rows.columns()));
  Json cells = Json::array();
  for (const Rows::Row row : rows) {
    JsonArray line;
    for (std::size_t column = 0; column < row.size(); ++column) line.push_back(row[column]);
    cells.push_back(Json(std::move(line)));
  }
  json.set("rows", std::move(cells));
}

}  // namespace

Json json_of(const Rows& rows) {
  Json json = Json::object();
  add_table(json, rows);
  return json;
}

Json json_of(const QuestionAnswer& answer) {
  Json json = Json::object({{"status", std::string(to_string(answer.status))},
                            {"text", answer.text},
                            {"reading", answer.reading},
                            {"query", answer.query}});
  add_table(json, answer.rows);
  json.set("unknown", text_array(answer.unknown));
  json.set("details", answer.details);
  return json;
}

}  // namespace anima::c
